"""What the REST API answers, as types: views are checked against them, and the OpenAPI document is made of them."""
