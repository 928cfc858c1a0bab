import { Pin } from "lucide-react";
import type { Node } from "@/bindings";
import { TEXTS } from "@/canvas/texts";

/** Says that runs do not execute the node. */
export function PinBadge({ node: { pin } }: { node: Node }) {
  if (!pin) return null;
  return (
    <span className="pin-badge" title={pin.run ? TEXTS.pinnedFrom(pin.run) : TEXTS.pinnedHint} data-testid="pin-badge">
      <Pin size={11} aria-hidden />
      {TEXTS.pinned}
    </span>
  );
}
