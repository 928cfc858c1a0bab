/** A host of another machine: the real `plait-server` with a data directory of its own, beside that of the window. */
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import type { Flow, OpenPause, RunId } from "../../src/bindings";
import type { Args, CommandName, Reply } from "../../src/ipc/host";
import { BINARY, FOLDER } from "./test-host";

const SERVER = join(dirname(BINARY), "plait-server");
const HOME = join(FOLDER, "served");

export class ServedHost {
  #process: ChildProcess;
  readonly url: string;

  private constructor(process: ChildProcess, url: string) {
    this.#process = process;
    this.url = url;
  }

  /** Starts a host without any data. Call once a test, after the test's own host has emptied the folder. */
  static async start(): Promise<ServedHost> {
    mkdirSync(HOME, { recursive: true });
    const { process, url } = await launch("127.0.0.1:0");
    return new ServedHost(process, url);
  }

  /** The folder with its flows. */
  static readonly flows = join(HOME, "host/flows");

  /** A new token. */
  addToken(name: string, role: "viewer" | "runner" | "editor" | "admin"): string {
    return execute(["tokens", "add", "--name", name, "--role", role]).trim();
  }

  revokeToken(name: string): void {
    execute(["tokens", "revoke", name]);
  }

  /** Calls a command with a token. */
  async call<C extends CommandName>(token: string, name: C, args: Args<C>): Promise<Reply<C>> {
    const response = await fetch(new URL(`commands/${name}`, this.url), {
      method: "POST",
      headers: { "Content-Type": "application/json", Authorization: `Bearer ${token}` },
      body: JSON.stringify(args),
    });
    const reply = await response.json();
    if (!response.ok) throw new Error(`${name}: ${JSON.stringify(reply)}`);
    return reply as Reply<C>;
  }

  /** Puts a flow into its folder and serves it. */
  async publish(token: string, name: string, flow: Flow): Promise<void> {
    const path = `${name}.flow.json`;
    await this.call(token, "flow.save", { path, flow, force: true });
    await this.call(token, "published.publish", { name, path });
  }

  /** Begins a run of a published flow that asks. Returns the run. */
  async begin(token: string, name: string): Promise<RunId> {
    const response = await fetch(new URL(`flows/${name}/runs`, this.url), {
      method: "POST",
      headers: { "Content-Type": "application/json", Authorization: `Bearer ${token}` },
      body: "{}",
    });
    if (response.status !== 202) throw new Error(await response.text());
    return ((await response.json()) as { run: RunId }).run;
  }

  /** Answers the question of the run that waits. */
  async answer(token: string, content: string): Promise<void> {
    const response = await fetch(new URL("runs?status=waiting", this.url), {
      headers: { Authorization: `Bearer ${token}` },
    });
    const { runs } = (await response.json()) as { runs: { run: RunId; questions: OpenPause[] }[] };
    const [waiting] = runs;
    const [question] = waiting?.questions ?? [];
    if (!waiting || !question) throw new Error("No run waits.");
    await this.call(token, "run.answer", {
      run: waiting.run,
      node: question.node,
      epoch: question.epoch,
      value: content,
    });
  }

  /** Ends the process as a crash does. */
  async kill(): Promise<void> {
    const exited = once(this.#process, "exit");
    if (this.#process.kill("SIGKILL")) await exited;
  }

  /** Starts it again with the same data and address. */
  async restart(): Promise<void> {
    this.#process = (await launch(new URL(this.url).host)).process;
  }
}

function environment(): NodeJS.ProcessEnv {
  const { PATH, TZ } = process.env;
  return { PATH, TZ, HOME: FOLDER, PLAIT_HOME: HOME };
}

function execute(args: string[]): string {
  return execFileSync(SERVER, args, { env: environment(), encoding: "utf8" });
}

async function launch(listen: string): Promise<{ process: ChildProcess; url: string }> {
  const host = spawn(SERVER, ["serve", "--embedded", "--listen", listen], {
    env: environment(),
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [url] = await Promise.race([
    once(createInterface(host.stdout), "line"),
    once(host, "exit").then(([code]) => Promise.reject(new Error(`${SERVER} ended with ${code}.`))),
  ]);
  return { process: host, url };
}
