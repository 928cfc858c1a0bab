/**
 * The run that the window shows, with subscriptions to its parts. An event of one node notifies only watchers of that node.
 */
import { useCallback, useSyncExternalStore } from "react";
import type { ContextId, NodeId } from "@/bindings";
import { isViewMoving } from "@/workbench/view-motion";
import { emptyHead } from "../fold/fold";
import type { ContextView, NodeView, RunHead } from "../fold/types";
import { FrameScheduler } from "./frame-scheduler";
import type { RunSession } from "./session";
import { Throttle } from "./throttle";

type Listener = () => void;

class Watchers<Key> {
  #byKey = new Map<Key, Set<Listener>>();

  add(key: Key, listener: Listener): () => void {
    let set = this.#byKey.get(key);
    if (!set) {
      set = new Set();
      this.#byKey.set(key, set);
    }
    set.add(listener);
    const mine = set;
    return () => {
      mine.delete(listener);
      if (mine.size === 0 && this.#byKey.get(key) === mine) this.#byKey.delete(key);
    };
  }

  has(key: Key): boolean {
    return this.#byKey.has(key);
  }

  wake(key: Key): void {
    const set = this.#byKey.get(key);
    if (set) for (const listener of [...set]) listener();
  }

  wakeAll(): void {
    for (const set of [...this.#byKey.values()]) for (const listener of [...set]) listener();
  }
}

/** What of a run can be watched as a whole: its head, its journal, the set of its contexts, or all of it. */
type Part = "head" | "log" | "contexts" | "frame" | "session";

const EMPTY_HEAD = emptyHead();
const nodes = new Watchers<NodeId>();
const contexts = new Watchers<ContextId>();
const parts = new Watchers<Part>();
let active: RunSession | undefined;
let head: RunHead = EMPTY_HEAD;

export function activeSession(): RunSession | undefined {
  return active;
}

/** Shows another run, or none. */
export function showSession(session: RunSession | undefined): void {
  if (active === session) return;
  active = session;
  notifiedStates.clear();
  scheduler.clear();
  head = session?.fold.head ?? EMPTY_HEAD;
  nodes.wakeAll();
  contexts.wakeAll();
  parts.wakeAll();
}

type ChangedParts = { nodes: Iterable<NodeId>; contexts: ReadonlySet<ContextId>; entries: readonly unknown[] };

/**
 * Notifies watchers of changes in the active run; ignores other runs. States, questions and the end are notified at once,
 * streams as fast as they can be drawn, counts and lists at a readable rate.
 */
export function wake(session: RunSession, changed: ChangedParts): void {
  if (session !== active) return;
  for (const node of changed.nodes) {
    const view = session.fold.nodes.get(node);
    const state = view && `${view.state} ${view.epoch.join(".")}`;
    if (state === notifiedStates.get(node)) {
      growing.nodes.add(node);
      continue;
    }
    if (state) notifiedStates.set(node, state);
    growing.nodes.delete(node);
    if (nodes.has(node)) scheduler.soon(node, () => nodes.wake(node));
  }
  for (const context of changed.contexts) growing.contexts.add(context);
  if (changed.entries.length > 0) growing.log = true;
  const before = head;
  head = session.fold.head;
  if (before !== head) {
    if (before.status !== head.status || before.pauses !== head.pauses || before.cancelling !== head.cancelling) {
      parts.wake("head");
    } else {
      growing.head = true;
    }
  }
  parts.wake("frame");
  streams.ask();
  counts.ask();
  scheduler.go();
}

/** The state and epoch of each node at its last notification. */
const notifiedStates = new Map<NodeId, string>();
/** Pending notifications of growth. */
const growing = { nodes: new Set<NodeId>(), contexts: new Set<ContextId>(), log: false, head: false };
/** Minimum interval between updates of counts and lists. */
const COUNTS_INTERVAL_MS = 60;
/** Minimum interval between updates while the canvas moves. */
const MOVING_INTERVAL_MS = 150;
/** The interval between stream updates is at least this many times their duration. */
const STREAM_DUTY_FACTOR = 3;

const scheduler = new FrameScheduler();
const streams = new Throttle(
  () => (isViewMoving() ? MOVING_INTERVAL_MS : Math.min(COUNTS_INTERVAL_MS, STREAM_DUTY_FACTOR * scheduler.growthMs)),
  () => {
    for (const node of growing.nodes) if (nodes.has(node)) scheduler.later(node, () => nodes.wake(node));
    growing.nodes.clear();
    scheduler.go();
  },
);
const counts = new Throttle(
  () => (isViewMoving() ? MOVING_INTERVAL_MS : COUNTS_INTERVAL_MS),
  () => {
    if (growing.log) scheduler.later("log", () => parts.wake("log"));
    if (growing.head) scheduler.later("head", () => parts.wake("head"));
    if (growing.contexts.size > 0) scheduler.later("contexts", notifyContexts);
    growing.log = false;
    growing.head = false;
    scheduler.go();
  },
);

function notifyContexts(): void {
  for (const context of growing.contexts) contexts.wake(context);
  growing.contexts.clear();
  parts.wake("contexts");
}

/** Says that something about the session itself changed, such as whether it is interrupted. */
export function wakeSession(session: RunSession): void {
  if (session === active) parts.wake("session");
}

/** Re-renders when `read` returns another value. `read` must be stable or cheap. */
function useWatched<T>(subscribe: (listener: Listener) => () => void, read: () => T): T {
  return useSyncExternalStore(subscribe, read);
}

const onPart = {
  head: (listener: Listener) => parts.add("head", listener),
  log: (listener: Listener) => parts.add("log", listener),
  contexts: (listener: Listener) => parts.add("contexts", listener),
  frame: (listener: Listener) => parts.add("frame", listener),
  session: (listener: Listener) => parts.add("session", listener),
};

export function useActiveSession(): RunSession | undefined {
  return useWatched(onPart.session, activeSession);
}

/** Whether the shown run is interrupted: its process died. */
export function useInterrupted(): boolean {
  return useWatched(onPart.session, () => active?.interrupted === true);
}

/** A part of the run's head. Selectors must return the same object while nothing changed. */
export function useRunHead<T>(select: (head: RunHead) => T): T {
  return useWatched(onPart.head, () => select(active?.fold.head ?? EMPTY_HEAD));
}

/** A part of one node's view. The selector must return the same object for the same view. */
export function useNodeOf<T>(id: NodeId, select: (view: NodeView | undefined) => T): T {
  const subscribe = useCallback((listener: Listener) => nodes.add(id, listener), [id]);
  return useWatched(subscribe, () => select(active?.fold.nodes.get(id)));
}

const same = <T>(value: T) => value;

export function useNodeView(id: NodeId): NodeView | undefined {
  return useNodeOf(id, same<NodeView | undefined>);
}

export function useContextView(id: ContextId | undefined): ContextView | undefined {
  const subscribe = useCallback(
    (listener: Listener) => (id === undefined ? () => undefined : contexts.add(id, listener)),
    [id],
  );
  return useWatched(subscribe, () => (id === undefined ? undefined : active?.fold.contexts.get(id)));
}

/** How many contexts the run has; changes when one is made or changed. */
export function useContextsRevision(): number {
  return useWatched(onPart.contexts, () => {
    let revision = 0;
    if (active) for (const archive of active.log.contexts.values()) revision += archive.marks.length;
    return revision;
  });
}

/** How many events of its journal the run has. */
export function useEventCount(): number {
  return useWatched(onPart.log, () => active?.log.entries.length ?? 0);
}

/** Whether the run began runs of its own. */
export function useHasChildren(): boolean {
  return useWatched(onPart.log, () => active?.log.hasChildren === true);
}

/** Calls `listener` after each frame in which something changed; for what draws itself. */
export function onFrame(listener: Listener): () => void {
  return onPart.frame(listener);
}
