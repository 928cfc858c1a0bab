import { ArrowDown, ArrowUp } from "lucide-react";
import { useMemo, useState } from "react";
import type { NodeComparison, NodeTotals } from "@/bindings";
import { SignIcon } from "@/canvas/comparison/SignIcon";
import { TEXTS as CANVAS_TEXTS } from "@/canvas/texts";
import { SIGNS } from "@/run/comparison/canvas-comparison";
import { formatCount, formatDuration } from "@/run/values/format";
import { formatRunCost } from "@/run/values/run-totals";
import { TEXTS } from "@/shell/texts";
import { useWorkspace } from "@/workspace/context";

type Props = {
  nodes: readonly NodeComparison[];
  /** Shows a node in a run that has it. */
  onShow: (totals: NodeTotals) => void;
};

type Column = "node" | "differs" | "steps" | "tokens" | "cost" | "time";

/** What a column with numbers compares, and how a number reads. */
const NUMBERS: Record<
  Exclude<Column, "node" | "differs">,
  { of: (totals: NodeTotals) => number; show: (totals: NodeTotals) => string }
> = {
  steps: { of: ({ steps }) => steps, show: ({ steps }) => formatCount(steps) },
  tokens: { of: tokensOf, show: (totals) => formatCount(tokensOf(totals)) },
  cost: { of: ({ cost }) => cost.nanoUsd, show: ({ cost }) => formatRunCost(cost, false) },
  time: {
    of: ({ durationMs = 0 }) => durationMs,
    show: ({ durationMs }) => (durationMs === undefined ? TEXTS.notInRun : formatDuration(durationMs)),
  },
};

const HEADINGS: Record<Column, string> = {
  node: TEXTS.columnNode,
  differs: TEXTS.columnDiffers,
  steps: TEXTS.columnSteps,
  tokens: TEXTS.columnTokens,
  cost: TEXTS.columnCost,
  time: TEXTS.columnTime,
};
const COLUMNS: readonly Column[] = ["node", "differs", "steps", "tokens", "cost", "time"];

/** What each node used in both runs, sorted by a column. A column with numbers begins with what changed most. */
export function ComparedNodes({ nodes, onShow }: Props) {
  const { nodeNames } = useWorkspace();
  const [{ column, ascending }, setSort] = useState<{ column: Column; ascending: boolean }>({
    column: "differs",
    ascending: true,
  });
  const nameOf = ({ path, before, after }: NodeComparison) => {
    const node = (after ?? before)?.node ?? "";
    return path === undefined ? nodeNames.nameOf(node) : [...path, node].join(" › ");
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: names do not change while the dialog is open
  const sorted = useMemo(() => {
    const compare = (a: NodeComparison, b: NodeComparison) => {
      if (column === "node") return nameOf(a).localeCompare(nameOf(b));
      if (column === "differs") return SIGNS.indexOf(a.mark) - SIGNS.indexOf(b.mark);
      const { of } = NUMBERS[column];
      const change = ({ before, after }: NodeComparison) =>
        Math.abs((after ? of(after) : 0) - (before ? of(before) : 0));
      return change(a) - change(b);
    };
    return nodes.toSorted((a, b) => (ascending ? compare(a, b) : compare(b, a)));
  }, [nodes, column, ascending]);
  const sortBy = (next: Column) =>
    setSort({
      column: next,
      ascending: next === column ? !ascending : next === "node" || next === "differs",
    });
  return (
    <div className="min-h-0 flex-1 overflow-y-auto border-line border-t" data-testid="compared-nodes">
      <table className="w-full text-sm tabular-nums">
        <thead className="sticky top-0 bg-bg-1 text-fg-2 text-xs">
          <tr>
            {COLUMNS.map((one) => (
              <th
                key={one}
                scope="col"
                aria-sort={one === column ? (ascending ? "ascending" : "descending") : undefined}
                className={`border-line border-b py-1.5 font-normal first:pl-5 last:pr-5 ${isNumber(one) ? "text-right" : "text-left"} px-2`}
              >
                <button
                  type="button"
                  className="inline-flex items-center gap-1 rounded hover:text-fg"
                  title={TEXTS.sortBy(HEADINGS[one])}
                  onClick={() => sortBy(one)}
                >
                  {HEADINGS[one]}
                  {one === column ? (
                    ascending ? (
                      <ArrowUp size={12} aria-hidden />
                    ) : (
                      <ArrowDown size={12} aria-hidden />
                    )
                  ) : null}
                </button>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {sorted.map((node) => {
            const { before, after, path } = node;
            const shown = after ?? before;
            const only = before && after ? undefined : before ? "first" : "second";
            return (
              <tr key={`${shown?.run}/${path?.join("/") ?? ""}/${shown?.node}`} className="hover:bg-bg-3">
                <td className="max-w-[220px] py-1 pl-5">
                  <button
                    type="button"
                    className="block max-w-full truncate rounded text-left hover:text-accent"
                    onClick={() => shown && onShow(shown)}
                  >
                    {nameOf(node)}
                  </button>
                </td>
                <td className="px-2">
                  <span className="flex items-center gap-1.5 whitespace-nowrap text-fg-2 text-xs">
                    <SignIcon sign={node.mark} />
                    {only === undefined ? CANVAS_TEXTS.signs[node.mark] : CANVAS_TEXTS.onlyInRunShort[only]}
                  </span>
                </td>
                {COLUMNS.filter(isNumber).map((one) => (
                  <td key={one} className="whitespace-nowrap px-2 text-right last:pr-5">
                    {bothOf(before, after, NUMBERS[one].show)}
                  </td>
                ))}
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}

function isNumber(column: Column): column is keyof typeof NUMBERS {
  return column in NUMBERS;
}

function tokensOf({ tokens }: NodeTotals): number {
  return tokens.input + tokens.output;
}

/** A value of both runs: once if it is the same. */
function bothOf(
  before: NodeTotals | undefined,
  after: NodeTotals | undefined,
  show: (totals: NodeTotals) => string,
): string {
  const [old, next] = [before, after].map((totals) => (totals ? show(totals) : TEXTS.notInRun));
  return old === next ? (old ?? "") : `${old} → ${next}`;
}
