/** What the cards of folded loops and of folded frames have in common. */
import { Handle, Position as Sides } from "@xyflow/react";
import { ChevronsDownUp, ChevronsUpDown } from "lucide-react";
import { FOLDED_HANDLE } from "@/canvas/elements/pulled-ends";
import type { FoldedSides } from "@/workspace/canvas-store";

type ButtonProps = { folded: boolean; label: string; title?: string; testId: string; onToggle: () => void };

/** Folds an open element, or unfolds a folded one. */
export function FoldButton({ folded, label, title = label, testId, onToggle }: ButtonProps) {
  const Icon = folded ? ChevronsUpDown : ChevronsDownUp;
  return (
    <button
      type="button"
      className="fold-button nodrag"
      aria-label={label}
      title={title}
      data-testid={testId}
      onClick={(event) => {
        event.stopPropagation();
        onToggle();
      }}
      onDoubleClick={(event) => event.stopPropagation()}
    >
      <Icon size={14} aria-hidden />
    </button>
  );
}

/** The ends of edges into folded nodes and out of them. React Flow measures them, in the far view, too. */
export function FoldedHandles({ sides, title }: { sides: FoldedSides | undefined; title: string }) {
  return (
    <>
      {sides?.into ? <FoldedHandle side="in" title={title} /> : null}
      {sides?.outOf ? <FoldedHandle side="out" title={title} /> : null}
    </>
  );
}

/** Nothing can be connected to it. */
function FoldedHandle({ side, title }: { side: "in" | "out"; title: string }) {
  return (
    <Handle
      id={FOLDED_HANDLE}
      type={side === "in" ? "target" : "source"}
      position={side === "in" ? Sides.Left : Sides.Right}
      isConnectable={false}
      className="body-handle"
      data-side={side}
      title={title}
    />
  );
}
