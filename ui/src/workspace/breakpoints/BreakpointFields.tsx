/** The fields of a breakpoint of the shown flow: its condition, and the text that is logged in place of a pause. */
import type { Breakpoint } from "@/bindings";
import { useDraft } from "@/design/controls/useDraft";
import { useWorkspace } from "@/workspace/context";
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
  const { node, side, when = "" } = breakpoint;
  const { label = TEXTS.condition, placeholder = TEXTS.conditionExample[side], className = "" } = props;
  const { breakpoints } = useWorkspace();
  const draft = useDraft(when, (text) => breakpoints.set(node, side, { when: text.trim() || undefined }));
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
  const { node, side, log = "" } = breakpoint;
  const { label = TEXTS.logText, placeholder = TEXTS.logTextExample, className = "" } = props;
  const { breakpoints } = useWorkspace();
  const draft = useDraft(log, (text) => breakpoints.set(node, side, { log: text.trim() || undefined }));
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
