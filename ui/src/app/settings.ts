/** The person's settings: theme, movement, panels. Kept by the host; in the page's own storage when it cannot. */
import { create } from "zustand";
import type { Settings } from "@/bindings";
import { call, HostError } from "@/ipc";
import { notify } from "@/look/notify";

const FALLBACK_KEY = "plait.settings";
const DELAY_MS = 300;

const DEFAULTS: Settings = { theme: "system", reducedMotion: false, panels: {}, providers: {}, ui: {} };

export const settingsStore = create<Settings>(() => DEFAULTS);
export const useSettings = settingsStore;

let timer: ReturnType<typeof setTimeout> | undefined;

export async function loadSettings(): Promise<void> {
  let settings: Partial<Settings> = {};
  try {
    settings = await call("settings.get", {});
  } catch {
    settings = readFallback();
  }
  settingsStore.setState({ ...DEFAULTS, ...settings });
}

/** Changes settings at once and keeps them a moment later. */
export function changeSettings(change: Partial<Settings>): void {
  settingsStore.setState(change);
  clearTimeout(timer);
  timer = setTimeout(() => {
    const settings = settingsStore.getState();
    call("settings.set", { settings }).catch((thrown) => {
      if (!writeFallback(settings)) notify.error(HostError.from(thrown));
    });
  }, DELAY_MS);
}

/** Changes settings only if the host takes them; rejects with its reason. */
export async function putSettings(change: Partial<Settings>): Promise<void> {
  const settings = await call("settings.set", { settings: { ...settingsStore.getState(), ...change } });
  // Changed by now or not: what was asked for here is what the host has.
  settingsStore.setState({ ...change, providers: settings.providers });
}

/** What one part of the window remembers between sessions, by name. */
export function remembered<T>(name: string): T | undefined {
  const { panels } = settingsStore.getState();
  return typeof panels === "object" && panels !== null ? ((panels as Record<string, unknown>)[name] as T) : undefined;
}

export function rememberPanel(name: string, value: unknown): void {
  const { panels } = settingsStore.getState();
  const before = typeof panels === "object" && panels !== null ? panels : {};
  changeSettings({ panels: { ...before, [name]: value } });
}

function readFallback(): Partial<Settings> {
  try {
    return JSON.parse(localStorage.getItem(FALLBACK_KEY) ?? "{}") as Partial<Settings>;
  } catch {
    return {};
  }
}

function writeFallback(settings: Settings): boolean {
  try {
    localStorage.setItem(FALLBACK_KEY, JSON.stringify(settings));
    return true;
  } catch {
    return false;
  }
}
