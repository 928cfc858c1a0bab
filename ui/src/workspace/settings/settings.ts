/**
 * The person's settings: theme, motion, providers, panels. The host stores them; the page's own storage is the fallback. Only
 * what changed here is sent: another window, or the terminal, may have changed the rest.
 */

import { createStore, type StoreApi } from "zustand/vanilla";
import type { AcceptDocument, GuardedDocument, Settings } from "@/bindings";
import { notify } from "@/design/dialogs/notify";
import { applyMergePatch, mergePatch } from "@/design/json/merge-patch";
import { type Host, HostError } from "@/ipc";

const FALLBACK_KEY = "plait.settings";
const SAVE_DELAY_MS = 300;

const DEFAULTS: Settings = { theme: "system", reducedMotion: false, panels: {}, providers: {}, ui: {} };

type Failure = { code: string; details?: unknown };

export class SettingsStore {
  readonly store: StoreApi<Settings> = createStore<Settings>(() => DEFAULTS);
  /** What the host has, as far as this window knows. */
  #known: Settings = DEFAULTS;
  #saveTimer: ReturnType<typeof setTimeout> | undefined;
  /** Requests go out one after another: a late one must not undo a change. */
  #queue: Promise<unknown> = Promise.resolve();
  #pendingRequests = 0;
  readonly #onAccept: (document: GuardedDocument) => void;

  /** `onAccept` is called when a person has accepted another document than the settings. */
  constructor(
    readonly host: Host,
    onAccept: (document: GuardedDocument) => void = () => undefined,
  ) {
    this.#onAccept = onAccept;
  }

  get current(): Settings {
    return this.store.getState();
  }

  /** Whether the host doesn't know all changes yet. */
  get unsaved(): boolean {
    return this.#saveTimer !== undefined || this.#pendingRequests > 0;
  }

  async load(): Promise<void> {
    let settings: Partial<Settings> = {};
    try {
      settings = await this.host.call("settings.get", {});
    } catch {
      settings = readFallback();
    }
    this.#known = { ...DEFAULTS, ...settings };
    this.store.setState(this.#known);
  }

  /** Changes settings at once and saves them a moment later. */
  change(change: Partial<Settings>): void {
    this.store.setState(change);
    clearTimeout(this.#saveTimer);
    this.#saveTimer = setTimeout(() => this.save(), SAVE_DELAY_MS);
  }

  /** Saves pending changes now. Resolves when the host has accepted or rejected all of them. */
  async save(): Promise<void> {
    if (this.#saveTimer !== undefined) {
      clearTimeout(this.#saveTimer);
      this.#saveTimer = undefined;
      this.#enqueue(() => this.#send(this.current)).catch((thrown) => {
        writeFallback(this.current);
        const error = HostError.from(thrown);
        notify.error(error, this.acceptAction(error));
      });
    }
    await this.#queue;
  }

  /** Offers to accept a file that something other than Plait wrote. Nothing for another error. */
  acceptAction({ code, details }: Failure): { label: string; run: () => void } | undefined {
    if (code !== "store.changed_outside" || !isChange(details)) return undefined;
    return { label: "Accept", run: () => void this.accept(details) };
  }

  /** Accepts what is in the file. Settings are shown, with what the person changed meanwhile, and that is saved. */
  async accept(change: AcceptDocument): Promise<void> {
    try {
      if (change.document !== "settings") {
        await this.host.call("app.acceptDocument", change);
        this.#onAccept(change.document);
        return;
      }
      await this.#enqueue(async () => {
        const before = this.#known;
        const known = { ...DEFAULTS, ...(await this.host.call("settings.accept", { hash: change.hash })) };
        const pending = mergePatch(before, this.current);
        this.#known = known;
        this.store.setState(applyMergePatch(known, pending) as Settings, true);
        await this.#send(this.current);
      });
    } catch (thrown) {
      const error = HostError.from(thrown);
      // The file may have changed once more.
      notify.error(error, this.acceptAction(error));
    }
  }

  /** Changes settings only when the host accepts them. Rejects with the host's error. */
  async put(change: (current: Settings) => Partial<Settings>): Promise<void> {
    await this.#enqueue(() => this.#send({ ...this.current, ...change(this.current) }));
  }

  /** What one part of the window stored between sessions, by name. */
  remembered<T>(name: string): T | undefined {
    const { panels } = this.current;
    return typeof panels === "object" && panels !== null ? ((panels as Record<string, unknown>)[name] as T) : undefined;
  }

  remember(name: string, value: unknown): void {
    const { panels } = this.current;
    const before = typeof panels === "object" && panels !== null ? panels : {};
    this.change({ panels: { ...before, [name]: value } });
  }

  /** Tells the host what differs from what it had, and takes over what others changed. */
  async #send(wanted: Settings): Promise<void> {
    const before = this.current;
    const patch = mergePatch(this.#known, wanted);
    if (Object.keys(patch).length === 0) return;
    this.#known = await this.host.call("settings.change", { patch });
    const meanwhile = mergePatch(before, this.current);
    this.store.setState(applyMergePatch(this.#known, meanwhile) as Settings, true);
  }

  #enqueue<T>(work: () => Promise<T>): Promise<T> {
    this.#pendingRequests += 1;
    const request = this.#queue.then(work).finally(() => {
      this.#pendingRequests -= 1;
    });
    this.#queue = request.catch(() => undefined);
    return request;
  }
}

/** Whether the details of an error say which document was changed. */
function isChange(details: unknown): details is AcceptDocument {
  return typeof details === "object" && details !== null && "document" in details && "hash" in details;
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
    // The error of the host is shown anyway.
  }
}
