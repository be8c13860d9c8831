"""What a program compiles to: transformations, stream graph, job graph, epoch plan."""
