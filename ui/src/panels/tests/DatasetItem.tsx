import { Play, Table2 } from "lucide-react";
import type { CaseOutcome } from "@/bindings";
import { Button, IconButton } from "@/design/controls/Button";
import { useWorkspace } from "@/workspace/context";
import { StateSign } from "./CaseRow";
import type { TestCaseRef } from "./suite-run";
import { TEXTS } from "./texts";

type Props = {
  file: string;
  name: string;
  rows: readonly TestCaseRef[];
  outcomeOf: (row: TestCaseRef) => CaseOutcome | undefined;
  isRunning: boolean;
  onRun: () => void;
};

/** A dataset: how many of its rows passed. The rows themselves stand in the table of results. */
export function DatasetItem({ file, name, rows, outcomeOf, isRunning, onRun }: Props) {
  const { results } = useWorkspace();
  const outcomes = rows.map(outcomeOf);
  const passed = outcomes.filter((outcome) => outcome?.passed === true).length;
  const failed = outcomes.filter((outcome) => outcome?.passed === false).length;
  const open = rows.length - passed - failed;
  const state = isRunning ? "running" : failed > 0 ? "failed" : open > 0 ? "open" : "passed";
  return (
    <li
      className="group relative rounded-md px-2 py-1.5 hover:bg-bg-3/60 has-[:focus-visible]:bg-bg-3/60"
      data-testid={`test-dataset-${name}`}
      data-state={state}
    >
      <div className="flex items-start gap-2.5">
        <StateSign state={state} />
        <div className="min-w-0 flex-1">
          <p className="flex items-baseline gap-2">
            <b className="min-w-0 truncate font-medium">{name}</b>
            <span className="shrink-0 text-fg-3 text-xs">{TEXTS.rows(rows.length)}</span>
          </p>
          <p className="mb-1.5 text-fg-2 text-xs tabular-nums">{TEXTS.summary(passed, failed, open)}</p>
          <Button
            className="!h-6 !px-2 !text-xs"
            data-testid="dataset-results"
            disabled={isRunning}
            onClick={() => void results.ask({ file, dataset: name })}
          >
            <Table2 size={13} aria-hidden />
            {TEXTS.results}
          </Button>
        </div>
      </div>
      <span className="absolute top-0.5 right-1 hidden rounded-md bg-bg-3 group-focus-within:flex group-hover:flex">
        <IconButton
          label={TEXTS.runDataset}
          data-testid="dataset-run"
          icon={<Play size={14} />}
          disabled={isRunning}
          onClick={onRun}
        />
      </span>
    </li>
  );
}
