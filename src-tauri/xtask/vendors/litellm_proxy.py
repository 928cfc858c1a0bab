"""A LiteLLM proxy, set up for Plait by `plait providers add` alone, answers a flow with tools in three protocols.

Usage: litellm_proxy.py PLAIT FLOW
PLAIT is the binary, FLOW a flow whose agent adds numbers with the calculator. The proxy runs on this machine, its model is a
scripted server of this script, and both end with it. `cargo xtask test --only vendors` runs this.
"""

import json
import os
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

MASTER_KEY = "sk-of-this-test"
START_SECONDS = 90
CALL = {"expression": "6*7"}
ANSWER = "It is 42."
# The kind of provider, and what its URL ends with.
PROTOCOLS = {"openai-chat": "/v1", "openai-responses": "/v1", "anthropic": ""}


class Model(BaseHTTPRequestHandler):
    """Chat completions: calls the calculator, then answers."""

    received = []

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        Model.received.append(body)
        has_result = any(message["role"] == "tool" and "42" in str(message["content"]) for message in body["messages"])
        if has_result:
            deltas = [{"role": "assistant", "content": ANSWER[:3]}, {"content": ANSWER[3:]}]
        else:
            function = {"name": "calculator", "arguments": json.dumps(CALL)}
            deltas = [{"role": "assistant", "tool_calls": [{"index": 0, "id": "call_1", "type": "function", "function": function}]}]
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.end_headers()
        reason = "stop" if has_result else "tool_calls"
        for delta, reason in [(delta, None) for delta in deltas] + [({}, reason)]:
            self.event([{"index": 0, "delta": delta, "finish_reason": reason}])
        self.event([], usage={"prompt_tokens": 20, "completion_tokens": 5, "total_tokens": 25})
        self.wfile.write(b"data: [DONE]\n\n")

    def event(self, choices, **more):
        event = {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": "scripted", "choices": choices}
        self.wfile.write(f"data: {json.dumps({**event, **more})}\n\n".encode())

    def log_message(self, *_):
        pass


def free_port():
    with ThreadingHTTPServer(("127.0.0.1", 0), BaseHTTPRequestHandler) as server:
        return server.server_address[1]


def clean_environment(home):
    """Nothing of this machine's settings and keys."""
    kept = {key: value for key, value in os.environ.items() if key in ("PATH", "LANG", "SYSTEMROOT", "TEMP", "TMP")}
    return {**kept, "HOME": str(home), "NO_PROXY": "127.0.0.1", "LITELLM_LOCAL_MODEL_COST_MAP": "True"}


def start_proxy(folder, model_port, log):
    config = {
        "model_list": [
            {
                "model_name": "scripted",
                "litellm_params": {
                    "model": "hosted_vllm/scripted",
                    "api_base": f"http://127.0.0.1:{model_port}/v1",
                    "api_key": "none",
                    "use_chat_completions_api": True,
                },
            }
        ],
        "general_settings": {"master_key": MASTER_KEY},
        "litellm_settings": {"telemetry": False},
    }
    file = folder / "config.yaml"
    file.write_text(json.dumps(config))  # JSON is YAML.
    port = free_port()
    program = Path(sys.executable).with_name("litellm")
    command = [program, "--config", file, "--host", "127.0.0.1", "--port", str(port), "--telemetry", "False"]
    process = subprocess.Popen(command, cwd=folder, env=clean_environment(folder), stdout=log, stderr=log)
    # The proxy of this environment, if there is one.
    direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    for _ in range(START_SECONDS * 4):
        if process.poll() is not None:
            break
        try:
            direct.open(f"http://127.0.0.1:{port}/health/liveliness", timeout=2)
            return process, port
        except OSError:
            time.sleep(0.25)
    process.kill()
    raise SystemExit("the proxy does not start")


def plait(binary, home, *args, input=None):
    environment = {**clean_environment(home), "PLAIT_HOME": str(home / "plait"), "LITELLM_KEY": MASTER_KEY}
    done = subprocess.run([binary, *args], env=environment, input=input, capture_output=True, text=True, timeout=120)
    if done.returncode != 0:
        raise SystemExit(f"plait {' '.join(args)}: exit code {done.returncode}\n{done.stdout}\n{done.stderr}")
    return done.stdout


def main():
    binary, flow = sys.argv[1], json.loads(Path(sys.argv[2]).read_text())
    model = ThreadingHTTPServer(("127.0.0.1", 0), Model)
    threading.Thread(target=model.serve_forever, daemon=True).start()
    with tempfile.TemporaryDirectory() as folder, open(Path(folder) / "proxy.log", "w+") as log:
        folder = Path(folder)
        proxy, port = start_proxy(folder, model.server_address[1], log)
        try:
            for kind, path in PROTOCOLS.items():
                Model.received.clear()
                url = f"http://127.0.0.1:{port}{path}"
                name = f"proxy-{kind}"
                plait(binary, folder, "providers", "add", name, "--kind", kind, "--url", url, "--key-env", "LITELLM_KEY")
                for node in flow["nodes"].values():
                    if node["type"] == "contextStart":
                        node["config"].update(provider=name, model="scripted")
                file = folder / f"{kind}.flow.json"
                file.write_text(json.dumps(flow))
                out = plait(binary, folder, "run", str(file))
                calls = Model.received
                if ANSWER not in out or len(calls) != 2:
                    raise SystemExit(f"{kind}: {len(calls)} calls reached the model, and the flow said:\n{out}")
                if not any(tool["function"]["name"] == "calculator" for tool in calls[0]["tools"]):
                    raise SystemExit(f"{kind}: the calculator was not offered")
                print(f"{kind}: a tool was called and the answer read")
        except BaseException:
            log.seek(0)
            print(log.read()[-4000:])
            raise
        finally:
            proxy.terminate()
            try:
                proxy.wait(10)
            except subprocess.TimeoutExpired:
                proxy.kill()
            model.shutdown()


main()
