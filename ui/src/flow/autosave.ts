/** Stores a draft of an unsaved document with the host, so that a crash loses at most one second of work. */
import { call } from "@/ipc";
import { type FlowState, flowStore, isDirty } from "./store";

const DELAY_MS = 1000;

/** Keys of the drafts the host has. */
const held = new Set<string>();
/** Writes and drops are serialized: a late write must not restore a dropped draft. */
let queue: Promise<unknown> = Promise.resolve();
/** Pending draft write. */
let timer: ReturnType<typeof setTimeout> | undefined;

/** Registers a draft that an earlier session left with the host. */
export function adoptDraft(key: string): void {
  held.add(key);
}

/** Deletes the draft of the document. The document itself stays as it is. */
export async function discardDraft(): Promise<void> {
  clearTimeout(timer);
  timer = undefined;
  const { key } = flowStore.getState();
  if (!held.has(key)) return;
  drop(key);
  await queue;
}

/** Syncs the draft with the document: writes it if there are unsaved changes, otherwise drops it. */
export function writeDraft(): void {
  clearTimeout(timer);
  timer = undefined;
  const state = flowStore.getState();
  if (isDirty(state)) put(state);
  else if (held.has(state.key)) drop(state.key);
}

/** Keeps drafts until the returned function is called, which writes what is outstanding. */
export function keepDrafts(): () => void {
  const stop = flowStore.subscribe((state, before) => {
    if (!changed(state, before)) return;
    // The document was replaced on purpose, so its draft is dropped.
    if (state.key !== before.key && held.has(before.key)) drop(before.key);
    clearTimeout(timer);
    timer = setTimeout(writeDraft, DELAY_MS);
  });
  const flush = () => {
    if (timer !== undefined) writeDraft();
  };
  const onHide = () => {
    if (document.visibilityState === "hidden") flush();
  };
  window.addEventListener("pagehide", flush);
  document.addEventListener("visibilitychange", onHide);
  return () => {
    stop();
    flush();
    window.removeEventListener("pagehide", flush);
    document.removeEventListener("visibilitychange", onHide);
  };
}

function changed(a: FlowState, b: FlowState): boolean {
  return a.flow !== b.flow || a.saved !== b.saved || a.key !== b.key;
}

/** Errors are ignored: without a draft, saving still works and reports errors. */
function put({ key, path, hash, flow }: FlowState): void {
  held.add(key);
  queue = queue.then(() => call("autosave.put", { key, path, baseHash: hash, flow })).catch(() => held.delete(key));
}

function drop(key: string): void {
  held.delete(key);
  queue = queue.then(() => call("autosave.drop", { key })).catch(() => undefined);
}
