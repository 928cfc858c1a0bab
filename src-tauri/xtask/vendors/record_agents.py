"""Unmodified agent programs of three frameworks are recorded by Plait, replayed without their server, and drafted as flows.

Usage: record_agents.py PLAIT
The server is a script and ends with this. `cargo xtask test --only vendors` runs this with the packages of agents.txt.
"""

import json
import os
import subprocess
import sys
import tempfile
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

PROGRAMS = ["openai_agents", "pydantic_agent", "langgraph_agent"]
KEY = "sk-of-this-test-0123456789"
USAGE = {"prompt_tokens": 20, "completion_tokens": 5, "total_tokens": 25}


def reply_to(messages, tools):
    """A tool call, or a text that says what the last message was."""
    last = messages[-1]
    if last.get("role") == "tool" or last.get("type") == "function_call_output":
        return f"The sum is {last.get('content') or last.get('output')}.", None
    text = last["content"] if isinstance(last["content"], str) else last["content"][0]["text"]
    if tools and "plus" in text:
        return "", {"name": "add", "arguments": json.dumps({"a": 19, "b": 23})}
    return f"Done: {text}", None


class Server(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    received = []

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        Server.received.append((self.path, body))
        if self.path == "/v1/responses":
            self.respond(body, *self.response(body))
        else:
            self.respond(body, *self.completion(body))

    def completion(self, body):
        text, call = reply_to(body["messages"], body.get("tools"))
        number = len(Server.received)
        message = {"role": "assistant", "content": text}
        if call:
            message = {"role": "assistant", "content": None, "tool_calls": [{"id": f"call_{number}", "type": "function", "function": call}]}
        reason = "tool_calls" if call else "stop"
        whole = {"id": f"c{number}", "object": "chat.completion", "created": 1, "model": "scripted", "usage": USAGE,
                 "choices": [{"index": 0, "message": message, "finish_reason": reason}]}
        return whole, None

    def response(self, body):
        messages = body["input"] if isinstance(body["input"], list) else [{"role": "user", "content": body["input"]}]
        text, call = reply_to(messages, body.get("tools"))
        number = len(Server.received)
        if call:
            item = {"type": "function_call", "id": f"fc_{number}", "call_id": f"call_{number}", "status": "completed", **call}
        else:
            part = {"type": "output_text", "text": text, "annotations": []}
            item = {"type": "message", "id": f"m_{number}", "role": "assistant", "status": "completed", "content": [part]}
        usage = {"input_tokens": 20, "output_tokens": 5, "total_tokens": 25,
                 "input_tokens_details": {"cached_tokens": 0}, "output_tokens_details": {"reasoning_tokens": 0}}
        whole = {"id": f"r_{number}", "object": "response", "created_at": 1, "model": "scripted", "status": "completed",
                 "output": [item], "usage": usage, "parallel_tool_calls": True, "tool_choice": "auto", "tools": []}
        begun = {**whole, "status": "in_progress", "output": [], "usage": None}
        events = [{"type": "response.created", "response": begun}]
        if not call:
            empty = {**item, "status": "in_progress", "content": []}
            events.append({"type": "response.output_item.added", "output_index": 0, "item": empty})
            place = {"item_id": item["id"], "output_index": 0, "content_index": 0}
            events.append({"type": "response.content_part.added", **place, "part": {**part, "text": ""}})
            for word in text.split(" "):
                events.append({"type": "response.output_text.delta", **place, "delta": f"{word} ", "logprobs": []})
            events.append({"type": "response.output_text.done", **place, "text": text, "logprobs": []})
        events.append({"type": "response.output_item.done", "output_index": 0, "item": item})
        events.append({"type": "response.completed", "response": whole})
        return whole, [{**event, "sequence_number": at} for at, event in enumerate(events)]

    def respond(self, body, whole, events):
        streams = body.get("stream") and events
        text = "".join(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n" for event in events) if streams else json.dumps(whole)
        self.send_response(200)
        self.send_header("content-type", "text/event-stream" if streams else "application/json")
        self.send_header("content-length", str(len(text.encode())))
        self.end_headers()
        self.wfile.write(text.encode())

    def log_message(self, *_):
        pass


def run(home, arguments, expected=0):
    environment = {**os.environ, "PLAIT_HOME": home, "PLAIT_KEYCHAIN": "off", "NO_COLOR": "1", "OPENAI_API_KEY": KEY}
    done = subprocess.run(arguments, env=environment, capture_output=True, text=True)
    assert done.returncode == expected, f"{arguments}: {done.returncode}\n{done.stdout}\n{done.stderr}"
    return done


def judge(plait, program, url):
    with tempfile.TemporaryDirectory() as home:
        script = Path(__file__).parent / "agents" / f"{program}.py"
        command = ["--", sys.executable, str(script)]
        before = len(Server.received)
        recorded = run(home, [plait, "record", "--upstream", f"openai={url}", *command])
        sent = len(Server.received) - before
        assert sent > 2, f"{program} sent {sent} requests"
        [record] = json.loads(run(home, [plait, "runs", "list", "--json"]).stdout)
        identity = record["run"]
        assert record["status"] == "finished" and "program" in record, record
        replayed = run(home, [plait, "record", "--replay", identity, *command])
        assert replayed.stdout == recorded.stdout, f"{program}:\n{recorded.stdout}\n{replayed.stdout}"
        assert "not_recorded" not in replayed.stderr, replayed.stderr
        assert len(Server.received) - before == sent, "the replay asked the server"
        prompts = run(home, [plait, "lens", "show", identity, "--json"]).stdout.splitlines()
        assert len(prompts) == sent, prompts
        draft = str(Path(home) / "draft.flow.json")
        run(home, [plait, "runs", "draft", identity, "-o", draft])
        checked = json.loads(run(home, [plait, "check", draft, "--json"]).stdout)
        errors = [found for found in checked["diagnostics"] if found["severity"] == "error"]
        assert not errors, errors
        nodes = json.loads(Path(draft).read_text())["nodes"]
        assert any(node["type"] == "tools" for node in nodes.values()), nodes
        stored = "".join(path.read_bytes().decode("utf-8", "replace") for path in Path(home).rglob("*") if path.is_file())
        assert KEY not in stored, "the key is stored"
        run(home, [plait, "replay", identity])
        assert len(Server.received) - before == sent, "the replay of the run asked the server"
        print(f"{program}: {sent} calls recorded, replayed byte for byte, drafted as {len(nodes)} nodes")


def main():
    server = ThreadingHTTPServer(("127.0.0.1", 0), Server)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    for program in PROGRAMS:
        judge(sys.argv[1], program, f"http://127.0.0.1:{server.server_address[1]}/v1")


main()
