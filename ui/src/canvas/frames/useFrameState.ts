/** The state in a run of all that is in a folded frame. */
import { useCallback, useMemo, useSyncExternalStore } from "react";
import type { NodeId } from "@/bindings";
import { withBodies } from "@/flow/containers/containers";
import { displayedFlow } from "@/flow/document/flow-state";
import type { NodeView } from "@/run/fold/types";
import { type NodeRunState, nodeStateOf } from "@/run/nodes/element-views";
import { useFlow, useWorkspace } from "@/workspace/context";

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

/** The most urgent of these states; undefined while nothing has run. */
export function mostUrgent(states: Iterable<NodeRunState>): NodeRunState | undefined {
  const all = new Set(states);
  return ORDER.find((state) => all.has(state));
}

/** The most urgent state of these nodes and of the nodes in their bodies. Re-renders only when it changes. */
export function useFrameState(ids: readonly NodeId[]): NodeRunState | undefined {
  const { activeRun } = useWorkspace();
  const flow = useFlow(displayedFlow);
  const inside = useMemo(() => [...withBodies(flow, ids)], [flow, ids]);
  const subscribe = useCallback(
    (listener: () => void) => {
      const ends = inside.map((id) => activeRun.onNode(id, listener));
      return () => {
        for (const end of ends) end();
      };
    },
    [activeRun, inside],
  );
  return useSyncExternalStore(subscribe, () => mostUrgentOf(inside, activeRun.shown?.fold.nodes));
}

export function mostUrgentOf(
  ids: readonly NodeId[],
  views: ReadonlyMap<NodeId, NodeView> | undefined,
): NodeRunState | undefined {
  return mostUrgent(
    ids.flatMap((id) => {
      const view = views?.get(id);
      return view ? [nodeStateOf(view)] : [];
    }),
  );
}
