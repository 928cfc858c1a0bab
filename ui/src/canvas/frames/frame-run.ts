/** The state in a run of all that is in a folded frame. */
import { useCallback, useMemo, useSyncExternalStore } from "react";
import type { Flow, Frame, NodeId } from "@/bindings";
import { isStaleIn } from "@/canvas/cards/useElementViews";
import { withBodies } from "@/flow/containers/containers";
import { mainOf } from "@/flow/containers/frame-box";
import { displayedFlow } from "@/flow/document/flow-state";
import type { NodeView } from "@/run/fold/types";
import type { RunSession } from "@/run/live/session";
import { type NodeRunState, nodeStateOf } from "@/run/nodes/element-views";
import { useFlow, useWorkspace } from "@/workspace/context";
import { useSessionValue } from "@/workspace/run-hooks";

/** What a person has to know first comes first. */
const ORDER: readonly NodeRunState[] = [
  "failed",
  "paused",
  "retrying",
  "running",
  "ready",
  "stopped",
  "done",
  "cached",
  "skipped",
];
/** Once nothing else is going on, a frame is as done as the node that it stands for. */
const SETTLED: readonly NodeRunState[] = ["done", "cached", "skipped"];

export type FrameRun = { state: NodeRunState; node: NodeId };

/** The node with the most urgent state; of those that are over, the main one. Undefined while nothing has run. */
export function mostUrgent(states: Iterable<FrameRun>, main?: NodeId): FrameRun | undefined {
  const all = [...states];
  const first = ORDER.flatMap((state) => all.find((one) => one.state === state) ?? [])[0];
  const own = all.find(({ node }) => node === main);
  return first && own && SETTLED.includes(first.state) ? own : first;
}

/** The most urgent state of a frame's nodes and of the nodes in their bodies. Re-renders only when it changes. */
export function useFrameRun(frame: Frame): FrameRun | undefined {
  const { activeRun } = useWorkspace();
  const flow = useFlow(displayedFlow);
  const inside = useMemo(() => [...withBodies(flow, frame.nodes)], [flow, frame]);
  const subscribe = useCallback(
    (listener: () => void) => {
      const ends = inside.map((id) => activeRun.onNode(id, listener));
      return () => {
        for (const end of ends) end();
      };
    },
    [activeRun, inside],
  );
  const run = () => frameRunOf(flow, frame, activeRun.shown?.fold.nodes);
  const node = useSyncExternalStore(subscribe, () => run()?.node);
  const state = useSyncExternalStore(subscribe, () => run()?.state);
  return useMemo(() => (node === undefined || state === undefined ? undefined : { node, state }), [node, state]);
}

/** Whether what a folded frame shows of the run is in part a result of an older flow. */
export function useIsFrameStale(frame: Frame): boolean {
  const { activeRun, editor } = useWorkspace();
  const isStale = () => isFrameStaleIn(activeRun.session, displayedFlow(editor.state), frame);
  // Both say the same: one looks again when the document has changed, the other when the run has.
  useFlow(isStale);
  return useSessionValue(isStale);
}

export function isFrameStaleIn(session: RunSession | undefined, now: Flow, frame: Frame): boolean {
  // What has not run shows nothing.
  const ran = [...withBodies(now, frame.nodes)].filter((node) => session?.fold.nodes.has(node));
  return ran.some((node) => isStaleIn(session, now, node));
}

export function frameRunOf(
  flow: Flow,
  frame: Frame,
  views: ReadonlyMap<NodeId, NodeView> | undefined,
): FrameRun | undefined {
  const runs = [...withBodies(flow, frame.nodes)].flatMap((node) => {
    const view = views?.get(node);
    return view ? [{ node, state: nodeStateOf(view) }] : [];
  });
  return mostUrgent(runs, mainOf(flow, frame));
}
