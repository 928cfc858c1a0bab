"""Writes replies of the vendors' own types: what a server says about the answer is fixed, every other field of the types is
random. The same files in every run.

Usage: write_replies.py DIRECTORY
Each file is {"kind", "contentType", "body", "text", "calls"}: the stream of a provider of that kind, and what must be read from
it. `cargo xtask test --only vendors` runs this and then the test that reads the files.
"""

import datetime
import enum
import json
import random
import sys
import types
import typing
from pathlib import Path

import pydantic
from anthropic.types import raw_message_stream_event as anthropic_events
from anthropic.types.content_block import ContentBlock
from google.genai import types as gemini
from google.genai._gaos.types import interactions
from ollama._types import ChatResponse
from openai.types.chat import ChatCompletionChunk
from openai.types.responses import response_stream_event as openai_events

REPLIES = 40
MAX_DEPTH = 5
CALL = {"name": "size", "arguments": {"x": "größe", "n": 1}}
chance = random.Random(7)


def pick(kind, depth=0):
    """A random JSON value of a type."""
    origin, args = typing.get_origin(kind), typing.get_args(kind)
    if origin is typing.Annotated:
        return pick(args[0], depth)
    if origin is typing.Literal:
        return chance.choice(args)
    if origin in (typing.Union, types.UnionType):
        if depth > MAX_DEPTH and type(None) in args:
            return None
        return pick(chance.choice([one for one in args if one is not type(None) or chance.random() < 0.5] or args), depth)
    if origin in (list, tuple, typing.Sequence) or getattr(origin, "__name__", "") in ("Sequence", "Iterable"):
        return [] if depth > MAX_DEPTH else [pick(args[0], depth + 1) for _ in range(chance.randrange(3))]
    if origin is dict or getattr(origin, "__name__", "") == "Mapping":
        return {} if depth > MAX_DEPTH else {f"k{at}": pick(args[1], depth + 1) for at in range(chance.randrange(3))}
    if kind in (None, type(None), pydantic.BaseModel):
        return None
    if isinstance(kind, type) and issubclass(kind, enum.Enum):
        return chance.choice(list(kind)).value
    if isinstance(kind, type) and issubclass(kind, pydantic.BaseModel):
        return pick_model(kind, depth + 1)
    simple = {
        str: lambda: chance.choice(["", "a", "ü", "null", '"'] ),
        int: lambda: chance.choice([0, 1, 70_000]),
        float: lambda: chance.choice([0.0, 0.5, 1e9]),
        bool: lambda: chance.random() < 0.5,
        bytes: lambda: "aGk=",
        datetime.datetime: lambda: "2026-01-01T00:00:00Z",
    }
    return simple[kind]() if kind in simple else None


def pick_model(model, depth=0):
    model.model_rebuild()
    return {
        field.alias or name: pick(field.annotation, depth)
        for name, field in model.model_fields.items()
        if field.is_required() or (depth <= MAX_DEPTH and chance.random() < 0.7)
    }


def serialized(model, fixed):
    """A random instance with these fields fixed, as the package writes it. Validation fails where `pick` was wrong."""
    for _ in range(50):
        try:
            value = {**pick_model(model), **fixed}
            return json.loads(model.model_validate(value).model_dump_json(by_alias=True, exclude_unset=True))
        except (pydantic.ValidationError, KeyError, IndexError, RecursionError):
            continue
    raise SystemExit(f"no random {model.__name__}")


def sse(events, named=False):
    head = (lambda event: f"event: {event['type']}\n") if named else (lambda event: "")
    return "".join(f"{head(event)}data: {json.dumps(event)}\n\n" for event in events)


def parts(text):
    at = chance.randrange(len(text) + 1)
    return [text[:at], text[at:]]


def chat(text, call):
    def chunk(delta, reason=None, **more):
        choice = ChatCompletionChunk.model_fields["choices"].annotation.__args__[0]
        kind = choice.model_fields["delta"].annotation
        delta = serialized(kind, {"content": None, "refusal": None, "tool_calls": None, "function_call": None, **delta})
        fixed = {"index": 0, "delta": delta, "finish_reason": reason}
        return serialized(ChatCompletionChunk, {"choices": [serialized(choice, fixed)], **more})

    events = [chunk({"content": part}) for part in parts(text)]
    if call:
        function = {"name": call["name"], "arguments": json.dumps(call["arguments"])}
        events.append(chunk({"tool_calls": [{"index": 0, "id": "c1", "type": "function", "function": function}]}))
    events.append(chunk({}, chance.choice(["tool_calls", "function_call", "stop"] if call else ["stop"])))
    return sse(events) + "data: [DONE]\n\n"


def messages(text, call):
    def event(model, **fixed):
        return serialized(model, fixed)

    start = anthropic_events.RawMessageStartEvent
    message = serialized(start.model_fields["message"].annotation, {"content": [], "stop_reason": None})
    events = [event(start, type="message_start", message=message)]
    blocks = [one for one in typing.get_args(typing.get_args(ContentBlock)[0])]
    # Blocks of the vendor's own tools, whose calls are none of Plait's.
    others = [one for one in blocks if one.__name__ not in ("TextBlock", "ToolUseBlock", "ThinkingBlock", "RedactedThinkingBlock")]
    at = 0

    def block(content, *deltas):
        nonlocal at
        events.append({"type": "content_block_start", "index": at, "content_block": content})
        events.extend({"type": "content_block_delta", "index": at, "delta": delta} for delta in deltas)
        events.append({"type": "content_block_stop", "index": at})
        at += 1

    block(serialized(chance.choice(others), {}))
    block({"type": "text", "text": ""}, *({"type": "text_delta", "text": part} for part in parts(text)))
    if call:
        written = json.dumps(call["arguments"])
        deltas = [{"type": "input_json_delta", "partial_json": part} for part in parts(written)]
        block({"type": "tool_use", "id": "c1", "name": call["name"], "input": {}}, *deltas)
    end = anthropic_events.RawMessageDeltaEvent
    reason = "tool_use" if call else chance.choice(["end_turn", "stop_sequence"])
    delta = serialized(end.model_fields["delta"].annotation, {"stop_reason": reason})
    events.append(event(end, type="message_delta", delta=delta))
    events.append({"type": "message_stop"})
    return sse(events, named=True)


def responses(text, call):
    union = typing.get_args(typing.get_args(openai_events.ResponseStreamEvent)[0])
    kinds = {one.model_fields["type"].annotation.__args__[0]: one for one in union}
    # Events that say nothing about text, calls, reasoning or the end of the reply.
    other = [name for name in kinds if any(part in name for part in ("audio", "image_gen", "search", "mcp", "code_interpreter"))]
    noise = lambda: serialized(kinds[chance.choice(other)], {})
    item = {"type": "message", "id": "m1", "role": "assistant", "status": "completed"}
    content = [{"type": "output_text", "text": text, "annotations": []}]
    output = [{**item, "content": content}]
    events = [{"type": "response.output_item.added", "output_index": 0, "item": {**item, "content": []}}, noise()]
    for part in parts(text):
        fixed = {"type": "response.output_text.delta", "item_id": "m1", "output_index": 0, "content_index": 0, "delta": part}
        events += [serialized(kinds["response.output_text.delta"], fixed), noise()]
    events.append({"type": "response.output_item.done", "output_index": 0, "item": output[0]})
    if call:
        arguments = json.dumps(call["arguments"])
        done = {"type": "function_call", "id": "f1", "call_id": "c1", "name": call["name"], "arguments": arguments, "status": "completed"}
        events.append({"type": "response.output_item.added", "output_index": 1, "item": {**done, "arguments": ""}})
        events.append({"type": "response.output_item.done", "output_index": 1, "item": done})
        output.append(done)
    end = kinds["response.completed"]
    fixed = {"output": output, "status": "completed", "error": None, "incomplete_details": None, "id": "r1"}
    response = serialized(end.model_fields["response"].annotation, fixed)
    events.append({"type": "response.completed", "sequence_number": 9, "response": response})
    return sse(events, named=True)


def generate_content(text, call):
    def event(written, reason=None):
        content = {"role": "model", "parts": written}
        fixed = {"content": content, "index": 0, "finishReason": reason}
        candidate = serialized(gemini.Candidate, {key: value for key, value in fixed.items() if value is not None})
        if reason is None:
            candidate.pop("finishReason", None)
        return serialized(gemini.GenerateContentResponse, {
            "candidates": [candidate], "promptFeedback": None, "automaticFunctionCallingHistory": None, "parsed": None,
            "sdkHttpResponse": None,
        })  # fmt: skip

    events = [event([{"text": part}]) for part in parts(text)]
    if call:
        events.append(event([{"functionCall": {"name": call["name"], "args": call["arguments"]}}]))
    events.append(event([], "STOP"))
    return sse(events)


def interaction(text, call):
    usage = lambda: serialized(interactions.Usage, {})
    noise = lambda at: [
        serialized(interactions.StepStart, {"index": at, "step": serialized(interactions.GoogleSearchCallStep, {}), "event_type": "step.start"}),
        serialized(interactions.StepStop, {"index": at, "event_type": "step.stop"}),
    ]
    state = lambda kind, status: serialized(kind, {
        "interaction": {"id": "i1", "status": status, "usage": usage()}, "event_type": kind.model_fields["event_type"].default,
    })  # fmt: skip
    events = [state(interactions.InteractionCreatedEvent, "in_progress"), *noise(0)]
    events.append({"event_type": "step.start", "index": 1, "step": {"type": "model_output"}})
    for part in parts(text):
        delta = {"type": "text", "text": part}
        events.append(serialized(interactions.StepDelta, {"index": 1, "delta": delta, "event_type": "step.delta"}))
    events += [{"event_type": "step.stop", "index": 1}, *noise(2)]
    if call:
        step = {"type": "function_call", "id": "c1", "name": call["name"], "arguments": {}}
        events.append({"event_type": "step.start", "index": 3, "step": step})
        for part in parts(json.dumps(call["arguments"])):
            delta = {"type": "arguments_delta", "arguments": part}
            events.append(serialized(interactions.StepDelta, {"index": 3, "delta": delta, "event_type": "step.delta"}))
    events.append(state(interactions.InteractionCompletedEvent, "requires_action" if call else "completed"))
    return sse(events) + "event: done\ndata: [DONE]\n\n"


def ollama(text, call):
    def line(message, done):
        return json.dumps(serialized(ChatResponse, {"message": {"role": "assistant", **message}, "done": done, "done_reason": "stop" if done else None}))

    lines = [line({"content": part}, False) for part in parts(text)]
    if call:
        lines.append(line({"content": "", "tool_calls": [{"function": call}]}, False))
    return "\n".join([*lines, line({"content": ""}, True)]) + "\n"


KINDS = {
    "openAi": (chat, "text/event-stream"),
    "openAiResponses": (responses, "text/event-stream"),
    "anthropic": (messages, "text/event-stream"),
    "gemini": (generate_content, "text/event-stream"),
    "geminiInteractions": (interaction, "text/event-stream"),
    "ollama": (ollama, "application/x-ndjson"),
}


def main():
    folder = Path(sys.argv[1])
    for kind, (write, content_type) in KINDS.items():
        for number in range(REPLIES):
            text = chance.choice(["It is 42.", "Größe: 7\n\nok", 'He said "null".'])
            call = CALL if number % 3 == 0 else None
            reply = {"kind": kind, "contentType": content_type, "body": write(text, call), "text": text}
            reply["calls"] = [call] if call else []
            (folder / f"{kind}-{number:02}.json").write_text(json.dumps(reply))


main()
