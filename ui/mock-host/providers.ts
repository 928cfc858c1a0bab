/**
 * Simulated model providers. Keys last as long as the page and nothing is contacted: only the simulator responds, and the
 * servers stored under `servers`.
 */
import type { DetectedServer, ProviderPreset, ProviderSettings, ProviderStatus, Settings } from "@/bindings";
import { HostError } from "@/ipc/host";
import type { Commands } from "./commands";
import { stored } from "./storage";

export const BUILT_IN: Record<string, ProviderSettings> = {
  offline: { kind: "offline" },
  ollama: { kind: "ollama", baseUrl: "http://127.0.0.1:11434" },
  openai: { kind: "openAiResponses", baseUrl: "https://api.openai.com/v1", keyEnv: "OPENAI_API_KEY" },
};

const PRESETS: readonly ProviderPreset[] = [
  {
    name: "groq",
    title: "Groq",
    settings: {
      kind: "openAi",
      baseUrl: "https://api.groq.com/openai/v1",
      keyEnv: "GROQ_API_KEY",
      quirks: { tokenLimit: "max_completion_tokens", strict: false },
    },
    source: "https://console.groq.com/docs/openai",
  },
];

/** `inForce` returns the current settings. */
export function mockProviders(inForce: () => Settings): Commands {
  const keys = new Map<string, string>();
  const servers = () => stored<DetectedServer[]>("servers", []);
  const settingsOf = (name: string): ProviderSettings => {
    const settings = inForce().providers[name];
    if (settings) return settings;
    throw new HostError({ code: "provider.unknown", message: `There is no provider \`${name}\`.` });
  };
  /** A key belongs to a provider at one host. */
  const owner = (name: string) => `${name} at ${new URL(settingsOf(name).baseUrl ?? "none:").origin}`;
  const status = (name: string): ProviderStatus => {
    const settings = settingsOf(name);
    const key = keys.get(owner(name));
    return {
      name,
      settings,
      builtIn: Object.hasOwn(BUILT_IN, name),
      changed: Object.hasOwn(BUILT_IN, name) && JSON.stringify(BUILT_IN[name]) !== JSON.stringify(settings),
      takesKey: settings.kind !== "offline",
      needsKey: settings.keyEnv !== undefined,
      key: key ? { source: "session", ...(key.length >= 16 && { ending: key.slice(-4) }) } : {},
    };
  };
  const models = (name: string): string[] => {
    if (settingsOf(name).kind === "offline") return ["echo", "prompt", "script"];
    const server = servers().find((one) => one.providers.includes(name));
    if (server) return server.models;
    throw new HostError({
      code: "provider.unreachable",
      message: `\`${name}\` can't be reached from this page: it runs without a host.`,
      hint: "Use the desktop app to test providers.",
    });
  };
  return {
    "provider.status": () => ({
      providers: Object.keys(inForce().providers).sort().map(status),
      keyPlace: { passphrase: false },
    }),
    "provider.setKey": ({ provider, key, keep }: { provider: string; key: string; keep?: string }) => {
      if (!/^[!-~]+$/.test(key.trim())) {
        throw new HostError({
          code: "keys.bad_key",
          message: "The API key contains invalid characters.",
          hint: "Look for spaces, quotes or line ends copied along.",
        });
      }
      if (keep !== "session") {
        throw new HostError({
          code: "keys.nowhere",
          message: "API keys can't be stored here.",
          hint: "Give it for the session.",
        });
      }
      keys.set(owner(provider), key.trim());
      return status(provider);
    },
    "provider.removeKey": ({ provider }: { provider: string }) => {
      keys.delete(owner(provider));
      return status(provider);
    },
    "provider.models": ({ provider }: { provider: string }) => ({ models: models(provider) }),
    "provider.test": ({ provider }: { provider: string }) => {
      try {
        return { tested: "models", tookMs: 0, models: models(provider) };
      } catch (thrown) {
        const { code, message, hint } = HostError.from(thrown);
        if (code === "provider.unknown") throw thrown;
        return { tested: "models", tookMs: 0, fault: { code, message, hint } };
      }
    },
    "provider.presets": () => PRESETS,
    "provider.detect": () => {
      const { providers } = inForce();
      return servers().map((server) => ({
        ...server,
        providers: Object.keys(providers).filter((name) => providers[name]?.baseUrl === server.settings.baseUrl),
      }));
    },
  };
}
