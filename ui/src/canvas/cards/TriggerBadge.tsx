import { Zap } from "lucide-react";
import type { Node } from "@/bindings";
import { TEXTS } from "@/canvas/texts";

/** Says that a run may begin at the node. */
export function TriggerBadge({ node: { trigger } }: { node: Node }) {
  if (!trigger) return null;
  return (
    <span className="pin-badge trigger-badge" title={TEXTS.triggerHint(trigger)} data-testid="trigger-badge">
      <Zap size={11} aria-hidden />
      {TEXTS.trigger(trigger)}
    </span>
  );
}
