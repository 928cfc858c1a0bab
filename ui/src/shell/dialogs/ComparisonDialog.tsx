import { useState } from "react";
import { useStore } from "zustand";
import type { ActivationChange, ListComparison, NodeId, RunDifference } from "@/bindings";
import { ChoiceBar } from "@/design/controls/ChoiceBar";
import { Dialog, DialogText, DialogTitle } from "@/design/dialogs/Dialog";
import {
  beganOtherwise,
  type ComparedRuns,
  type DifferenceGroup,
  gathered,
  groupsOf,
  itemNumbers,
  nameOfChange,
  nodeOf,
} from "@/run/comparison/comparison";
import { formatCount, formatDate, formatDuration } from "@/run/values/format";
import { formatRunCost } from "@/run/values/run-totals";
import { TEXTS } from "@/shell/texts";
import { useWorkspace } from "@/workspace/context";
import { Change } from "./Change";
import { ComparedNodes } from "./ComparedNodes";
import { ComparisonButtons } from "./ComparisonButtons";
import { WhySection } from "./WhySection";

/** What differs between two runs: the first difference, what follows from it, and what has nothing to do with it. */
export function ComparisonDialog() {
  const { comparisons } = useWorkspace();
  const { request, settle } = useStore(comparisons.store);
  return (
    <Dialog
      open={request !== undefined}
      onClose={() => settle()}
      testId="comparison-dialog"
      className="flex max-h-[86vh] w-[760px] flex-col"
    >
      {request ? <Comparison runs={request} onDone={() => settle()} /> : null}
    </Dialog>
  );
}

const GROUPS: Record<DifferenceGroup["id"], string> = {
  first: TEXTS.firstDifference,
  follows: TEXTS.followsFromIt,
  apart: TEXTS.doesNotFollow,
  others: TEXTS.followsFromThat,
};

function Comparison({ runs, onDone }: { runs: ComparedRuns; onDone: () => void }) {
  const workspace = useWorkspace();
  const { before, after, comparison } = runs;
  const groups = groupsOf(comparison);
  const [shown, setShown] = useState<"differences" | "nodes">("differences");
  const onCanvas = async () => {
    onDone();
    workspace.canvasComparison.showRuns(runs);
    await workspace.runs.open(after.run);
  };
  return (
    <>
      <div className="px-5 pt-4 pb-3">
        <DialogTitle className="truncate font-semibold text-lg">{TEXTS.whatDiffers}</DialogTitle>
        <DialogText className="mt-1 text-fg-2 text-sm">
          {TEXTS.comparesRuns(formatDate(before.startedAt), formatDate(after.startedAt))}
        </DialogText>
        <div className="mt-2 flex items-end justify-between gap-3">
          <Totals {...comparison} />
          <ChoiceBar
            label={TEXTS.comparison}
            options={[
              { id: "differences", label: TEXTS.differences },
              { id: "nodes", label: TEXTS.nodesOfRuns },
            ]}
            value={shown}
            onChange={setShown}
          />
        </div>
      </div>
      {shown === "nodes" ? (
        <ComparedNodes
          nodes={comparison.nodes}
          onShow={async ({ run, node }) => {
            onDone();
            await workspace.runs.open(run);
            workspace.canvas.reveal({ node });
          }}
        />
      ) : (
        <div className="min-h-0 flex-1 overflow-y-auto border-line border-t px-5 py-3" data-testid="differences">
          {beganOtherwise(comparison) ? (
            <WhySection
              before={before.run}
              after={after.run}
              onShow={(run) => {
                onDone();
                void workspace.runs.open(run);
              }}
            />
          ) : null}
          {comparison.input ? <Change name={TEXTS.inputOfRun} change={comparison.input} /> : null}
          {comparison.lists.map((list) => (
            <p
              key={`${list.path?.join("/") ?? ""}/${list.at.node}/${list.at.epoch.join(".")}`}
              className="mb-2 text-sm"
            >
              {describeList(list, workspace.nodeNames)}
            </p>
          ))}
          {groups.map((group) => (
            <section key={group.id} className="mb-4" data-testid={`differences-${group.id}`}>
              <h3 className="mb-1.5 font-semibold text-fg-2 text-sm">{GROUPS[group.id]}</h3>
              <ul className="flex flex-col gap-2">
                {gathered(group.differences).map(({ difference, more }) => (
                  <Difference key={keyOf(difference)} difference={difference} more={more} onDone={onDone} />
                ))}
              </ul>
            </section>
          ))}
          <p className="text-fg-2 text-sm">
            {comparison.differences.length === 0
              ? TEXTS.runsDidTheSame(formatCount(comparison.same))
              : TEXTS.stepsDiffer(formatCount(comparison.same), formatCount(comparison.differences.length))}
          </p>
        </div>
      )}
      <ComparisonButtons testId="comparison-on-canvas" onCanvas={() => void onCanvas()} onClose={onDone} />
    </>
  );
}

function Totals({ before, after }: Pick<ComparedRuns["comparison"], "before" | "after">) {
  const rows = [
    { name: TEXTS.firstRun, totals: before },
    { name: TEXTS.secondRun, totals: after },
  ];
  return (
    <table className="text-sm tabular-nums">
      <tbody>
        {rows.map(({ name, totals }) => (
          <tr key={name}>
            <th scope="row" className="pr-4 text-left font-normal text-fg-3">
              {name}
            </th>
            <td className="pr-4">{totals.status}</td>
            <td className="pr-4">{totals.durationMs === undefined ? "" : formatDuration(totals.durationMs)}</td>
            <td className="pr-4">{TEXTS.tokensOfRun(formatCount(totals.tokens.input + totals.tokens.output))}</td>
            <td>{formatRunCost(totals.cost, false)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

type DifferenceProps = {
  difference: RunDifference;
  /** How many more steps of the node only the same run has. */
  more: number;
  onDone: () => void;
};

function Difference({ difference, more, onDone }: DifferenceProps) {
  const workspace = useWorkspace();
  const { before, after, path, changes } = difference;
  const node = nodeOf(difference);
  const at = after ?? before;
  const name = path === undefined ? workspace.nodeNames.nameOf(node) : [...path, node].join(" › ");
  const iteration = at && at.at.epoch.length > 0 ? ` #${at.at.epoch.map((counter) => counter + 1).join(".")}` : "";
  const show = async () => {
    onDone();
    if (at) await workspace.runs.open(at.run);
    workspace.canvas.reveal({ node });
  };
  return (
    <li className="rounded-lg border border-line px-3 py-2">
      <button
        type="button"
        className="flex w-full items-baseline gap-2 rounded text-left hover:text-accent"
        onClick={() => void show()}
      >
        <b className="min-w-0 truncate font-medium">
          {name}
          {iteration}
        </b>
        {more > 0 ? <span className="shrink-0 text-fg-2 text-sm">{TEXTS.andMoreSteps(formatCount(more))}</span> : null}
        <span className="ml-auto shrink-0 text-fg-3 text-xs tabular-nums">{used(difference)}</span>
      </button>
      {changes.map((change, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a comparison does not change
        <ChangeOfActivation key={index} change={change} />
      ))}
    </li>
  );
}

function ChangeOfActivation({ change }: { change: ActivationChange }) {
  if (change.kind === "state") {
    return <Change name={nameOfChange(change)} change={{ before: change.before, after: change.after }} />;
  }
  return <Change name={nameOfChange(change)} change={change.change} />;
}

function keyOf({ path, before, after }: RunDifference): string {
  const place = (at: typeof before) => (at ? `${at.at.node}#${at.at.epoch.join(".")}` : "");
  return `${path?.join("/") ?? ""}/${place(before)}/${place(after)}`;
}

function used({ before, after }: RunDifference): string {
  if (!before) return TEXTS.onlyInSecond;
  if (!after) return TEXTS.onlyInFirst;
  const tokens = [before, after].map((shown) => shown.tokens.input + shown.tokens.output);
  return tokens[0] === tokens[1] ? "" : TEXTS.tokensChanged(formatCount(tokens[0] ?? 0), formatCount(tokens[1] ?? 0));
}

type Names = { nameOf: (node: NodeId) => string };

function describeList(list: ListComparison, names: Names): string {
  const { path, at, inserted, removed, moved, changed, unchanged } = list;
  const items = (places: number[], word: string) =>
    places.length === 0 ? [] : [`${TEXTS.items(itemNumbers(places), places.length)} ${word}`];
  const parts = [
    ...items(inserted, TEXTS.itemsInserted),
    ...items(removed, TEXTS.itemsRemoved),
    ...items(moved, TEXTS.itemsMoved),
    ...items(changed, TEXTS.itemsChanged),
    TEXTS.itemsUnchanged(formatCount(unchanged)),
  ];
  const name = path === undefined ? names.nameOf(at.node) : [...path, at.node].join(" › ");
  return `${name}: ${parts.join("; ")}`;
}
