import { PencilLine } from "lucide-react";
import { useStore } from "zustand";
import { TEXTS } from "@/shell/texts";
import { useFlow, useWorkspace } from "@/workspace/context";

/** Says that agents propose edits of the shown document. Hidden without one. */
export function ProposalChip() {
  const { proposals } = useWorkspace();
  const path = useFlow((state) => state.path);
  const count = useStore(proposals.store, ({ list }) => list.filter((one) => one.path === path).length);
  if (count === 0 || path === undefined) return null;
  return (
    <button
      type="button"
      className="flex h-[26px] shrink-0 items-center gap-1.5 rounded-full border border-info/50 px-2.5 text-xs hover:bg-bg-3"
      data-testid="proposal-chip"
      onClick={() => proposals.show(true)}
    >
      <PencilLine size={13} className="shrink-0 text-info" aria-hidden />
      {TEXTS.proposalCount(count)}
    </button>
  );
}
