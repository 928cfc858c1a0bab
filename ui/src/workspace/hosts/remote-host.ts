/** The host of another machine that a window belongs to: what it is, what its token may do there, and whether it answers. */
import type { StoreApi } from "zustand/vanilla";
import type { HostInfo, RunId } from "@/bindings";
import { type CommandName, type Host, HostError } from "@/ipc/host";

export type Remote = {
  /** Unknown until it has answered, and of a host that is too old to say it. */
  info?: HostInfo;
  /** The names of its model providers. */
  providers?: readonly string[];
  /** Why it does not answer now. */
  lost?: HostError;
  /** Why it does not say what it is. */
  problem?: HostError;
};

/** How long until a host that answers, but did not say what it is, is asked again, in milliseconds. */
const RETRY_DELAY = 2000;

export class RemoteHost {
  /** Whether what it said it is holds still. Not once it was away: it may have another version, or the token another role. */
  #isKnown = false;
  #retry: ReturnType<typeof setTimeout> | undefined;

  constructor(
    readonly store: StoreApi<Remote>,
    readonly host: Host,
    /** Its name in the list of hosts. */
    readonly name: string,
    /** It answers again after it did not. */
    readonly onBack: () => void,
  ) {}

  /** Keeps the state current until the returned function is called. */
  follow(): () => void {
    const end = this.host.watchRuns(
      () => void this.#answers(),
      (lost) => this.store.setState({ lost }),
    );
    return () => {
      end();
      clearTimeout(this.#retry);
    };
  }

  async #answers(): Promise<void> {
    if (this.store.getState().lost) {
      this.store.setState({ lost: undefined });
      this.#isKnown = false;
      this.onBack();
    }
    if (!this.#isKnown) await this.#ask();
  }

  async #ask(): Promise<void> {
    this.#isKnown = true;
    clearTimeout(this.#retry);
    try {
      this.store.setState({ info: await this.host.call("host.about", {}), problem: undefined });
      this.store.setState({ providers: (await this.host.call("app.info", {})).providers });
    } catch (thrown) {
      const problem = HostError.from(thrown);
      this.store.setState({ problem });
      // A host that is too old to say it stays so.
      if (problem.code === "command.unknown") return;
      this.#isKnown = false;
      this.#retry = setTimeout(() => {
        // One that is lost is asked once it is back.
        if (!this.store.getState().lost) void this.#ask();
      }, RETRY_DELAY);
    }
  }

  /** Whether the token may execute a command there. What is unknown is left to the host, which says why not. */
  may(command: CommandName): boolean {
    return this.store.getState().info?.commands.includes(command) ?? true;
  }

  /** Copies a run to this machine, and shows it in a window of this machine. */
  async bringHome(run: RunId): Promise<void> {
    const pulled = await this.host.call("hosts.pull", { host: this.name, run });
    await this.host.newWindow({ run: pulled.run });
  }
}
