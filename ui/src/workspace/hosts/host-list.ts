/** The hosts that this machine works with, and how each of them answers. */
import { createStore, type StoreApi } from "zustand/vanilla";
import type { HostInfo, ListedHost } from "@/bindings";
import { type Host, HostError } from "@/ipc/host";

/** How a host answers: nothing while it is asked. */
export type HostAnswer = { info?: HostInfo; error?: HostError };

export type Hosts = {
  /** Unknown until it has been read. */
  list?: readonly ListedHost[];
  /** Why the list cannot be read. */
  error?: HostError;
  answers: Readonly<Record<string, HostAnswer>>;
};

export class HostList {
  readonly store: StoreApi<Hosts> = createStore<Hosts>(() => ({ answers: {} }));

  /** Counts the readings: what an earlier one learns late, such as that a former token is refused, is not kept. */
  #reading = 0;

  constructor(readonly host: Host) {}

  /** Reads the list and asks each host what it is. */
  async load(): Promise<void> {
    this.#reading += 1;
    const reading = this.#reading;
    const isLatest = () => reading === this.#reading;
    try {
      const list = await this.host.call("hosts.list", {});
      if (!isLatest()) return;
      this.store.setState({ list, error: undefined });
      await Promise.all(list.map(({ name }) => this.#ask(name, isLatest)));
    } catch (thrown) {
      if (isLatest()) this.store.setState({ error: HostError.from(thrown) });
    }
  }

  /** Adds a host, or gives it another address or token. Rejects with the host's error. */
  async add(name: string, url: string, token: string): Promise<void> {
    await this.host.call("hosts.add", { name, url, token });
    await this.load();
  }

  async remove(name: string): Promise<void> {
    await this.host.call("hosts.remove", { name });
    await this.load();
  }

  async #ask(name: string, isLatest: () => boolean): Promise<void> {
    this.#answered(name, {});
    const asked = this.host.on(name).call("host.about", {});
    const answer = await asked.then(
      (info): HostAnswer => ({ info }),
      (thrown): HostAnswer => ({ error: HostError.from(thrown) }),
    );
    if (isLatest()) this.#answered(name, answer);
  }

  #answered(name: string, answer: HostAnswer): void {
    this.store.setState(({ answers }) => ({ answers: { ...answers, [name]: answer } }));
  }
}
