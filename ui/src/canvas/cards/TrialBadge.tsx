import { FlaskConical } from "lucide-react";
import type { Node, NodeId } from "@/bindings";
import { TEXTS } from "@/canvas/texts";
import { equalJson } from "@/design/json/equal-json";
import { useRunHead } from "@/workspace/run-hooks";

/** Says that the shown run tries another config than the flow has. */
export function TrialBadge({ id, node }: { id: NodeId; node: Node }) {
  const trial = useRunHead((head) => head.trials?.[id]);
  if (!trial || equalJson(trial.config, node.config ?? {})) return null;
  return (
    <span className="pin-badge" title={TEXTS.trialHint} data-testid="trial-badge">
      <FlaskConical size={11} aria-hidden />
      {TEXTS.trial}
    </span>
  );
}
