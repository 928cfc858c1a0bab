"""Judges every request body that the tests of the providers sent, by the vendors' own packages.

Usage: judge_requests.py DIRECTORY
The directory has a JSON file for each body: {"test", "line", "body"}. `cargo xtask test --only vendors` writes it and runs this.
Fails with each body that is refused.
"""

import collections
import json
import re
import sys
from pathlib import Path

import reply_schemas
import request_types

# Models before Claude Opus 4.7 take these fields; the package's types have them no longer.
EARLIER_CLAUDE = re.compile(r"claude-(3|2|instant|(opus|sonnet|haiku)-4(-[0-6])?(-|$))")
EARLIER_CLAUDE_FIELDS = {"temperature", "top_k", "top_p"}
# Requests that no type describes: paths by their ends.
UNJUDGED_PATHS = ("/embeddings",)
# Fields of other servers, in the messages of chat completions.
MESSAGE_FIELDS = {"reasoning_content", "reasoning", "reasoning_details"}


def without_extensions(body, path):
    if "/v1/messages" in path and EARLIER_CLAUDE.match(body["model"]):
        body = {key: value for key, value in body.items() if key not in EARLIER_CLAUDE_FIELDS}
    if "/chat/completions" in path:
        known = lambda message: {key: value for key, value in message.items() if key not in MESSAGE_FIELDS}
        body["messages"] = [known(message) for message in body["messages"]]
    return body


def main():
    judged, rules, refused = collections.Counter(), collections.Counter(), []
    for file in sorted(Path(sys.argv[1]).glob("*.json")):
        sent = json.loads(file.read_text())
        path = sent["line"].split(" ", 1)[1]
        part = next((part for part in request_types.JUDGES if part in path), None)
        if part is None:
            if not path.split("?")[0].endswith(UNJUDGED_PATHS):
                refused.append(f"{sent['test']}: {sent['line']}\n    no judge knows this path")
            continue
        try:
            request_types.JUDGES[part](without_extensions(sent["body"], path))
            judged[part] += 1
            rule = reply_schemas.check(sent["body"])
            if rule:
                rules[rule] += 1
        except (ValueError, TypeError, AssertionError) as error:
            refused.append(f"{sent['test']}: {sent['line']}\n    {str(error)[:1500]}\n    {json.dumps(sent['body'])[:1500]}")
    for text in refused:
        print(text)
    print(f"{sum(judged.values())} request bodies accepted: {dict(judged)}")
    print(f"schemas of replies accepted: {dict(rules)}")
    missing = [part for part in request_types.JUDGES if not judged[part]]
    if missing:
        print(f"no request for {missing}: run the tests of the providers first")
    if refused:
        print(f"{len(refused)} refused")
    sys.exit(1 if refused or missing else 0)


main()
