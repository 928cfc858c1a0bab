import { Wand } from "lucide-react";
import { Button } from "@/design/controls/Button";
import { type Finding, quickFix } from "@/flow/check/diagnostics";
import { useFlow, useNodeTypes, useWorkspace } from "@/workspace/context";

type Props = { finding: Finding; className?: string };

/** A button that corrects the flow, where a finding can be corrected with one press. One undo step. */
export function QuickFixButton({ finding, className }: Props) {
  const { editor } = useWorkspace();
  const types = useNodeTypes((all) => all);
  const flow = useFlow((state) => (state.viewing ? undefined : state.flow));
  const checked = useFlow((state) => state.checked);
  const fix = flow && quickFix(types, flow, checked, finding);
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
