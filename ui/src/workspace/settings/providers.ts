/** The model providers as the host sees them: their keys, which run on this machine, which models they offer. */
import { createStore, type StoreApi } from "zustand/vanilla";
import type { DetectedServer, ProviderPreset, ProviderSettings, ProviderStatus, ProvidersStatus } from "@/bindings";
import { type Host, HostError } from "@/ipc";
import type { SettingsStore } from "./settings";

export type Providers = {
  status?: ProvidersStatus;
  /** Why there is no status. */
  problem?: HostError;
  found: readonly DetectedServer[];
  /** Ready-made settings for known services. */
  presets: readonly ProviderPreset[];
  /** Whether a search for servers on this machine is under way. */
  searching: boolean;
  /** The known models by provider. */
  models: Readonly<Record<string, readonly string[]>>;
};

export class ProviderStore {
  readonly store: StoreApi<Providers> = createStore<Providers>(() => ({
    found: [],
    presets: [],
    searching: false,
    models: {},
  }));

  constructor(
    readonly host: Host,
    readonly settings: SettingsStore,
  ) {}

  /** Reads the status of all providers. */
  async refresh(): Promise<void> {
    try {
      this.store.setState({ status: await this.host.call("provider.status", {}), problem: undefined });
    } catch (thrown) {
      this.store.setState({ problem: HostError.from(thrown) });
    }
  }

  /** Loads the ready-made settings, once. Without them, every server can still be added by hand. */
  async fetchPresets(): Promise<void> {
    if (this.store.getState().presets.length > 0) return;
    const presets = await this.host.call("provider.presets", {}).catch(() => []);
    this.store.setState({ presets });
  }

  /** Searches this machine for model servers. Finding none is not an error. */
  async findServers(): Promise<void> {
    if (this.store.getState().searching) return;
    this.store.setState({ searching: true });
    const found = await this.host.call("provider.detect", {}).catch(() => []);
    const models = { ...this.store.getState().models };
    for (const server of found) for (const name of server.providers) models[name] = server.models;
    this.store.setState({ found, models, searching: false });
  }

  /** Loads the models of a provider, once. The host asks each provider once a session; one that fails offers none. */
  async fetchModels(provider: string): Promise<void> {
    if (Object.hasOwn(this.store.getState().models, provider)) return;
    try {
      this.setModels(provider, (await this.host.call("provider.models", { provider })).models);
    } catch {
      // A model's name can always be typed; the settings show the provider's problem.
    }
  }

  setModels(provider: string, models: readonly string[]): void {
    this.store.setState(({ models: known }) => ({ models: { ...known, [provider]: models } }));
  }

  /** Sets, changes or (without settings) removes a provider. Rejects with the host's error, and then changes nothing. */
  async put(name: string, settings: ProviderSettings | undefined): Promise<void> {
    await this.settings.put(({ providers: { [name]: _, ...others } }) => ({
      providers: settings ? { ...others, [name]: settings } : others,
    }));
    const { [name]: __, ...models } = this.store.getState().models;
    this.store.setState({ models });
    await this.refresh();
  }

  async setKey(provider: string, key: string, keep: "stored" | "session"): Promise<void> {
    this.#setStatus(await this.host.call("provider.setKey", { provider, key, keep }));
  }

  async removeKey(provider: string): Promise<void> {
    this.#setStatus(await this.host.call("provider.removeKey", { provider }));
  }

  /** Replaces the status of one provider. Its models may be others now. */
  #setStatus(changed: ProviderStatus): void {
    const { status, models: known } = this.store.getState();
    const { [changed.name]: _, ...models } = known;
    if (!status) return;
    const providers = status.providers.map((one) => (one.name === changed.name ? changed : one));
    this.store.setState({ status: { ...status, providers }, models });
  }
}
