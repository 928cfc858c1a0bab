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

export class RemoteHost {
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
    return this.host.watchRuns(
      () => void this.#answers(),
      (lost) => this.store.setState({ lost }),
    );
  }

  async #answers(): Promise<void> {
    const { info, lost, problem } = this.store.getState();
    if (lost) {
      this.store.setState({ lost: undefined });
      this.onBack();
    }
    if (!lost && (info || problem)) return;
    try {
      this.store.setState({ info: await this.host.call("host.about", {}), problem: undefined });
      this.store.setState({ providers: (await this.host.call("app.info", {})).providers });
    } catch (thrown) {
      this.store.setState({ problem: HostError.from(thrown) });
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
