/** What the run has taken so far: tokens, money and working time. */
import { useEffect, useState } from "react";
import { elapsed } from "./fold/elapsed";
import { isOver } from "./fold/status";
import { useInterrupted, useRunHead, useShownSession } from "./live/shown";
import { describeCost, describeTokens, formatCost, formatCount, formatDuration } from "./values/format";

export function RunTotals() {
  const session = useShownSession();
  if (!session) return null;
  return (
    <div className="flex items-center gap-3 font-mono text-fg-2 text-xs tabular-nums" data-testid="run-totals">
      <Tokens />
      <Spent />
      <Elapsed />
    </div>
  );
}

function Tokens() {
  const tokens = useRunHead((head) => head.totals.tokens);
  const sum = tokens.input + tokens.output;
  return (
    <span title={describeTokens(tokens)} data-testid="run-tokens">
      {formatCount(sum)} {sum === 1 ? "token" : "tokens"}
    </span>
  );
}

/** What it has cost so far; nothing to show before the first model call. */
function Spent() {
  const cost = useRunHead((head) => head.totals.cost);
  const calls = useRunHead((head) => head.totals.modelCalls);
  if (calls === 0) return null;
  return (
    <span title={describeCost(cost)} data-testid="run-cost">
      {formatCost(cost)}
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
    <span title="Working time, without waiting for you" data-testid="run-elapsed" className="min-w-[5ch] text-right">
      {formatDuration(elapsed(head, now))}
    </span>
  );
}
