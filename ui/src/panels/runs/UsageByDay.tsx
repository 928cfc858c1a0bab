import { useEffect, useState } from "react";
import type { DayUsage, Usage } from "@/bindings";
import { describeCost, describeTokens, formatCost, formatCount } from "@/run/values/format";
import { useWorkspace } from "@/workspace/context";
import { TEXTS } from "./texts";

const DAYS = 14;

/** Usage and cost of the last days, over all runs. Reloaded with the list of runs. */
export function UsageByDay({ runs }: { runs: readonly unknown[] }) {
  const { host } = useWorkspace();
  const [open, setOpen] = useState(false);
  const [usage, setUsage] = useState<Usage>();
  // biome-ignore lint/correctness/useExhaustiveDependencies: the list of runs says when there may be something new.
  useEffect(() => {
    let gone = false;
    // Unreadable usage is not shown; the list of runs above reports problems of the store.
    host.call("usage.byDay", { days: DAYS }).then(
      (read) => gone || setUsage(read),
      () => gone || setUsage(undefined),
    );
    return () => {
      gone = true;
    };
  }, [host, runs]);
  if (!usage || usage.days.length === 0) return null;
  const { total } = usage;
  return (
    <details
      className="shrink-0 border-line border-t px-2.5 py-1.5 text-xs"
      open={open}
      onToggle={(event) => setOpen(event.currentTarget.open)}
      data-testid="usage-by-day"
    >
      <summary className="flex items-baseline gap-2 tabular-nums" title={describeCost(total.cost)}>
        <span className="text-fg-2">{TEXTS.lastDays(DAYS)}</span>
        <span className="ml-auto text-fg-3">
          {TEXTS.tokenCount(formatCount(total.tokens.input + total.tokens.output))}
        </span>
        <b className="font-medium" data-testid="usage-total">
          {formatCost(total.cost)}
        </b>
      </summary>
      <table className="mt-1 w-full tabular-nums">
        <caption className="sr-only">{TEXTS.modelCallsTokensCost}</caption>
        <thead className="sr-only">
          <tr>
            <th>{TEXTS.day}</th>
            <th>{TEXTS.calls}</th>
            <th>{TEXTS.tokens}</th>
            <th>{TEXTS.cost}</th>
          </tr>
        </thead>
        <tbody>
          {usage.days.map((day) => (
            <Day key={day.day} day={day} />
          ))}
        </tbody>
      </table>
      <p className="mt-1 text-fg-3">{TEXTS.pricesAsEachCall(usage.pricesDate)}</p>
    </details>
  );
}

function Day({ day: { day, total, models } }: { day: DayUsage }) {
  const by = Object.entries(models).map(
    ([model, spent]) => `${model || "Unknown model"}: ${describeTokens(spent.tokens)}, ${formatCost(spent.cost)}`,
  );
  return (
    <tr title={by.join("\n")}>
      <th scope="row" className="py-0.5 text-left font-normal text-fg-2">
        {day}
      </th>
      <td className="text-right text-fg-3">
        {formatCount(total.calls)} {total.calls === 1 ? "call" : "calls"}
      </td>
      <td className="text-right text-fg-3">{formatCount(total.tokens.input + total.tokens.output)}</td>
      <td className="w-20 text-right">{formatCost(total.cost)}</td>
    </tr>
  );
}
