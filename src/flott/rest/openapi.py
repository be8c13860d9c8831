"""The OpenAPI document of the REST API, made of its routes and the shapes of their answers."""

from __future__ import annotations

import re
from http import HTTPStatus
from types import NoneType, UnionType
from typing import TYPE_CHECKING, Any, Union, get_args, get_origin, get_type_hints, is_typeddict

from flott import __version__
from flott.rest.routes import PARTS, ROUTES
from flott.rest.shapes.driver import Errors

if TYPE_CHECKING:
    from flott.rest.routes import Route

PRIMITIVES: dict[Any, dict[str, Any]] = {
    str: {"type": "string"},
    int: {"type": "integer"},
    float: {"type": "number"},
    bool: {"type": "boolean"},
    NoneType: {"type": "null"},
}


def document() -> dict[str, Any]:
    """Return the OpenAPI document."""
    schemas: dict[str, Any] = {}
    paths: dict[str, dict[str, Any]] = {}
    for route in ROUTES:
        paths.setdefault(route.path, {})[route.method.lower()] = operation(route, schemas)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Flott",
            "version": __version__,
            "description": "Jobs of one driver, in the shapes of Flink's REST API.",
            "license": {"name": "Apache-2.0", "identifier": "Apache-2.0"},
        },
        "paths": paths,
        "components": {
            "schemas": dict(sorted(schemas.items())),
            "securitySchemes": {
                "token": {"type": "http", "scheme": "bearer"},
            },
        },
    }


def operation(route: Route, schemas: dict[str, Any]) -> dict[str, Any]:
    """Return one operation of the document; adds the shapes it uses to the schemas."""
    content = (
        {"text/plain": {"schema": {"type": "string"}}}
        if route.answer is None
        else {"application/json": {"schema": schema_of(route.answer, schemas)}}
    )
    failure = {
        "description": "What is wrong with the request.",
        "content": {"application/json": {"schema": schema_of(Errors, schemas)}},
    }
    described: dict[str, Any] = {
        "summary": route.summary,
        "operationId": operation_id(route),
        "parameters": [
            *(
                {"name": name, "in": "path", "required": True, "schema": {"type": "string", "pattern": f"^{part}$"}}
                for name, part in PARTS.items()
                if f"{{{name}}}" in route.path
            ),
            *(
                {"name": name, "in": "query", "required": False, "description": text, "schema": {"type": "string"}}
                for name, text in route.query
            ),
        ],
        "responses": {
            str(route.status.value): {"description": HTTPStatus(route.status).phrase, "content": content},
            "4XX": failure,
        },
    }
    if route.body is not None:
        described["requestBody"] = {
            "required": False,
            "content": {"application/json": {"schema": schema_of(route.body, schemas)}},
        }
    described["security"] = [] if route.public else [{"token": []}]
    return described


def operation_id(route: Route) -> str:
    """Name an operation.

    >>> from flott.rest.routes import find_route
    >>> operation_id(find_route("GET", "/jobs/overview")[0])
    'get_jobs_overview'
    """
    return route.method.lower() + re.sub(r"\W+", "_", route.path).rstrip("_")


def schema_of(shape: Any, schemas: dict[str, Any]) -> dict[str, Any]:
    """Return the JSON schema of a type; typed dictionaries go to the schemas and are named.

    >>> schema_of(dict[str, int | None], {})
    {'type': 'object', 'additionalProperties': {'anyOf': [{'type': 'integer'}, {'type': 'null'}]}}
    """
    if shape in PRIMITIVES:
        return dict(PRIMITIVES[shape])
    origin = get_origin(shape)
    if origin in (Union, UnionType):
        return {"anyOf": [schema_of(one, schemas) for one in get_args(shape)]}
    if origin is list:
        return {"type": "array", "items": schema_of(get_args(shape)[0], schemas)}
    if origin is dict:
        return {"type": "object", "additionalProperties": schema_of(get_args(shape)[1], schemas)}
    if not is_typeddict(shape):
        raise TypeError(shape)
    if shape.__name__ not in schemas:
        schemas[shape.__name__] = {}
        hints = get_type_hints(shape)
        schemas[shape.__name__] = {
            "type": "object",
            "properties": {name: schema_of(hint, schemas) for name, hint in hints.items()},
            "required": sorted(shape.__required_keys__),
        }
        if shape.__doc__ and not shape.__doc__.startswith("dict("):
            schemas[shape.__name__]["description"] = shape.__doc__.strip().partition("\n")[0]
    return {"$ref": f"#/components/schemas/{shape.__name__}"}
