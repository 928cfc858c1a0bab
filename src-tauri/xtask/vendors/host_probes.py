"""Schemathesis sends a host what the host's own description allows, and what a stranger would try.

No request may be answered with a server error. A token of a role gets nothing of a higher one, and no token, a wrong one, a revoked one and
one that has expired get nothing: 401, 403 or 404. An admin of another tenant gets the same for what this one has.

Usage: host_probes.py PLAIT_SERVER EXAMPLES
`cargo xtask test --only vendors` runs this.
"""

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import requests
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings

ROLES = ["viewer", "runner", "editor", "admin"]
REFUSALS = {401, 403, 404}
# Of each route: what an admin sends, and what everybody else sends.
ADMIN_CASES, OTHER_CASES = 4, 1


def cases(operation, count):
    """So many requests that the description of a route allows, the same ones each time."""
    found = []

    @settings(max_examples=count, database=None, derandomize=True, deadline=None, phases=[Phase.generate], suppress_health_check=list(HealthCheck))
    @given(case=operation.as_strategy())
    def collect(case):
        found.append(case)

    collect()
    return found


class Prober:
    def __init__(self, url):
        self.url, self.session, self.sent, self.wrong = url, requests.Session(), 0, []

    def send(self, case, token, may_answer, who):
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        response = case.call(base_url=self.url, session=self.session, headers=headers, timeout=30)
        status = response.status_code
        self.sent += 1
        if not may_answer(status):
            self.wrong.append(f"{who}: {case.method} {case.formatted_path} is answered with {status} {response.text[:300]}")


def of_another(operation, case, owned):
    """Whether the request names what another tenant has, once it is made to."""
    case.path_parameters = {name: owned.get(name, value) for name, value in (case.path_parameters or {}).items()}
    content = operation.definition.raw.get("requestBody", {}).get("content", {})
    described = content.get("application/json", {}).get("schema", {}).get("description", "")
    names_run = " run: RunId" in described
    if names_run:
        case.body = {**(case.body if isinstance(case.body, dict) else {}), "run": owned["run"]}
    elif case.path_parameters:
        # What is wrong in itself is refused (400) before anything is looked for.
        case.query = {}
        case.body = {} if content else case.body
    return names_run or any(name in owned for name in case.path_parameters)


def probe(url, tokens, strangers, other_tenant, owned):
    schema = schemathesis.openapi.from_url(f"{url}/openapi.json")
    operations = [result.ok() for result in schema.get_all_operations()]
    prober = Prober(url)
    for operation in operations:
        least = operation.definition.raw.get("x-least-role")
        if least is None:
            continue
        generated = cases(operation, ADMIN_CASES)
        lower = ROLES[: ROLES.index(least)]
        for case in generated[:OTHER_CASES]:
            for who, token in strangers.items():
                prober.send(case, token, REFUSALS.__contains__, who)
            for role in lower:
                prober.send(case, tokens[role], REFUSALS.__contains__, role)
        for case in generated:
            prober.send(case, tokens["admin"], lambda status: status < 500, "admin")
        for case in cases(operation, ADMIN_CASES):
            if of_another(operation, case, owned):
                prober.send(case, other_tenant, REFUSALS.__contains__, "an admin of another tenant")
    return len(operations), prober


def main():
    binary, examples = sys.argv[1], Path(sys.argv[2])
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as home:
        kept = {key: value for key, value in os.environ.items() if key in ("PATH", "LANG", "SYSTEMROOT", "TEMP", "TMP")}
        environment = {**kept, "HOME": home, "PLAIT_HOME": home, "PLAIT_KEYCHAIN": "off"}

        def execute(*args):
            return subprocess.run([binary, *args], env=environment, check=True, capture_output=True, text=True, timeout=60).stdout.strip()

        def add(name, role, *more):
            return execute("tokens", "add", "--name", name, "--role", role, *more)

        tokens = {role: add(role, role) for role in ROLES}
        strangers = {"nobody": None, "a wrong token": "plait_wrong_token"}
        strangers["an expired token"] = add("expired", "admin", "--expires", "1s")
        strangers["a revoked token"] = add("revoked", "admin")
        execute("tokens", "revoke", "revoked")
        execute("tenants", "add", "other")
        other_tenant = add("other", "admin", "--tenant", "other")
        serve = [binary, "serve", "--embedded", "--listen", "127.0.0.1:0", "--requests-per-minute", "1000000"]
        host = subprocess.Popen(serve, env=environment, stdout=subprocess.PIPE, text=True)
        try:
            url = host.stdout.readline().strip()
            execute("publish", "hello", str(examples / "hello.flow.json"))
            while requests.get(f"{url}/v1/models", headers={"Authorization": f"Bearer {strangers['an expired token']}"}).status_code == 200:
                time.sleep(0.1)
            begun = requests.post(f"{url}/flows/hello/runs", headers={"Authorization": f"Bearer {tokens['admin']}"}, json={})
            routes, prober = probe(url, tokens, strangers, other_tenant, {"run": begun.json()["run"], "name": "hello"})
            alive = requests.get(f"{url}/readyz").status_code == 200
        finally:
            host.terminate()
            host.wait(60)
    for wrong in prober.wrong:
        print(wrong)
    if prober.wrong or not alive:
        raise SystemExit(f"{len(prober.wrong)} of {prober.sent} answers are wrong; the host {'works' if alive else 'does not work'}")
    print(f"{routes} routes, {prober.sent} requests in {time.monotonic() - began:.0f} s: no server error, and nothing for strangers, lower roles or another tenant")


main()
