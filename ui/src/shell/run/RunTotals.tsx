/** What the run has taken so far: tokens, money and working time. */
import { useEffect, useState } from "react";
import type { RunSummary } from "@/bindings";
import { elapsed } from "@/run/fold/elapsed";
import { addCost, addTokens } from "@/run/fold/spending";
import { rests } from "@/run/fold/status";
import { formatDuration } from "@/run/values/format";
import { describeRunCost, describeRunTokens, formatRunCost, formatRunTokens } from "@/run/values/run-totals";
import { TEXTS } from "@/shell/texts";
import { useWorkspace } from "@/workspace/context";
import {
  useActiveSession,
  useHasChildren,
  useInterrupted,
  usePastRun,
  useRunHead,
  useRunHeadOfNow,
  useSessionValue,
} from "@/workspace/run-hooks";
import { QuotaBar } from "./QuotaBar";

export function RunTotals() {
  const session = useActiveSession();
  const below = useChildRuns();
  if (!session) return null;
  return (
    <div
      className="flex items-center gap-3 whitespace-nowrap font-mono text-fg-2 text-xs tabular-nums"
      data-testid="run-totals"
    >
      <Tokens below={below} />
      <Spent below={below} />
      <QuotaBar />
      <Reused />
      <Elapsed />
    </div>
  );
}

function Tokens({ below }: { below?: RunSummary[] }) {
  const own = useRunHead((head) => head.totals.tokens);
  const isPartial = useHasChildren() && below === undefined;
  const tokens = (below ?? []).reduce((sum, child) => addTokens(sum, child.tokens), own);
  return (
    <span className="@max-[1100px]:hidden" title={describeRunTokens(tokens, isPartial)} data-testid="run-tokens">
      {formatRunTokens(tokens, isPartial)}
    </span>
  );
}

/** What it has cost so far; nothing to show before the first model call. */
function Spent({ below }: { below?: RunSummary[] }) {
  const own = useRunHead((head) => head.totals.cost);
  const calls = useRunHead((head) => head.totals.modelCalls);
  const children = useHasChildren();
  const isPartial = children && below === undefined;
  const cost = (below ?? []).reduce((sum, child) => addCost(sum, child.cost), own);
  // A failed call may be on the bill, too.
  if (calls === 0 && !children && !cost.unpriced) return null;
  return (
    <span title={describeRunCost(cost, isPartial)} data-testid="run-cost">
      {formatRunCost(cost, isPartial)}
    </span>
  );
}

/** How often the sums of child runs are asked for while they change. */
const CHILDREN_INTERVAL_MS = 1000;

/**
 * The child runs of the run. Their records include the usage of the runs below them; unknown until the host has listed
 * them, and for the past of the run.
 */
function useChildRuns(): RunSummary[] | undefined {
  const { host } = useWorkspace();
  const children = useHasChildren();
  const run = useActiveSession()?.run;
  const isResting = useRunHeadOfNow(rests);
  const isPast = usePastRun() !== undefined;
  const [known, setKnown] = useState<{ run: string; runs: RunSummary[] }>();
  useEffect(() => {
    if (!children || run === undefined) return;
    let isCurrent = true;
    const list = () =>
      host.call("runs.list", { parent: run }).then(
        (runs) => isCurrent && setKnown({ run, runs }),
        // What was listed last stays.
        () => undefined,
      );
    void list();
    const timer = isResting ? undefined : setInterval(list, CHILDREN_INTERVAL_MS);
    return () => {
      isCurrent = false;
      clearInterval(timer);
    };
  }, [host, children, run, isResting]);
  return known !== undefined && known.run === run && !isPast ? known.runs : undefined;
}

/** How many replies a retry took from the run that it retries. */
function Reused() {
  const count = useRunHead((head) => head.totals.reusedCalls);
  if (count === 0) return null;
  return (
    <span className="@max-[1100px]:hidden" title={TEXTS.reusedHint} data-testid="run-reused">
      {TEXTS.reusedReplies(count)}
    </span>
  );
}

const TICK_MS = 100;

function Elapsed() {
  const head = useRunHead((head) => head);
  const interrupted = useInterrupted();
  const past = usePastRun();
  // Nothing has worked since the last event of a run whose process died.
  const last = useSessionValue((session) => (session?.interrupted ? session.log.entries.at(-1)?.at : undefined));
  const ticking = !past && !rests(head) && !interrupted && head.startedAt !== undefined;
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    if (!ticking) return;
    setNow(Date.now());
    const timer = setInterval(() => setNow(Date.now()), TICK_MS);
    return () => clearInterval(timer);
  }, [ticking]);
  return (
    <span title={TEXTS.runTimeHint} data-testid="run-elapsed" className="min-w-[5ch] text-right @max-[800px]:hidden">
      {formatDuration(elapsed(head, past?.at ?? last ?? now))}
    </span>
  );
}
