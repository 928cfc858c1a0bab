/** Keeps a draft of a dirty document with the host, so that a crash costs at most the last second. */
import { call } from "@/ipc";
import { type FlowState, flowStore, isDirty } from "./store";

const DELAY_MS = 1000;

/** Keys for which the host holds a draft. */
const held = new Set<string>();
/** Writes and drops go out one after another: a late write must not bring a dropped draft back. */
let queue: Promise<unknown> = Promise.resolve();
/** Runs until the draft is to be written; none where nothing is outstanding. */
let timer: ReturnType<typeof setTimeout> | undefined;

/** Says that the host holds a draft under this key, left by an earlier session. */
export function adoptDraft(key: string): void {
  held.add(key);
}

/** Forgets the draft of the document, whose owner does not want what is in it. The document itself stays as it is. */
export async function discardDraft(): Promise<void> {
  clearTimeout(timer);
  timer = undefined;
  const { key } = flowStore.getState();
  if (!held.has(key)) return;
  drop(key);
  await queue;
}

/** Brings the draft in step with the document: one where there is something to lose, else none. */
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
    // The document was put away, with its owner's leave; so is its draft.
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

/** A draft is a safety net: when it cannot be kept, saving still works and says what is wrong. */
function put({ key, path, hash, flow }: FlowState): void {
  held.add(key);
  queue = queue.then(() => call("autosave.put", { key, path, baseHash: hash, flow })).catch(() => held.delete(key));
}

function drop(key: string): void {
  held.delete(key);
  queue = queue.then(() => call("autosave.drop", { key })).catch(() => undefined);
}
