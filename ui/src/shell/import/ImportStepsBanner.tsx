import { ChevronLeft, ChevronRight, X } from "lucide-react";
import { useMemo } from "react";
import { Button, IconButton } from "@/design/controls/Button";
import { InlineCode } from "@/design/text/InlineCode";
import { documentFlow } from "@/flow/document/flow-state";
import { TEXTS } from "@/shell/texts";
import { useFlow, useOverlays, useWorkspace } from "@/workspace/context";
import { importSteps, nodeOfStep } from "./import-steps";
import { endImportSteps, showImportStep } from "./show-import-step";

/** Leads through what of an imported flow is not as in the original: one place at a time, each selected on the canvas. */
export function ImportStepsBanner() {
  const workspace = useWorkspace();
  const report = useFlow((state) => state.importReport);
  const at = useOverlays(({ importStep }) => (importStep?.report === report ? importStep?.at : undefined));
  const steps = useMemo(() => (report ? importSteps(report) : []), [report]);
  const step = at === undefined ? undefined : steps[at];
  const isMade = useFlow((state) => step !== undefined && nodeOfStep(step, documentFlow(state)) !== undefined);
  if (step === undefined || at === undefined) return null;
  const show = (to: number) => showImportStep(workspace, to);
  return (
    <section
      aria-label={TEXTS.importSteps}
      className="flex shrink-0 items-center gap-3 border-line border-b bg-bg-1 px-3 py-1.5 text-sm"
      data-testid="import-steps"
    >
      <span className="text-fg-3 tabular-nums">{TEXTS.importStepOf(at + 1, steps.length)}</span>
      <p className="max-h-16 min-w-0 flex-1 overflow-y-auto" aria-live="polite">
        <b className="font-semibold">{step.name}</b>{" "}
        <span className="text-fg-3">· {TEXTS.importOutcomes[step.outcome]} ·</span>{" "}
        <span className="text-fg-2">
          <InlineCode text={step.text} />
        </span>{" "}
        <span>{step.nodes.length > 0 && !isMade ? TEXTS.importStepDeleted : TEXTS.importAdvice[step.outcome]}</span>
      </p>
      <div className="flex items-center gap-1.5">
        <Button disabled={at === 0} onClick={() => show(at - 1)} data-testid="import-previous">
          <ChevronLeft size={14} aria-hidden /> {TEXTS.previous}
        </Button>
        <Button kind="main" disabled={at === steps.length - 1} onClick={() => show(at + 1)} data-testid="import-next">
          {TEXTS.next} <ChevronRight size={14} aria-hidden />
        </Button>
        <IconButton
          label={TEXTS.endImportSteps}
          icon={<X size={14} aria-hidden />}
          onClick={() => endImportSteps(workspace)}
        />
      </div>
    </section>
  );
}
