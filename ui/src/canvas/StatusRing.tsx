import type { NodeId } from "@/bindings";
import type { NodeRun } from "@/run/view";

const WORDS: Record<NodeRun["state"], string> = {
  ready: "Ready to run",
  running: "Running",
  paused: "Waiting for an answer",
  retrying: "Trying again",
  done: "Done",
  skipped: "Skipped",
  failed: "Failed",
  cached: "Done, from an earlier execution",
};

/** A node's state in a run. Each state has a shape of its own, so that none is told by colour alone. */
export function StatusRing({ node, run }: { node: NodeId; run: NodeRun | undefined }) {
  const state = run?.state ?? "idle";
  return (
    <span
      className="state-ring"
      data-testid={`node-status-${node}`}
      data-state={state}
      role="img"
      aria-label={run ? WORDS[run.state] : "Not run yet"}
      title={run ? WORDS[run.state] : undefined}
    />
  );
}
