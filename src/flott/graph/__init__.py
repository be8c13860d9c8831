"""What a program compiles to: transformations, stream graph, epoch plan.

Each step is one function: ``generate_stream_graph``, ``build_epoch_plan``. What a step
makes can be looked at: printed, as Flink's JSON, and drawn as text, SVG or Mermaid.
"""
