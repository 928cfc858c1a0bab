import { Wand } from "lucide-react";
import type { EdgeId, NodeId } from "@/bindings";
import { Button } from "@/design/controls/Button";
import { quickFix } from "@/flow/check/diagnostics";
import { useFlow, useNodeTypes, useWorkspace } from "@/workspace/context";

type Props = { code: string; edge?: EdgeId; node?: NodeId; className?: string };

/** A button that corrects the flow, where a finding can be corrected with one press. One undo step. */
export function QuickFixButton({ code, edge, node, className }: Props) {
  const { editor } = useWorkspace();
  const types = useNodeTypes((all) => all);
  const flow = useFlow((state) => (state.viewing ? undefined : state.flow));
  const checked = useFlow((state) => state.checked);
  const fix = flow && quickFix(types, flow, checked, { code, edge, node });
  if (!fix) return null;
  return (
    <Button
      data-testid="quick-fix"
      className={className}
      onClick={() => editor.edit(fix.label, (before) => (before === flow ? fix.flow : before))}
    >
      <Wand size={13} aria-hidden /> {fix.label}
    </Button>
  );
}
