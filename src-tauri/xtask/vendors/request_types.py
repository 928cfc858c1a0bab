"""The vendors' own types of a request, as strict judges: unknown keys and wrong types are refused at any depth."""

import json
import typing

import httpx  # noqa: F401  Imported before `typing` is changed.
import pydantic

# The packages declare lists as `Iterable`, whose items pydantic checks only when somebody iterates.
iterable = typing.Iterable
typing.Iterable = typing.List
import anthropic  # noqa: E402
import openai  # noqa: E402
from anthropic.types import message_create_params as messages  # noqa: E402
from openai.types.chat import completion_create_params as chat  # noqa: E402
from openai.types.responses import response_create_params as responses  # noqa: E402

typing.Iterable = iterable
import ollama._types as ollama_types  # noqa: E402
from google.genai import types as gemini_types  # noqa: E402
from google.genai._gaos.types import basemodel as interactions_base  # noqa: E402
from google.genai._gaos.types.interactions import createmodelinteraction as interactions  # noqa: E402

STRICT = pydantic.ConfigDict(extra="forbid", strict=True, arbitrary_types_allowed=True)


def refuse_unknown_keys(base):
    """The types of replies may stand in requests, and would accept any key."""
    for model in base.__subclasses__():
        model.model_config = {**model.model_config, "extra": "forbid"}
        model.__pydantic_complete__ = False
        refuse_unknown_keys(model)


def typed_dict(kind):
    kind.__pydantic_config__ = STRICT
    adapter = pydantic.TypeAdapter(kind)
    return lambda body: adapter.validate_json(json.dumps(body))


class GeminiRequest(gemini_types._common.BaseModel):
    """The body of `generateContent`, of the package's types: the package itself has it only as arguments."""

    contents: list[gemini_types.Content]
    system_instruction: typing.Optional[gemini_types.Content] = None
    tools: typing.Optional[list[gemini_types.Tool]] = None
    tool_config: typing.Optional[gemini_types.ToolConfig] = None
    safety_settings: typing.Optional[list[gemini_types.SafetySetting]] = None
    generation_config: typing.Optional[gemini_types.GenerationConfig] = None
    cached_content: typing.Optional[str] = None


def lost_keys(sent, read, path=""):
    """The keys of `sent` that a type has dropped."""
    if isinstance(sent, dict) and isinstance(read, dict):
        for key, value in sent.items():
            if key not in read:
                yield f"{path}.{key}: unknown key"
            else:
                yield from lost_keys(value, read[key], f"{path}.{key}")
    elif isinstance(sent, list) and isinstance(read, list):
        for at, (value, other) in enumerate(zip(sent, read)):
            yield from lost_keys(value, other, f"{path}.{at}")


def interaction(body):
    """The package's types keep what they don't know, so it is looked for in what they have read."""
    read = interactions.CreateModelInteraction.model_validate_json(json.dumps(body))
    unknown = [problem for value, path in models_in(read) for problem in unknown_parts(value, path)]
    unknown += lost_keys(body, json.loads(read.model_dump_json(by_alias=True, exclude_unset=True)))
    if unknown:
        raise ValueError("; ".join(unknown))


def models_in(value, path=""):
    """Each model within a value, with its path."""
    if isinstance(value, interactions_base.BaseModel):
        yield value, path
        for name in type(value).model_fields:
            yield from models_in(getattr(value, name), f"{path}.{name}")
    elif isinstance(value, (list, tuple)):
        for at, one in enumerate(value):
            yield from models_in(one, f"{path}.{at}")


def unknown_parts(model, path):
    if getattr(model, "is_unknown", False):
        yield f"{path}: unknown type"
    for key in model.model_extra or {}:
        yield f"{path}.{key}: unknown key"


# Go's own API has these; the Python package has not got them yet:
# https://github.com/ollama/ollama/blob/main/api/types.go (Message.ToolCallID, ToolCall.ID)
OLLAMA_NEWER_KEYS = {"tool_call_id", "id"}
# A schema is of JSON Schema's types, not of Ollama's.
OLLAMA_FREE_KEYS = {"properties", "additionalProperties"}


def ollama_request(body):
    message = ollama_types.Message
    lost = []
    for at, message_sent in enumerate(body.get("messages", [])):
        # The package wraps an image, which is a text on the wire.
        sent = {**message_sent, "images": [{"value": image} for image in message_sent.get("images", [])]}
        read = message.model_validate(sent).model_dump(exclude_unset=True)
        lost += lost_keys(sent, read, f"messages.{at}")
    read = ollama_types.ChatRequest.model_validate(body).model_dump(exclude_unset=True, by_alias=True)
    lost += lost_keys({key: value for key, value in body.items() if key != "messages"}, read)
    lost = [
        one
        for one in lost
        if one.split(":")[0].rsplit(".", 1)[-1] not in OLLAMA_NEWER_KEYS
        and not OLLAMA_FREE_KEYS & set(one.split(":")[0].split("."))
    ]
    if lost:
        raise ValueError("; ".join(lost))


for package in (anthropic, openai):
    refuse_unknown_keys(package._models.BaseModel)

# What judges a request, by a part of its path.
JUDGES = {
    "/chat/completions": typed_dict(chat.CompletionCreateParamsStreaming),
    "/responses": typed_dict(responses.ResponseCreateParamsStreaming),
    "/v1/messages": typed_dict(messages.MessageCreateParamsStreaming),
    ":streamGenerateContent": lambda body: GeminiRequest.model_validate_json(json.dumps(body)),
    "/v1beta/interactions": interaction,
    "/api/chat": ollama_request,
}
