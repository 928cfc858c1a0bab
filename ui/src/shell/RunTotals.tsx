/** What the run has taken so far: tokens, money and working time. */
import { useEffect, useState } from "react";
import { elapsed } from "@/run/fold/elapsed";
import { isOver } from "@/run/fold/status";
import { formatDuration } from "@/run/values/format";
import { describeRunCost, describeRunTokens, formatRunCost, formatRunTokens } from "@/run/values/run-totals";
import { useActiveSession, useHasChildren, useInterrupted, useRunHead } from "@/workspace/run-hooks";
import { QuotaBar } from "./QuotaBar";
import { TEXTS } from "./texts";

export function RunTotals() {
  const session = useActiveSession();
  if (!session) return null;
  return (
    <div
      className="flex items-center gap-3 whitespace-nowrap font-mono text-fg-2 text-xs tabular-nums"
      data-testid="run-totals"
    >
      <Tokens />
      <Spent />
      <QuotaBar />
      <Reused />
      <Elapsed />
    </div>
  );
}

function Tokens() {
  const tokens = useRunHead((head) => head.totals.tokens);
  const children = useHasChildren();
  return (
    <span className="max-[1100px]:hidden" title={describeRunTokens(tokens, children)} data-testid="run-tokens">
      {formatRunTokens(tokens, children)}
    </span>
  );
}

/** What it has cost so far; nothing to show before the first model call. */
function Spent() {
  const cost = useRunHead((head) => head.totals.cost);
  const calls = useRunHead((head) => head.totals.modelCalls);
  const children = useHasChildren();
  if (calls === 0 && !children) return null;
  return (
    <span title={describeRunCost(cost, children)} data-testid="run-cost">
      {formatRunCost(cost, children)}
    </span>
  );
}

/** How many replies a retry took from the run that it retries. */
function Reused() {
  const count = useRunHead((head) => head.totals.reusedCalls);
  if (count === 0) return null;
  return (
    <span className="max-[1100px]:hidden" title={TEXTS.reusedHint} data-testid="run-reused">
      {TEXTS.reusedReplies(count)}
    </span>
  );
}

const TICK_MS = 100;

function Elapsed() {
  const head = useRunHead((head) => head);
  const interrupted = useInterrupted();
  const ticking = !isOver(head.status) && head.status !== "waiting" && !interrupted && head.startedAt !== undefined;
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    if (!ticking) return;
    setNow(Date.now());
    const timer = setInterval(() => setNow(Date.now()), TICK_MS);
    return () => clearInterval(timer);
  }, [ticking]);
  return (
    <span title={TEXTS.runTimeHint} data-testid="run-elapsed" className="min-w-[5ch] text-right">
      {formatDuration(elapsed(head, now))}
    </span>
  );
}
