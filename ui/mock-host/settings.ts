import type { Settings } from "@/bindings";
import { applyMergePatch } from "@/design/json/merge-patch";
import { HostError } from "@/ipc/host";
import type { Commands } from "./commands";
import { BUILT_IN, mockProviders } from "./providers";
import { store, stored } from "./storage";

const DEFAULTS: Settings = {
  theme: "system",
  reducedMotion: false,
  panels: {},
  providers: {},
  ui: {},
};

/** The settings in force: built-in providers are always among them. */
function inForce(): Settings {
  const settings = { ...DEFAULTS, ...stored("settings", DEFAULTS) };
  return { ...settings, providers: { ...BUILT_IN, ...settings.providers } };
}

export function mockSettings(): Commands {
  return {
    ...mockProviders(inForce),
    "settings.get": inForce,
    "settings.change": ({ patch }: { patch: Record<string, unknown> }) => {
      const settings = applyMergePatch(inForce(), patch) as Settings;
      for (const [name, { kind, baseUrl }] of Object.entries(settings.providers)) {
        if (kind !== "offline" && !/^https?:\/\/[^/?#]+[^?#]*$/.test(baseUrl ?? "")) {
          throw new HostError({
            code: "provider.bad_settings",
            message: `The base URL of the provider \`${name}\` is ${baseUrl ? "wrong" : "missing"}.`,
            hint: "It looks like http://127.0.0.1:11434/v1.",
          });
        }
      }
      store("settings", settings);
      return inForce();
    },
    // Which value holds is the host's to say.
    "config.explain": () => [],
    // Four characters a token: near enough for a page without a tokenizer.
    "tokens.count": ({ text }: { text: string }) => ({ tokens: Math.ceil(text.length / 4), window: 128_000 }),
    "app.info": () => ({
      version: "0.1.0",
      home: "this browser",
      providers: Object.keys(inForce().providers).sort(),
      offlineOnly: Object.keys(stored("settings", DEFAULTS).providers).length === 0,
      sessionId: "mock",
    }),
  };
}
