import { memo } from "react";
import type { NodeId } from "@/bindings";
import type { NodeRunState } from "@/run/element-views";
import { TEXTS } from "./texts";

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

/** A node's state in a run. Each state has its own shape, so that none is distinguished by color alone. */
export const StatusRing = memo(function StatusRing({ node, state }: { node: NodeId; state: NodeRunState | undefined }) {
  return (
    <span
      className="state-ring"
      data-testid={`node-status-${node}`}
      data-state={state ?? "idle"}
      role="img"
      aria-label={state ? STATE_LABELS[state] : TEXTS.notRunYet}
      title={state ? STATE_LABELS[state] : undefined}
    />
  );
});
