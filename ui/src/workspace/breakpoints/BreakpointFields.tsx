/** The fields of a breakpoint of the shown flow: its condition, the text that is logged in place of a pause, and how much pauses. */

import { Split } from "lucide-react";
import type { Breakpoint } from "@/bindings";
import { IconButton } from "@/design/controls/Button";
import { useDraft } from "@/design/controls/useDraft";
import { isContainer } from "@/flow/containers/containers";
import { useFlow, useNodeTypes, useWorkspace } from "@/workspace/context";
import { TEXTS } from "./texts";

type Props = {
  breakpoint: Breakpoint;
  /** Its name, where several are in sight. */
  label?: string;
  placeholder?: string;
  className?: string;
};

const FIELD =
  "h-7 min-w-0 rounded-md border border-line bg-bg-2 px-2 font-mono text-xs outline-none placeholder:text-fg-3 focus:border-accent";

export function ConditionField({ breakpoint, ...props }: Props) {
  const { id, side, port, when = "" } = breakpoint;
  const {
    label = TEXTS.condition,
    placeholder = port === undefined ? TEXTS.conditionExample[side] : TEXTS.portConditionExample,
    className = "",
  } = props;
  const { breakpoints } = useWorkspace();
  const draft = useDraft(when, (text) => breakpoints.change(id, { when: text.trim() || undefined }));
  return (
    <input
      {...draft}
      className={`${FIELD} ${className}`}
      aria-label={label}
      placeholder={placeholder}
      title={TEXTS.conditionHint}
      spellCheck={false}
    />
  );
}

export function LogField({ breakpoint, ...props }: Props) {
  const { id, log = "" } = breakpoint;
  const { label = TEXTS.logText, placeholder = TEXTS.logTextExample, className = "" } = props;
  const { breakpoints } = useWorkspace();
  const draft = useDraft(log, (text) => breakpoints.change(id, { log: text.trim() || undefined }));
  return (
    <input
      {...draft}
      className={`${FIELD} ${className}`}
      aria-label={label}
      placeholder={placeholder}
      title={TEXTS.logTextHint}
      spellCheck={false}
    />
  );
}

/** Whether only the branch of the breakpoint pauses. The end of a loop always pauses the whole run, and a text pauses nothing. */
export function BranchToggle({ breakpoint, className = "" }: { breakpoint: Breakpoint; className?: string }) {
  const { id, node, side, log, scope } = breakpoint;
  const { breakpoints } = useWorkspace();
  const own = useFlow(({ flow }) => (node === undefined ? undefined : flow.nodes[node]));
  const isLoop = useNodeTypes((types) => isContainer(types, own));
  if (log !== undefined || (isLoop && side === "after")) return <span className={className} />;
  const isAlone = scope === "branch";
  return (
    <IconButton
      label={TEXTS.branchOnly}
      icon={<Split size={14} aria-hidden />}
      pressed={isAlone}
      className={className}
      onClick={() => breakpoints.change(id, { scope: isAlone ? undefined : "branch" })}
    />
  );
}
