import { FolderOpen } from "lucide-react";
import { useEffect, useMemo, useState } from "react";
import { Button, IconButton } from "@/design/controls/Button";
import { SearchField } from "@/design/controls/SearchField";
import { Select } from "@/design/controls/Select";
import { Empty } from "@/design/text/Empty";
import { InlineCode } from "@/design/text/InlineCode";
import { useNow } from "@/design/useNow";
import { type FlowFilter, type RunStatusFilter, selectRuns } from "@/run/list/run-filter";
import { formatCount } from "@/run/values/format";
import { useFlow, useWorkspace } from "@/workspace/context";
import { useRunList } from "@/workspace/run-hooks";
import { RunBoard } from "./RunBoard";
import { RunRow } from "./RunRow";
import { openRecording } from "./recordings";
import { TEXTS } from "./texts";
import { UsageByDay } from "./UsageByDay";

const STATUS_FILTERS: { id: RunStatusFilter; label: string }[] = [
  { id: "all", label: TEXTS.anyStatus },
  { id: "open", label: TEXTS.active },
  { id: "waiting", label: TEXTS.waitingForYou },
  { id: "failed", label: TEXTS.failed },
  { id: "finished", label: TEXTS.finished },
  { id: "cancelled", label: TEXTS.stopped },
];

/** Earlier and active runs: open, continue, stop or delete them. */
export function RunsPanel() {
  const workspace = useWorkspace();
  const { list, state, error, cut } = useRunList((runs) => runs);
  const path = useFlow((flow) => flow.path);
  const [words, setWords] = useState("");
  const [statusFilter, setStatusFilter] = useState<RunStatusFilter>("all");
  const [flowFilter, setFlowFilter] = useState<FlowFilter>("all");
  const now = useNow();
  const flowPath = flowFilter === "flow" ? path : undefined;
  useEffect(() => workspace.runList.follow(flowPath), [workspace, flowPath]);
  const displayed = useMemo(
    () => selectRuns(list, { words, statusFilter, flowFilter, path }),
    [list, words, statusFilter, flowFilter, path],
  );
  return (
    <section className="flex h-full min-h-0 flex-col" aria-label={TEXTS.runs}>
      <div className="flex shrink-0 flex-col gap-1.5 p-2.5">
        <div className="flex items-center gap-1.5">
          <div className="min-w-0 flex-1">
            <SearchField label={TEXTS.searchRuns} testId="runs-search" value={words} onChange={setWords} />
          </div>
          <IconButton
            label={TEXTS.openRecording}
            data-testid="open-recording"
            icon={<FolderOpen size={14} />}
            onClick={() => void openRecording(workspace)}
          />
        </div>
        <div className="flex gap-1.5">
          <Select
            label={TEXTS.status}
            testId="runs-state"
            className="min-w-0 flex-1"
            options={STATUS_FILTERS}
            value={statusFilter}
            onChange={setStatusFilter}
          />
          <Select
            label={TEXTS.flow}
            testId="runs-scope"
            className="min-w-0 flex-1"
            options={[
              { id: "all", label: TEXTS.allFlows },
              { id: "flow", label: TEXTS.thisFlow, disabled: path === undefined },
            ]}
            value={flowFilter}
            onChange={setFlowFilter}
          />
        </div>
      </div>
      {workspace.remote ? <RunBoard runs={list} filter={statusFilter} onFilter={setStatusFilter} /> : null}
      {error ? (
        <Empty title={TEXTS.couldntLoadRuns}>
          <p>
            <InlineCode text={error.message} /> <InlineCode text={error.hint} />
          </p>
          <Button onClick={() => void workspace.runList.load()}>{TEXTS.tryAgain}</Button>
        </Empty>
      ) : displayed.length === 0 ? (
        <Empty title={state === "known" ? (list.length === 0 ? TEXTS.noRunsYet : TEXTS.noMatches) : TEXTS.loadingRuns}>
          {state === "known" ? (
            <p>{list.length === 0 ? TEXTS.runsAppearInputsOutputs : TEXTS.tryOtherWordsShow}</p>
          ) : null}
        </Empty>
      ) : (
        <ul className="min-h-0 flex-1 overflow-auto px-1.5 pb-2" aria-label={TEXTS.runsNewestFirst} data-testid="runs">
          {displayed.map((run) => (
            <RunRow key={run.run} run={run} now={now} />
          ))}
        </ul>
      )}
      {cut && !error ? <Cut count={list.length} narrowed={displayed.length < list.length} /> : null}
      <UsageByDay runs={list} />
    </section>
  );
}

/** Says that there are older runs than the listed ones, and lists them on request. */
function Cut({ count, narrowed }: { count: number; narrowed: boolean }) {
  const workspace = useWorkspace();
  return (
    <p
      className="flex shrink-0 items-center gap-2 border-line border-t px-2.5 py-1.5 text-fg-3 text-xs"
      data-testid="runs-cut"
    >
      {narrowed ? TEXTS.searchedLatestRuns(formatCount(count)) : TEXTS.showingLatestRuns(formatCount(count))}
      <Button className="ml-auto" onClick={() => workspace.runList.loadMore()}>
        {TEXTS.showOlder}
      </Button>
    </p>
  );
}
