import { ChevronDown, ChevronRight } from "lucide-react";
import { TEXTS } from "./texts";

/** Folds or opens a message. */
export function FoldButton({ label, open, onToggle }: { label: string; open: boolean; onToggle: () => void }) {
  const Icon = open ? ChevronDown : ChevronRight;
  return (
    <button
      type="button"
      aria-expanded={open}
      aria-label={open ? TEXTS.collapse(label) : TEXTS.expand(label)}
      className="-ml-1 inline-flex size-6 shrink-0 items-center justify-center rounded-sm text-fg-3 hover:bg-bg-3 hover:text-fg"
      onClick={onToggle}
    >
      <Icon size={14} aria-hidden />
    </button>
  );
}
