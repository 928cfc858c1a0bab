import { CircleDot } from "lucide-react";
import type { RunStatus, RunSummary } from "@/bindings";
import { Button } from "@/design/controls/Button";
import type { RunStatusFilter } from "@/run/list/run-filter";
import { previewOfQuestion } from "@/run/values/preview";
import { useMay, useWorkspace } from "@/workspace/context";
import { TEXTS } from "./texts";

/** The counts, and what each shows. */
const COUNTED: readonly {
  filter: RunStatusFilter;
  status: RunStatus;
  label: (count: number) => string;
  tone: string;
}[] = [
  { filter: "waiting", status: "waiting", label: TEXTS.countWaiting, tone: "text-wait" },
  { filter: "open", status: "running", label: TEXTS.countRunning, tone: "text-accent" },
  { filter: "failed", status: "failed", label: TEXTS.countFailed, tone: "text-bad" },
];

type Props = { runs: readonly RunSummary[]; filter: RunStatusFilter; onFilter: (filter: RunStatusFilter) => void };

/** What a host's runs need of people: how many wait, go on and have failed, and the questions, which everyone of the role may answer. */
export function RunBoard({ runs, filter, onFilter }: Props) {
  const waiting = runs.filter(({ status }) => status === "waiting");
  return (
    <section className="shrink-0 border-line border-b pb-2" aria-label={TEXTS.board} data-testid="run-board">
      <div className="flex flex-wrap gap-1.5 px-2.5 pb-1.5">
        {COUNTED.map((one) => {
          const count = runs.filter(({ status }) => status === one.status).length;
          return (
            <button
              key={one.status}
              type="button"
              className={`rounded-md border border-line px-1.5 py-0.5 text-xs tabular-nums hover:border-line-2 aria-pressed:border-line-2 aria-pressed:bg-bg-3 ${count > 0 ? one.tone : "text-fg-3"}`}
              aria-pressed={filter === one.filter}
              data-testid={`board-${one.status}`}
              onClick={() => onFilter(filter === one.filter ? "all" : one.filter)}
            >
              {one.label(count)}
            </button>
          );
        })}
      </div>
      {waiting.length === 0 ? null : <Questions runs={waiting} />}
    </section>
  );
}

function Questions({ runs }: { runs: readonly RunSummary[] }) {
  const workspace = useWorkspace();
  const mayAnswer = useMay("run.answer");
  return (
    <>
      <h2 className="mx-2.5 mb-1 font-semibold text-2xs text-fg-3 uppercase tracking-[0.05em]">{TEXTS.questions}</h2>
      <ul className="max-h-[30vh] overflow-y-auto px-1.5" data-testid="run-questions">
        {runs.map((run) => (
          <li key={run.run} className="flex items-center gap-2 rounded-md px-2 py-1 hover:bg-bg-3/60">
            <CircleDot size={14} className="shrink-0 text-wait" aria-hidden />
            <span className="min-w-0 flex-1">
              <b className="block truncate font-medium">{run.flowName}</b>
              <span className="line-clamp-2 text-fg-2 text-xs" title={run.waitingOn}>
                {run.waitingOn ? previewOfQuestion(run.waitingOn, 200) : ""}
              </span>
            </span>
            <Button
              className="h-[26px]"
              aria-label={`${mayAnswer ? TEXTS.answer : TEXTS.look}: ${run.waitingOn ?? run.flowName}`}
              data-testid={`run-answer-${run.run}`}
              onClick={() => void workspace.runs.open(run.run)}
            >
              {mayAnswer ? TEXTS.answer : TEXTS.look}
            </Button>
          </li>
        ))}
      </ul>
    </>
  );
}
