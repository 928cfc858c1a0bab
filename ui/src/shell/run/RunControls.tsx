/** Run and Stop, of fixed width, and what keeps the flow from running. */
import { CircleAlert, Play, Square } from "lucide-react";
import { Button } from "@/design/controls/Button";
import { Tooltip } from "@/design/controls/Tooltip";
import { Keys } from "@/design/keys/Keys";
import { ariaKeys } from "@/design/keys/keys";
import { documentFlow } from "@/flow/document/flow-state";
import { runBlockers } from "@/run/control/run-blockers";
import { isOver } from "@/run/fold/status";
import { describeForecastCost, describeOutlook, describeUnknown, outlookTone } from "@/run/values/forecast-text";
import { TEXTS } from "@/shell/texts";
import { useFlow, useKeys, useWorkspace } from "@/workspace/context";
import {
  useActiveSession,
  useFlowForecast,
  useInterrupted,
  useObserved,
  useRunHeadOfNow,
  useRunState,
} from "@/workspace/run-hooks";
import { RerunButton } from "./RerunButton";

export function RunControls() {
  return (
    <div className="flex shrink-0 items-center gap-2 @max-[900px]:gap-1.5">
      <ProblemsBadge />
      <RerunButton />
      <StopButton />
      <RunButton />
    </div>
  );
}

function RunButton() {
  const keys = useKeys("run.start");
  const workspace = useWorkspace();
  const viewing = useFlow((state) => state.viewing !== undefined);
  const empty = useFlow((state) => Object.keys(documentFlow(state).nodes).length === 0);
  const problems = useFlow((state) => runBlockers(state).length);
  const key = useFlow((state) => state.key);
  const starting = useRunState((state) => state.starting.has(key));
  const going = useGoing();
  const forecast = useRunForecast();
  const why = viewing
    ? "You are viewing a run. Go back to editing to run the flow."
    : empty
      ? "Add a node to run the flow."
      : problems > 0
        ? TEXTS.cannotRun(describeProblems(problems))
        : going
          ? "The flow is running. Stop it to run it again."
          : starting
            ? "Starting…"
            : undefined;
  return (
    <Tooltip
      label={
        why ?? (
          <span className="flex flex-col gap-1 py-0.5" data-testid="run-forecast">
            {[TEXTS.runFlow, ...forecast].map((sentence) => (
              <span key={sentence}>{sentence}</span>
            ))}
          </span>
        )
      }
      keys={keys}
    >
      {/* Not `disabled`: the reason must be reachable by keyboard and pointer. */}
      <Button
        kind="main"
        data-testid="run-button"
        data-blocked={problems > 0 || undefined}
        aria-disabled={why !== undefined}
        aria-keyshortcuts={keys && ariaKeys(keys)}
        aria-description={why ?? (forecast.length > 0 ? `${forecast.join(". ")}.` : undefined)}
        className="aria-disabled:opacity-55 aria-disabled:hover:brightness-100"
        onClick={() => (why === undefined || problems > 0) && void workspace.runs.start()}
      >
        <Play size={13} fill="currentColor" aria-hidden /> Run
        <span aria-hidden className="contents @max-[1100px]:hidden [&>kbd]:bg-black/25 [&>kbd]:text-on-accent">
          {keys ? <Keys keys={keys} /> : null}
        </span>
      </Button>
    </Tooltip>
  );
}

/** What keeps the flow from running, apart from Run, so that Run is always Run. */
function ProblemsBadge() {
  const { layout } = useWorkspace();
  const viewing = useFlow((state) => state.viewing !== undefined);
  const problems = useFlow((state) => runBlockers(state).length);
  if (problems === 0 || viewing) return null;
  return (
    <Tooltip label={TEXTS.showProblems}>
      <Button
        kind="quiet"
        className="text-bad"
        data-testid="problems-badge"
        onClick={() => layout.showDockTab("problems")}
      >
        <CircleAlert size={14} aria-hidden />
        <span>
          {problems} <span className="@max-[1100px]:sr-only">{problems === 1 ? "problem" : "problems"}</span>
        </span>
      </Button>
    </Tooltip>
  );
}

function describeProblems(count: number): string {
  return `${count} ${count === 1 ? "problem" : "problems"}`;
}

function StopButton() {
  const keys = useKeys("run.stop");
  const workspace = useWorkspace();
  const session = useActiveSession();
  const status = useRunHeadOfNow((head) => head.status);
  const cancelling = useRunHeadOfNow((head) => head.cancelling);
  const observed = useObserved();
  const idle = session === undefined || isOver(status);
  const label = observed && !idle ? TEXTS.programStopsItself : cancelling ? TEXTS.stopping : TEXTS.stopRun;
  return (
    <Tooltip label={label} keys={keys}>
      <Button
        data-testid="stop-button"
        disabled={idle || observed || cancelling}
        aria-keyshortcuts={keys && ariaKeys(keys)}
        onClick={() => void workspace.runs.stop()}
      >
        <Square size={12} fill="currentColor" aria-hidden /> <span className="@max-[1100px]:sr-only">{TEXTS.stop}</span>
      </Button>
    </Tooltip>
  );
}

/** Whether the document's run is at work, and not merely waiting for a person. */
function useGoing(): boolean {
  const session = useActiveSession();
  const interrupted = useInterrupted();
  const status = useRunHeadOfNow((head) => head.status);
  return session !== undefined && status === "running" && !interrupted;
}

/** How many nodes are named. */
const MAX_NAMED = 4;

/** What a run will come to, its cost and prompts that will not fit, in sentences; none while nothing is known. */
function useRunForecast(): string[] {
  const { nodeNames } = useWorkspace();
  const forecast = useFlowForecast();
  if (!forecast || (forecast.nodes.length === 0 && forecast.cost.unknown.length === 0)) return [];
  const tight = forecast.nodes.filter((node) => outlookTone(node.outlook) !== "plain");
  const named = <T,>(items: readonly T[], describe: (item: T) => string) => [
    ...items.slice(0, MAX_NAMED).map(describe),
    ...(items.length > MAX_NAMED ? [`and ${items.length - MAX_NAMED} more`] : []),
  ];
  return [
    describeForecastCost(forecast),
    ...named(forecast.cost.unknown, (one) => `Unknown: ${nodeNames.nameOf(one.node)} ${describeUnknown(one.reason)}`),
    ...named(tight, (node) => `${nodeNames.nameOf(node.node)}: ${describeOutlook(node.outlook)}`),
  ];
}
