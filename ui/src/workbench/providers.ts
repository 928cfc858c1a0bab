/** The model providers as the host sees them: where their keys come from, which run on this machine, what they offer. */
import { create } from "zustand";
import type { FoundServer, ProviderSettings, ProviderStatus, ProvidersStatus } from "@/bindings";
import { call, HostError } from "@/ipc";
import { putSettings } from "./settings";

type Providers = {
  status?: ProvidersStatus;
  /** Why there is no status. */
  problem?: HostError;
  found: readonly FoundServer[];
  /** Whether the machine is being searched. */
  looking: boolean;
  /** What providers offer, by provider, as far as they were asked. */
  models: Readonly<Record<string, readonly string[]>>;
};

export const providersStore = create<Providers>(() => ({ found: [], looking: false, models: {} }));
export const useProviders = providersStore;

/** Reads anew where each provider stands. */
export async function refreshProviders(): Promise<void> {
  try {
    providersStore.setState({ status: await call("provider.status", {}), problem: undefined });
  } catch (thrown) {
    providersStore.setState({ problem: HostError.from(thrown) });
  }
}

/** Looks for model servers on this machine. Finding none is nothing to speak of. */
export async function lookForServers(): Promise<void> {
  if (providersStore.getState().looking) return;
  providersStore.setState({ looking: true });
  const found = await call("provider.detect", {}).catch(() => []);
  const models = { ...providersStore.getState().models };
  for (const server of found) for (const name of server.providers) models[name] = server.models;
  providersStore.setState({ found, models, looking: false });
}

/** What a provider offers. The host asks it once a session; a provider that does not answer offers nothing. */
export async function fetchModels(provider: string): Promise<void> {
  const known = providersStore.getState().models;
  if (Object.hasOwn(known, provider)) return;
  try {
    learnModels(provider, (await call("provider.models", { provider })).models);
  } catch {
    // The name of a model can always be typed; the settings say what is wrong with the provider.
  }
}

export function learnModels(provider: string, models: readonly string[]): void {
  providersStore.setState(({ models: known }) => ({ models: { ...known, [provider]: models } }));
}

/** Sets, changes or (without settings) removes a provider. Rejects with the host's reason; nothing has changed then. */
export async function putProvider(name: string, settings: ProviderSettings | undefined): Promise<void> {
  await putSettings(({ providers: { [name]: _, ...others } }) => ({
    providers: settings ? { ...others, [name]: settings } : others,
  }));
  const { [name]: __, ...models } = providersStore.getState().models;
  providersStore.setState({ models });
  await refreshProviders();
}

export async function setKey(provider: string, key: string, keep: "stored" | "session"): Promise<void> {
  take(await call("provider.setKey", { provider, key, keep }));
}

export async function removeKey(provider: string): Promise<void> {
  take(await call("provider.removeKey", { provider }));
}

/** Takes over the new status of one provider. */
function take(changed: ProviderStatus): void {
  const { status, models: known } = providersStore.getState();
  const { [changed.name]: _, ...models } = known;
  if (!status) return;
  const providers = status.providers.map((one) => (one.name === changed.name ? changed : one));
  providersStore.setState({ status: { ...status, providers }, models });
}
