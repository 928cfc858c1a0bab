/** The person's settings: theme, movement, panels. Kept by the host; in the page's own storage when it cannot. */
import { create } from "zustand";
import type { Settings } from "@/bindings";
import { notify } from "@/design/notify";
import { call, HostError } from "@/ipc";

const FALLBACK_KEY = "plait.settings";
const DELAY_MS = 300;

const DEFAULTS: Settings = { theme: "system", reducedMotion: false, panels: {}, providers: {}, ui: {} };

export const settingsStore = create<Settings>(() => DEFAULTS);
export const useSettings = settingsStore;

let timer: ReturnType<typeof setTimeout> | undefined;
/** The host takes settings whole, so they go out one after another: what is sent late must not take a change back. */
let queue: Promise<unknown> = Promise.resolve();
let going = 0;

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
  timer = setTimeout(keepSettings, DELAY_MS);
}

/** Whether the host has yet to hear of a change. */
export function areSettingsOutstanding(): boolean {
  return timer !== undefined || going > 0;
}

/** Keeps now what would be kept a moment later. Resolves when the host has it all, or has refused it. */
export async function keepSettings(): Promise<void> {
  if (timer !== undefined) {
    clearTimeout(timer);
    timer = undefined;
    inTurn(() => call("settings.set", { settings: settingsStore.getState() })).catch((thrown) => {
      writeFallback(settingsStore.getState());
      notify.error(HostError.from(thrown));
    });
  }
  await queue;
}

/** Changes settings only if the host takes them; rejects with its reason. */
export async function putSettings(change: (now: Settings) => Partial<Settings>): Promise<void> {
  await inTurn(async () => {
    const now = settingsStore.getState();
    const wanted = change(now);
    const settings = await call("settings.set", { settings: { ...now, ...wanted } });
    // Changed by now or not: what was asked for here is what the host has.
    settingsStore.setState({ ...wanted, providers: settings.providers });
  });
}

function inTurn<T>(work: () => Promise<T>): Promise<T> {
  going += 1;
  const turn = queue.then(work).finally(() => {
    going -= 1;
  });
  queue = turn.catch(() => undefined);
  return turn;
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

function writeFallback(settings: Settings): void {
  try {
    localStorage.setItem(FALLBACK_KEY, JSON.stringify(settings));
  } catch {
    // That they are not kept is told anyway.
  }
}
