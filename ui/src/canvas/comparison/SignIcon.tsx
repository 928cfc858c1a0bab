import { CornerDownRight, Equal, EqualNot, Flag, type LucideIcon, Minus, PencilLine, Plus, Split } from "lucide-react";
import type { Sign } from "@/run/comparison/canvas-comparison";

const ICONS: Record<Sign, LucideIcon> = {
  first: Flag,
  own: Split,
  departs: EqualNot,
  follows: CornerDownRight,
  same: Equal,
  changed: PencilLine,
  added: Plus,
  removed: Minus,
};

/** The sign of a compared node or edge, in its color. */
export function SignIcon({ sign }: { sign: Sign }) {
  const Icon = ICONS[sign];
  return (
    <span className="compare-sign" data-sign={sign}>
      <Icon size={11} strokeWidth={2.75} aria-hidden />
    </span>
  );
}
