/** The real application behind loopback HTTP (`tests/host`): one process for each test, with a data directory of its own. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Args, CommandName, Reply } from "../../src/ipc/host";

const UI = join(import.meta.dirname, "../..");
export const BINARY = process.env.PLAIT_TEST_HOST ?? join(UI, "../target/debug/plait-test-host");
const PAGE = join(UI, "dist-browser");

/** What the tests of one worker write; emptied before each of them. A fixed place, so that paths are constants. */
export const FOLDER = join(process.env.PLAIT_E2E_FOLDER ?? "", process.env.TEST_PARALLEL_INDEX ?? "0");
/** The data directory of the host. */
export const HOME = join(FOLDER, "home");
/** Where the flows of a test are. */
export const FLOWS = join(FOLDER, "flows");

/** The path of a file beside the flows of a test. */
export const filePath = (name: string): string => join(FLOWS, name);

export class TestHost {
  #process: ChildProcess;
  /** The address of the page. */
  readonly url: string;

  private constructor(process: ChildProcess, url: string) {
    this.#process = process;
    this.url = url;
  }

  /** Starts a host without any data. */
  static async start(): Promise<TestHost> {
    rmSync(FOLDER, { recursive: true, force: true });
    mkdirSync(FLOWS, { recursive: true });
    const { host, url } = await launch(0);
    return new TestHost(host, url);
  }

  /** Ends the process as a crash does. */
  async kill(): Promise<void> {
    const exited = once(this.#process, "exit");
    if (this.#process.kill("SIGKILL")) await exited;
  }

  /** Ends the process with everything on disk, and starts another one with the same data and address. */
  async restart(): Promise<void> {
    const exited = once(this.#process, "exit");
    this.#process.stdin?.end();
    await exited;
    this.#process = (await launch(Number(new URL(this.url).port))).host;
  }

  /** Calls a command as the page does. */
  async call<C extends CommandName>(name: C, args: Args<C>): Promise<Reply<C>> {
    const response = await fetch(new URL("rpc", this.url), {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ name, args }),
    });
    const outcome = (await response.json()) as { reply: Reply<C> } | { error: { message: string } };
    if ("error" in outcome) throw new Error(`${name}: ${outcome.error.message}`);
    return outcome.reply;
  }

  /** The settings as the host has them, as JSON. */
  async settings(): Promise<string> {
    return JSON.stringify(await this.call("settings.get", {}));
  }
}

async function launch(port: number): Promise<{ host: ChildProcess; url: string }> {
  // Nothing of the person's environment: keys in it would set up providers.
  const { PATH, TZ } = process.env;
  const host = spawn(BINARY, ["--home", HOME, "--page", PAGE, "--port", String(port)], {
    env: { PATH, TZ, HOME: FOLDER },
    // Files without a folder are written here.
    cwd: FLOWS,
    stdio: ["pipe", "pipe", "inherit"],
  });
  const [url] = await Promise.race([
    once(createInterface(host.stdout), "line"),
    once(host, "exit").then(([code]) => Promise.reject(new Error(`${BINARY} ended with ${code}.`))),
  ]);
  return { host, url };
}
