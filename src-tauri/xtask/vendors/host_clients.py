"""OpenAI's own client talks to flows that `plait-server` has published: whole and streamed, with tools, over several turns, and its errors.

Usage: host_clients.py PLAIT_SERVER EXAMPLES
PLAIT_SERVER is the binary, EXAMPLES the folder with the example flows, which ask the offline provider. `cargo xtask test --only vendors` runs this.
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import openai

FLOWS = {"hello": "hello.flow.json", "chat": "chat-loop.flow.json"}


def expect(what, is_so):
    if not is_so:
        raise SystemExit(f"not so: {what}")
    print(what)


def user(text):
    return {"role": "user", "content": text}


def refused_with(error, call):
    try:
        call()
    except error as refused:
        return refused
    raise SystemExit(f"no {error.__name__}")


def talk(client, stranger):
    models = [model.id for model in client.models.list()]
    expect("published flows are models", models == sorted(FLOWS))
    expect("one of them is found by its name", client.models.retrieve("chat").owned_by == "plait")

    whole = client.chat.completions.create(model="hello", messages=[user("Hi")])
    reply = whole.choices[0]
    expect("a flow replies", "Hi" in reply.message.content and reply.finish_reason == "stop")
    expect("its usage is counted", whole.usage.total_tokens == whole.usage.prompt_tokens + whole.usage.completion_tokens > 0)

    parts = list(client.chat.completions.create(model="hello", messages=[user("Hi")], stream=True, stream_options={"include_usage": True}))
    texts = [part.choices[0].delta.content for part in parts if part.choices and part.choices[0].delta.content]
    expect("the same is streamed in parts", len(texts) > 1 and "".join(texts) == reply.message.content)
    expect("a stream ends with its usage", parts[-1].usage.total_tokens > 0)

    said = [user("Hello")]
    first = client.chat.completions.create(model="chat", messages=said).choices[0].message
    said += [{"role": "assistant", "content": first.content}, user("What is 23 times 17?")]
    with client.chat.completions.stream(model="chat", messages=said) as stream:
        second = stream.get_final_completion().choices[0].message.content
    expect("a flow calls its tools in a stream", "391" in second)

    refused = refused_with(openai.NotFoundError, lambda: client.chat.completions.create(model="none", messages=said))
    expect("an unknown flow is not found", refused.code == "published.unknown")
    refused = refused_with(openai.BadRequestError, lambda: client.chat.completions.create(model="chat", messages=[{"role": "system", "content": "x"}, *said]))
    expect("instructions are the flow's", refused.code == "chat.unsupported")
    refused = refused_with(openai.AuthenticationError, lambda: stranger.models.list())
    expect("a wrong token is refused", refused.code == "host.unauthorized")


def main():
    binary, examples = sys.argv[1], Path(sys.argv[2])
    with tempfile.TemporaryDirectory() as home:
        kept = {key: value for key, value in os.environ.items() if key in ("PATH", "LANG", "SYSTEMROOT", "TEMP", "TMP")}
        environment = {**kept, "HOME": home, "PLAIT_HOME": home, "PLAIT_KEYCHAIN": "off"}

        def execute(*args):
            return subprocess.run([binary, *args], env=environment, check=True, capture_output=True, text=True, timeout=60).stdout.strip()

        token = execute("tokens", "add", "--name", "client", "--role", "runner")
        serve = [binary, "serve", "--embedded", "--listen", "127.0.0.1:0"]
        host = subprocess.Popen(serve, env=environment, stdout=subprocess.PIPE, text=True)
        try:
            url = host.stdout.readline().strip()
            for name, file in FLOWS.items():
                execute("publish", name, str(examples / file))
            of = lambda key: openai.OpenAI(base_url=f"{url}/v1", api_key=key, max_retries=0, timeout=60)
            talk(of(token), of("plait_wrong_token"))
        finally:
            host.terminate()
            host.wait(30)


main()
