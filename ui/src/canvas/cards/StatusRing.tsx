import { memo } from "react";
import type { NodeId } from "@/bindings";
import { TEXTS } from "@/canvas/texts";
import type { NodeRunState } from "@/run/nodes/element-views";
import { useIsStale } from "./useElementViews";

const STATE_LABELS: Record<NodeRunState, string> = {
  ready: "Ready to run",
  running: "Running",
  paused: "Waiting for an answer",
  retrying: "Retrying",
  done: "Done",
  skipped: "Skipped",
  failed: "Failed",
  stopped: "Stopped",
  cached: "Done (cached)",
};

export function describeState(state: NodeRunState, stale: boolean): string {
  return stale ? TEXTS.stale(STATE_LABELS[state]) : STATE_LABELS[state];
}

/** A node's state in a run. */
export const StatusRing = memo(function StatusRing({ node, state }: { node: NodeId; state: NodeRunState | undefined }) {
  const isStale = useIsStale(node);
  return <StateRing id={node} state={state} isStale={isStale} />;
});

/**
 * The state of an element in a run. Each state has its own shape, so that none is distinguished by color alone. A result of an
 * older flow is half filled and says so.
 */
export function StateRing({ id, state, isStale }: { id: string; state: NodeRunState | undefined; isStale: boolean }) {
  const stale = isStale && state !== undefined;
  const label = state && describeState(state, stale);
  return (
    <>
      {stale ? (
        <span className="stale-chip" data-testid={`stale-${id}`} title={label}>
          {TEXTS.staleChip}
        </span>
      ) : null}
      <span
        className="state-ring"
        data-testid={`node-status-${id}`}
        data-state={state ?? "idle"}
        data-stale={stale || undefined}
        role="img"
        aria-label={label ?? TEXTS.notRunYet}
        title={label}
      />
    </>
  );
}
