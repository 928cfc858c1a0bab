import { useState } from "react";
import type { Breakpoint, FoundPlace, FoundRuns } from "@/bindings";
import { Button } from "@/design/controls/Button";
import { formatAgo } from "@/run/values/format";
import { useFlow, useWorkspace } from "@/workspace/context";
import { TEXTS } from "./texts";

type Answer = { asked: Breakpoint } & ({ found: FoundRuns } | { error: string });

/** Asks the earlier runs of the flow's file where a breakpoint would have stopped them. A run of the answer opens at the node. */
export function EarlierRuns({ breakpoint }: { breakpoint: Breakpoint }) {
  const { host } = useWorkspace();
  const flowPath = useFlow((state) => state.path);
  const [isAsking, setAsking] = useState(false);
  const [answer, setAnswer] = useState<Answer>();
  if (flowPath === undefined) return null;
  const ask = () => {
    setAsking(true);
    const { node, side, port, when } = breakpoint;
    host
      .call("runs.find", {
        node,
        side,
        flowPath,
        ...(port === undefined ? {} : { port }),
        ...(when === undefined ? {} : { when }),
      })
      .then(
        (found) => setAnswer({ asked: breakpoint, found }),
        (error: unknown) => setAnswer({ asked: breakpoint, error: String(error) }),
      )
      .finally(() => setAsking(false));
  };
  // The answer to another condition would mislead.
  const shown = answer?.asked === breakpoint ? answer : undefined;
  return (
    <div className="mt-1 ml-[18px]">
      <Button disabled={isAsking} onClick={ask}>
        {TEXTS.askEarlierRuns}
      </Button>
      <div role="status" className="mt-1 text-fg-3 text-xs">
        {shown === undefined ? null : "error" in shown ? shown.error : describe(shown.found)}
      </div>
      {shown && "found" in shown && shown.found.found.length > 0 ? <RunList found={shown.found} /> : null}
    </div>
  );
}

function RunList({ found }: { found: FoundRuns }) {
  const workspace = useWorkspace();
  const open = async ({ run, point }: FoundPlace) => {
    await workspace.runs.open(run);
    workspace.epochChoice.choose(point.node, point.epoch);
    workspace.canvas.reveal({ node: point.node });
  };
  return (
    <ul className="mt-1 max-h-56 overflow-auto rounded-lg border border-line" aria-label={TEXTS.earlierRuns}>
      {found.found.map(({ run, startedAt, stops, places: [first] }) =>
        first === undefined ? null : (
          <li key={run} className="border-line not-first:border-t">
            <button
              type="button"
              className="flex w-full gap-2 px-2 py-1 text-left text-xs hover:bg-bg-3"
              onClick={() => void open(first)}
            >
              <span className="min-w-0 flex-1 truncate">{formatAgo(startedAt, Date.now())}</span>
              <span className="shrink-0 text-fg-3">{TEXTS.times(stops)}</span>
            </button>
          </li>
        ),
      )}
    </ul>
  );
}

/** The answer as sentences: how often, and what could not be asked. */
function describe({ runs, stops, stoppedRuns, errors, firstError, unreadableRuns }: FoundRuns): string {
  const sentences = [
    runs === 0 ? TEXTS.noEarlierRuns : TEXTS.wouldHaveStopped(stops, stoppedRuns, runs),
    errors > 0 ? TEXTS.conditionFailed(errors, firstError?.error?.message ?? "") : undefined,
    unreadableRuns > 0 ? TEXTS.unreadableRuns(unreadableRuns) : undefined,
  ];
  return sentences.filter((sentence) => sentence !== undefined).join(" ");
}
