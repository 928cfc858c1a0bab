"""What the vendors accept as the schema of a reply: their own transformers leave such a schema as it is, and each keyword is
one that their documentation lists."""

import copy

from anthropic.lib._parse._transform import transform_schema
from openai.lib._pydantic import _ensure_strict_json_schema

# https://platform.openai.com/docs/guides/structured-outputs#supported-schemas
OPENAI_KEYWORDS = {
    "type", "title", "description", "enum", "const", "anyOf", "properties", "required", "additionalProperties", "items",
    "$defs", "definitions", "$ref", "pattern", "format", "multipleOf", "minimum", "maximum", "exclusiveMinimum",
    "exclusiveMaximum", "minItems", "maxItems",
}  # fmt: skip
COMBINATIONS = {"anyOf", "oneOf", "allOf", "not", "enum", "const", "if", "$ref"}


def subschemas(schema):
    yield schema
    for key in ("properties", "$defs", "definitions"):
        for inner in schema.get(key, {}).values():
            yield from subschemas(inner)
    for inner in schema.get("anyOf", []):
        yield from subschemas(inner)
    if "items" in schema:
        yield from subschemas(schema["items"])


def check_openai_strict(schema):
    if schema.get("type") != "object" or "anyOf" in schema:
        raise ValueError("the root is no plain object")
    for inner in subschemas(schema):
        if not isinstance(inner, dict) or not inner:
            raise ValueError(f"{inner} is no schema with keywords")
        if unknown := inner.keys() - OPENAI_KEYWORDS:
            raise ValueError(f"not accepted: {unknown}")
        if not inner.keys() & {"type", "anyOf", "$ref"}:
            raise ValueError(f"{inner} has no type")
        if inner.get("type") == "array" and "items" not in inner:
            raise ValueError(f"{inner} has no items")
    # Keys alone: the transformer writes the names of all properties as required, in their order.
    transformed = _ensure_strict_json_schema(copy.deepcopy(schema), path=(), root=schema)
    if sorted_required(transformed) != sorted_required(schema):
        raise ValueError(f"OpenAI's package would send {transformed}")


def sorted_required(schema):
    if isinstance(schema, dict):
        return {
            key: sorted(value) if key == "required" and isinstance(value, list) else sorted_required(value)
            for key, value in schema.items()
        }
    return [sorted_required(one) for one in schema] if isinstance(schema, list) else schema


def check_object_root(schema):
    if schema.get("type") != "object" or schema.keys() & COMBINATIONS:
        raise ValueError("the root is no plain object")


def check_anthropic(schema):
    transformed = transform_schema(copy.deepcopy(schema))
    if transformed != schema:
        raise ValueError(f"Anthropic's package would send {transformed}")


def check(body):
    """Checks the schema that a request has for its reply. Returns the name of the rule, if there is one."""
    chat = body.get("response_format", {}).get("json_schema")
    text = body.get("text", {}).get("format", {})
    for openai in filter(None, (chat, text if text.get("type") == "json_schema" else None)):
        check_object_root(openai["schema"])
        if openai.get("strict"):
            check_openai_strict(openai["schema"])
            return "OpenAI, strict"
        return "OpenAI, not strict"
    output = body.get("output_config", {}).get("format")
    if output:
        check_anthropic(output["schema"])
        return "Anthropic, format"
    for tool in body.get("tools", []):
        if tool.get("name", "").startswith("give_reply"):
            check_object_root(tool["input_schema"])
            return "Anthropic, tool"
    return None
