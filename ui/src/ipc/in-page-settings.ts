import type { Settings } from "@/bindings";
import type { Commands } from "./in-page";
import { store, stored } from "./in-page-storage";

const DEFAULTS: Settings = {
  theme: "system",
  reducedMotion: false,
  panels: {},
  providers: { offline: { kind: "offline" } },
  ui: {},
};

export function inPageSettings(): Commands {
  return {
    "settings.get": () => stored("settings", DEFAULTS),
    "settings.set": ({ settings }: { settings: Settings }) => {
      store("settings", settings);
      return settings;
    },
    // Four characters a token: near enough for a page without a tokenizer.
    "tokens.count": ({ text }: { text: string }) => ({ tokens: Math.ceil(text.length / 4), window: 128_000 }),
  };
}
