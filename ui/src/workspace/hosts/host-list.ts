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

  constructor(readonly host: Host) {}

  /** Reads the list and asks each host what it is. */
  async load(): Promise<void> {
    try {
      const list = await this.host.call("hosts.list", {});
      this.store.setState({ list, error: undefined });
      await Promise.all(list.map(({ name }) => this.#ask(name)));
    } catch (thrown) {
      this.store.setState({ error: HostError.from(thrown) });
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

  async #ask(name: string): Promise<void> {
    this.#answered(name, {});
    try {
      this.#answered(name, { info: await this.host.on(name).call("host.about", {}) });
    } catch (thrown) {
      this.#answered(name, { error: HostError.from(thrown) });
    }
  }

  #answered(name: string, answer: HostAnswer): void {
    this.store.setState(({ answers }) => ({ answers: { ...answers, [name]: answer } }));
  }
}
