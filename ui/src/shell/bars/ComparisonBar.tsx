import { ChevronLeft, ChevronRight, X } from "lucide-react";
import { useStore } from "zustand";
import { SignIcon } from "@/canvas/comparison/SignIcon";
import { TEXTS as CANVAS_TEXTS } from "@/canvas/texts";
import { IconButton } from "@/design/controls/Button";
import { ChoiceBar } from "@/design/controls/ChoiceBar";
import { ghostEdgesBetween, type Marks, SIGNS, type Sign, type Step, sideOf } from "@/run/comparison/canvas-comparison";
import type { ComparedRuns } from "@/run/comparison/comparison";
import { TEXTS } from "@/shell/texts";
import { useComparisonOnCanvas } from "@/workspace/comparison-hooks";
import { useCommands, useWorkspace } from "@/workspace/context";
import { useShownRun } from "@/workspace/run-hooks";
import { ProposalButtons } from "./ProposalButtons";

/** What is compared on the canvas: the legend, the way from difference to difference, and the way out. */
export function ComparisonBar() {
  const { canvasComparison, importComparisons } = useWorkspace();
  const commands = useCommands();
  const shown = useComparisonOnCanvas();
  const at = useStore(canvasComparison.store, (state) => state.at);
  if (!shown) return null;
  const { compared, marks, steps } = shown;
  const step = at === undefined ? undefined : steps[at];
  return (
    <section
      className="flex shrink-0 flex-wrap items-center gap-x-4 gap-y-1 border-line border-b bg-bg-1 px-3 py-1.5"
      aria-label={TEXTS.comparison}
      data-testid="comparison-bar"
    >
      <div className="order-1 flex min-w-0 items-center gap-2">
        {compared.kind === "runs" ? (
          <Sides runs={compared} />
        ) : compared.kind === "import" ? (
          <button
            type="button"
            className="min-w-0 truncate rounded text-accent text-sm hover:underline"
            onClick={() => void importComparisons.ask(compared)}
          >
            {TEXTS.besideExecution(compared.title)}
          </button>
        ) : (
          <span className="min-w-0 truncate text-sm" title={compared.title}>
            {compared.title}
          </span>
        )}
      </div>
      <span className="order-2 ml-auto flex shrink-0 items-center">
        <IconButton
          label={TEXTS.previousDifference}
          keys={commands.keysOf("comparison.previous")}
          disabled={steps.length === 0}
          icon={<ChevronLeft size={16} />}
          onClick={() => commands.run("comparison.previous")}
        />
        <span className="whitespace-nowrap text-fg-2 text-xs tabular-nums" role="status" data-testid="comparison-at">
          {steps.length === 0 ? TEXTS.nothingDiffers : TEXTS.differenceAt(at, steps.length)}
          {step ? <Where step={step} /> : null}
        </span>
        <IconButton
          label={TEXTS.nextDifference}
          keys={commands.keysOf("comparison.next")}
          disabled={steps.length === 0}
          icon={<ChevronRight size={16} />}
          onClick={() => commands.run("comparison.next")}
        />
        {compared.kind === "flow" && compared.proposal !== undefined ? (
          <ProposalButtons proposal={compared.proposal} flow={compared.other} />
        ) : null}
        <IconButton
          label={TEXTS.clearComparison}
          data-testid="comparison-clear"
          icon={<X size={15} />}
          onClick={() => canvasComparison.clear()}
        />
      </span>
      <Legend marks={marks} />
    </section>
  );
}

/** Which of both runs is on the canvas. */
function Sides({ runs }: { runs: ComparedRuns }) {
  const workspace = useWorkspace();
  const run = useShownRun()?.run;
  return (
    <ChoiceBar
      label={TEXTS.shownRun}
      options={[
        { id: "before", label: TEXTS.firstRun },
        { id: "after", label: TEXTS.secondRun },
      ]}
      value={(run === undefined ? undefined : sideOf(runs, run)) ?? ""}
      onChange={(side) => void workspace.runs.open(side === "before" ? runs.before.run : runs.after.run)}
    />
  );
}

/** The step that was gone to last, for screen readers. */
function Where({ step: { node, sign } }: { step: Step }) {
  const { nodeNames } = useWorkspace();
  const name = node === undefined ? TEXTS.edge : nodeNames.nameOf(node);
  return <span className="sr-only">{`: ${name}, ${CANVAS_TEXTS.signs[sign]}`}</span>;
}

/** The signs that are on the canvas, with how many there are of each. */
function Legend({ marks: { nodes, edges, ghosts } }: { marks: Marks }) {
  const counts = new Map<Sign, number>();
  const count = (sign: Sign, more = 1) => counts.set(sign, (counts.get(sign) ?? 0) + more);
  for (const { sign } of nodes.values()) count(sign);
  for (const sign of edges.values()) count(sign);
  count(ghosts.sign, ghosts.nodes.length + ghostEdgesBetween(ghosts).length);
  return (
    <ul className="order-3 flex flex-wrap gap-x-3 gap-y-1 text-fg-2 text-xs" aria-label={TEXTS.legend}>
      {SIGNS.filter((sign) => (counts.get(sign) ?? 0) > 0).map((sign) => (
        <li key={sign} className="flex items-center gap-1.5 whitespace-nowrap" data-testid={`legend-${sign}`}>
          <SignIcon sign={sign} />
          {CANVAS_TEXTS.signs[sign]}
          <span className="text-fg-3 tabular-nums">{counts.get(sign)}</span>
        </li>
      ))}
    </ul>
  );
}
