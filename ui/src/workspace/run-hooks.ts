/**
 * Hooks for the parts of the run that the window shows, for its forecast and its conversation. A component renders again only
 * when the part it reads changes.
 */
import { useCallback, useRef, useSyncExternalStore } from "react";
import { useStore } from "zustand";
import type {
  ContextId,
  ConversationRecord,
  Edge,
  EdgeId,
  Epoch,
  Flow,
  FlowForecast,
  NodeForecast,
  NodeId,
  PortKind,
  PortName,
  StopView,
} from "@/bindings";
import { isInBody } from "@/flow/containers/containers";
import { displayedFlow } from "@/flow/document/flow-state";
import type { RunState } from "@/run/control/document-sessions";
import type { Conversations } from "@/run/conversations/conversation-list";
import { chosenStop } from "@/run/debug/stops";
import { displayedEpoch, epochKey, epochOf, latestWithin } from "@/run/fold/epoch";
import type { ContextView, EpochView, NodeView, OpenPause, RunHead } from "@/run/fold/types";
import type { Runs } from "@/run/list/run-list";
import type { RunPart } from "@/run/live/active-run";
import type { PastRun, ShownRun } from "@/run/live/past-run";
import type { RunSession } from "@/run/live/session";
import { type EdgeRun, passingIn, passingOf, peekOf } from "@/run/nodes/element-views";
import { type LoopProgress, loopProgress } from "@/run/nodes/loop-iterations";
import { edgesOf, type OriginPath, pathTo } from "@/run/nodes/origins";
import { valuesFrom } from "@/run/values/inputs";
import { useFlow, useWorkspace } from "./context";

type Listener = () => void;

const identity = <T>(value: T) => value;

/** What `read` returns of the active run. It must return the same value as long as nothing changed. */
function usePart<T>(part: RunPart, read: () => T): T {
  const { activeRun } = useWorkspace();
  const subscribe = useCallback((listener: Listener) => activeRun.onPart(part, listener), [activeRun, part]);
  return useSyncExternalStore(subscribe, read);
}

/** The active run as it is now, for what can be done with it. */
export function useActiveSession(): RunSession | undefined {
  return useSessionValue(identity<RunSession | undefined>);
}

/** The active run as the window shows it: as it is, or as it was. */
export function useShownRun(): ShownRun | undefined {
  const { activeRun } = useWorkspace();
  return usePart("session", () => activeRun.shown);
}

/** The active run as it was, while a person looks at its past. */
export function usePastRun(): PastRun | undefined {
  const { activeRun } = useWorkspace();
  return usePart("session", () => activeRun.past);
}

/** What a selector returns of the active session. It must return the same object while nothing changed. */
export function useSessionValue<T>(select: (session: RunSession | undefined) => T): T {
  const { activeRun } = useWorkspace();
  return usePart("session", () => select(activeRun.session));
}

/** Whether the active run is interrupted: its process died. */
export function useInterrupted(): boolean {
  return useSessionValue((session) => session?.interrupted === true);
}

/** Whether the active run is what a recorded program did, which its first event says. */
export function useObserved(): boolean {
  const { activeRun } = useWorkspace();
  return usePart("head", () => activeRun.session?.isObserved === true);
}

/** Where the run that is shown stands still; of several stops, the one that the person looks at. */
export function useStop(): StopView | undefined {
  const { runs } = useWorkspace();
  const run = useShownRun()?.run;
  const stops = useRunHead((head) => head.stops);
  return useStore(runs.debugger.choice, ({ chosen }) => chosenStop(run, stops, chosen));
}

/** A part of the head of the active run as the window shows it. The selector must return the same object while nothing changed. */
export function useRunHead<T>(select: (head: RunHead) => T): T {
  const { activeRun } = useWorkspace();
  return usePart("head", () => select(activeRun.head));
}

/** As `useRunHead`, of the run as it is now. */
export function useRunHeadOfNow<T>(select: (head: RunHead) => T): T {
  const { activeRun } = useWorkspace();
  return usePart("head", () => select(activeRun.headNow));
}

/** As `useRunHead`, but never later than changes of nodes; for small components. */
export function useRunHeadNow<T>(select: (head: RunHead) => T): T {
  const { activeRun } = useWorkspace();
  return usePart("frame", () => select(activeRun.head));
}

/** What a selector returns of one node's view. It must return the same object for the same view. */
export function useNodeOf<T>(id: NodeId, select: (view: NodeView | undefined) => T): T {
  const { activeRun } = useWorkspace();
  const subscribe = useCallback((listener: Listener) => activeRun.onNode(id, listener), [activeRun, id]);
  return useSyncExternalStore(subscribe, () => select(activeRun.shown?.fold.nodes.get(id)));
}

export function useNodeView(id: NodeId): NodeView | undefined {
  return useNodeOf(id, identity<NodeView | undefined>);
}

export function useContextView(id: ContextId | undefined): ContextView | undefined {
  const { activeRun } = useWorkspace();
  const subscribe = useCallback(
    (listener: Listener) => (id === undefined ? () => undefined : activeRun.onContext(id, listener)),
    [activeRun, id],
  );
  return useSyncExternalStore(subscribe, () => (id === undefined ? undefined : activeRun.shown?.fold.contexts.get(id)));
}

/** A number that changes whenever a context of the run is created or changed. */
export function useContextsVersion(): number {
  const { activeRun } = useWorkspace();
  return usePart("contexts", () => {
    let revision = 0;
    for (const archive of activeRun.session?.log.contexts.values() ?? []) revision += archive.marks.length;
    return revision;
  });
}

/** How many events the run's journal has, also while a person looks at its past. */
export function useEventCount(): number {
  const { activeRun } = useWorkspace();
  return usePart("log", () => activeRun.session?.log.entries.length ?? 0);
}

/** Whether the run, as the window shows it, started runs of its own. */
export function useHasChildren(): boolean {
  const { activeRun } = useWorkspace();
  return usePart("log", () => activeRun.shown?.log.hasChildren === true);
}

/** The epoch of a node that is looked at, and whether a person chose it. */
export function useChosenEpoch(node: NodeId): { view?: NodeView; epoch?: EpochView; chosen: boolean } {
  const { epochChoice } = useWorkspace();
  const view = useNodeView(node);
  const choice = useStore(epochChoice.store, (choices) => epochChoice.of(node, choices));
  const chosen = epochOf(view, choice);
  const iteration = useIterationAround(node);
  // In the iteration that is looked at, the node has not run.
  if (!chosen && iteration && choice) return { view, chosen: true };
  return { view, epoch: chosen ?? epochOf(view, view?.epoch), chosen: chosen !== undefined };
}

/** The iteration chosen for the innermost loop around a node, if one was. */
export function useIterationAround(node: NodeId): Epoch | undefined {
  const { epochChoice } = useWorkspace();
  return useStore(epochChoice.store, (choices) => epochChoice.iterationAround(node, choices));
}

/** What the document's and the viewed run are, and whether one is being started. */
export function useRunState<T>(select: (state: RunState) => T): T {
  return useStore(useWorkspace().runs.store, select);
}

export function useRunList<T>(select: (runs: Runs) => T): T {
  return useStore(useWorkspace().runList.store, select);
}

type Marked = { path: OriginPath; nodes: ReadonlySet<NodeId>; edges: ReadonlySet<EdgeId> };

/** For each list of open questions, the way to the first one that is asked because of untrusted data. */
const marked = new WeakMap<readonly OpenPause[], { flow: Flow; found: Marked | undefined }>();

/** The way of untrusted data to the tool call that a person is asked about, as the canvas shows it. */
export function useUntrustedPath<T>(select: (marked: Marked | undefined) => T): T {
  const { activeRun } = useWorkspace();
  const flow = useFlow(displayedFlow);
  return useRunHead(({ pauses }) => {
    if (pauses.length === 0) return select(undefined);
    let known = marked.get(pauses);
    if (known?.flow !== flow) {
      const nodes = activeRun.shown?.fold.nodes ?? new Map();
      const path = pauses.map((pause) => pathTo(pause, nodes)).find((one) => one !== undefined);
      known = { flow, found: path && { path, nodes: path.nodes, edges: edgesOf(path, flow) } };
      marked.set(pauses, known);
    }
    return select(known.found);
  });
}

/** How many iterations of a loop have begun: of its newest execution, or of that in the iteration that is looked at. */
export function useLoopProgress(loop: NodeId): LoopProgress | undefined {
  const { activeRun, editor } = useWorkspace();
  const outer = useIterationAround(loop);
  // The execution of an iteration that was chosen stays, also when there is a newer one.
  const around = useIterationOf(loop)?.slice(0, -1) ?? outer;
  const known = useRef<LoopProgress>(undefined);
  return usePart("log", () => {
    const { shown } = activeRun;
    const next = shown && loopProgress(shown.fold.nodes, displayedFlow(editor.state), loop, around);
    const same =
      next?.count === known.current?.count && epochKey(next?.epoch ?? []) === epochKey(known.current?.epoch ?? []);
    if (!same || (next === undefined) !== (known.current === undefined)) known.current = next;
    return known.current;
  });
}

/** The iteration chosen for a loop, if one was. */
export function useIterationOf(loop: NodeId): Epoch | undefined {
  const { epochChoice } = useWorkspace();
  return useStore(epochChoice.store, (choices) => epochChoice.ofLoop(loop, choices));
}

/** What an edge carried last, and how often. */
export function useEdgeRun(id: EdgeId, kind: PortKind): EdgeRun | undefined {
  const edge = useFlow((state) => displayedFlow(state).edges[id]);
  const source = edge?.source ?? "";
  const port = edge?.sourceOutput ?? "";
  const iteration = useIterationAround(source);
  const passing = useNodeOf(source, (view) =>
    iteration ? passingIn(source, latestWithin(view, iteration), port) : passingOf(source, view, port),
  );
  const border = useBorderPeek(edge, kind);
  if (border !== undefined) return { passed: 1, peek: border };
  if (!passing || !edge) return undefined;
  return { passed: passing.passed, peek: peekOf(passing, kind) };
}

/** What an edge from the border of a loop carried into its body: its values are in no event. */
function useBorderPeek(edge: Edge | undefined, kind: PortKind): string | undefined {
  const { activeRun } = useWorkspace();
  const target = edge?.target ?? "";
  const isInner = useFlow((state) => edge !== undefined && isInBody(displayedFlow(state), target, edge.source));
  const iteration = useIterationAround(target);
  return useNodeOf(target, (view) => {
    const run = activeRun.shown?.fold;
    if (!isInner || !edge || !run) return undefined;
    const shown = iteration ? latestWithin(view, iteration) : displayedEpoch(view);
    const last = shown && valuesFrom(run, shown, edge.targetInput, edge.source).at(-1);
    return last && peekOf({ value: last.value, passed: 1 }, kind);
  });
}

/** The output that a node chose, if a person had it take this edge instead. */
export function useForcedFrom(id: EdgeId): PortName | undefined {
  const edge = useFlow((state) => displayedFlow(state).edges[id]);
  const source = edge?.source ?? "";
  const iteration = useIterationAround(source);
  return useNodeOf(source, (view) => {
    const forced = (iteration ? latestWithin(view, iteration) : view && displayedEpoch(view))?.forced;
    return forced && forced.to === edge?.sourceOutput ? forced.from : undefined;
  });
}

/** What `select` takes of the list of conversations. */
export function useConversations<T>(select: (conversations: Conversations) => T): T {
  return useStore(useWorkspace().conversations.store, select);
}

/** The conversation that the next run continues, if there is one. */
export function useCurrentConversation(): ConversationRecord | undefined {
  return useStore(useWorkspace().conversation.store, (state) => state.conversation);
}

/** What becomes of the prompts of a node. */
export function useForecast(node: NodeId): NodeForecast | undefined {
  const { forecasts } = useWorkspace();
  return useStore(forecasts.store, (forecasted) => forecasts.of(node, forecasted));
}

export function useFlowForecast(): FlowForecast | undefined {
  return useStore(useWorkspace().forecasts.store, ({ forecast }) => forecast);
}
