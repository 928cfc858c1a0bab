import { useStore } from "zustand";
import type { LineageSpot, LineageStep } from "@/bindings";
import { Button } from "@/design/controls/Button";
import { Empty } from "@/design/text/Empty";
import { formatIteration } from "@/run/fold/epoch";
import { type Lineage, stepsOf } from "@/run/lineage/lineage-store";
import { useWorkspace } from "@/workspace/context";
import type { Workspace } from "@/workspace/workspace";
import { describeSource, TEXTS } from "./texts";

/** The way of a text through the run, step by step. */
export function LineageTab() {
  const { lineage: store } = useWorkspace();
  const lineage = useStore(store.store, (state) => state.lineage);
  if (!lineage) {
    return (
      <Empty title={TEXTS.nothing}>
        <p>{TEXTS.selectText}</p>
      </Empty>
    );
  }
  return (
    <div className="h-full overflow-auto px-3.5 py-2 text-sm" data-testid="lineage">
      <h2 className="mb-1 font-semibold text-fg-3 text-xs">{lineage.direction === "from" ? TEXTS.from : TEXTS.to}</h2>
      <ol aria-label={lineage.direction === "from" ? TEXTS.from : TEXTS.to}>
        {stepsOf(lineage).map((step, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: steps are only ever added at the end.
          <li key={index}>
            <Step step={step} isFirst={index === 0} isShown={step === lineage.shown} />
          </li>
        ))}
      </ol>
      <End lineage={lineage} />
    </div>
  );
}

function Step({ step, isFirst, isShown }: { step: LineageStep; isFirst: boolean; isShown: boolean }) {
  const workspace = useWorkspace();
  return (
    <button
      type="button"
      className="flex w-full items-baseline gap-2 rounded-sm px-1.5 py-0.5 text-left hover:bg-bg-3 aria-[current]:bg-bg-3"
      aria-current={isShown ? "step" : undefined}
      onClick={() => void openStep(workspace, step)}
    >
      <Place step={step} />
      {isFirst ? null : <Certainty step={step} />}
      {step.source ? (
        <b className="ml-auto shrink-0 font-semibold" data-testid="lineage-source">
          {describeSource(step.source, (node) => workspace.nodeNames.nameOf(node))}
        </b>
      ) : null}
    </button>
  );
}

function Place({ step }: { step: LineageStep }) {
  const workspace = useWorkspace();
  const isElsewhere = step.run !== workspace.activeRun.shown?.run;
  return (
    <>
      <span className="shrink-0 font-semibold text-fg-2">{describePlace(workspace, step.spot)}</span>
      {isElsewhere ? <span className="shrink-0 text-fg-3 text-xs">{TEXTS.subFlow}</span> : null}
      <span className="min-w-0 truncate">
        <mark className="rounded-[2px] bg-wait/30 text-fg">{step.text}</mark>
      </span>
    </>
  );
}

function Certainty({ step }: { step: LineageStep }) {
  if (step.certainty === "copied") return null;
  return (
    <span className="shrink-0 text-wait text-xs">
      {step.certainty === "sameText" ? TEXTS.sameText : TEXTS.computed}
    </span>
  );
}

/** The choices at the end of the chain, or why there are none. */
function End({ lineage }: { lineage: Lineage }) {
  const workspace = useWorkspace();
  if (lineage.loading) return <p className="mt-1 text-fg-3 text-xs">{TEXTS.searching}</p>;
  if (lineage.error !== undefined) {
    return (
      <p className="mt-1 text-bad text-xs" role="alert">
        {String(lineage.error)}
      </p>
    );
  }
  const last = lineage.chains.at(-1);
  const choices = last?.choices ?? [];
  if (choices.length === 0) {
    if (last?.steps.at(-1)?.source) return null;
    return <p className="mt-1 text-fg-3 text-xs">{lineage.direction === "from" ? TEXTS.endFrom : TEXTS.endTo}</p>;
  }
  return (
    <fieldset className="mt-2" aria-label={choiceTitle(lineage, choices.length)}>
      <span className="text-fg-3 text-xs">{choiceTitle(lineage, choices.length)}</span>
      <ul>
        {choices.map((step, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the choices of a chain never change.
          <li key={index} className="flex items-baseline gap-2 py-0.5">
            <Button
              className="max-w-full"
              title={TEXTS.followThis(describePlace(workspace, step.spot))}
              data-testid="lineage-choice"
              onClick={() => void choose(workspace, step)}
            >
              <Place step={step} />
              <Certainty step={step} />
            </Button>
            {step.source ? (
              <span className="text-fg-3 text-xs">
                {describeSource(step.source, (node) => workspace.nodeNames.nameOf(node))}
              </span>
            ) : null}
          </li>
        ))}
      </ul>
      {last?.more ? <p className="text-fg-3 text-xs">{TEXTS.more}</p> : null}
    </fieldset>
  );
}

function choiceTitle({ direction }: Lineage, count: number): string {
  if (direction === "to") return TEXTS.chooseTo;
  return count === 1 ? TEXTS.chooseComputed : TEXTS.chooseFrom;
}

async function choose(workspace: Workspace, step: LineageStep): Promise<void> {
  await workspace.lineage.choose(step);
  const { lineage } = workspace.lineage.store.getState();
  if (lineage?.shown) await openStep(workspace, lineage.shown);
}

/** Shows a step: its node, in its iteration, and its value or prompt. */
async function openStep(workspace: Workspace, step: LineageStep): Promise<void> {
  const { spot, run } = step;
  // It may be later than the moment that is looked at.
  workspace.activeRun.lookAt(undefined);
  if (run !== workspace.activeRun.shown?.run) await workspace.runs.open(run);
  workspace.lineage.show(step);
  if (!("node" in spot)) return;
  const isOfCall = spot.kind === "message" || spot.kind === "reply";
  workspace.layout.showInspectorTab(isOfCall ? "prompt" : "io");
  if (isOfCall) workspace.epochChoice.chooseCall(spot.node, spot.epoch, spot.call);
  else if ("epoch" in spot) workspace.epochChoice.choose(spot.node, spot.epoch);
  workspace.canvas.reveal({ node: spot.node });
}

function describePlace(workspace: Workspace, spot: LineageSpot): string {
  if (spot.kind === "runInput") return TEXTS.runInput;
  const name = workspace.nodeNames.nameOf(spot.node);
  if (spot.kind === "set") return `${name} · ${TEXTS.set(spot.port)}`;
  const iteration = spot.epoch.length > 0 ? ` ${formatIteration(spot.epoch)}` : "";
  return `${name}${iteration} · ${partOf(spot)}`;
}

function partOf(spot: Exclude<LineageSpot, { kind: "runInput" } | { kind: "set" }>): string {
  switch (spot.kind) {
    case "output":
      return spot.port;
    case "input":
      return TEXTS.input(spot.port);
    case "message":
      return TEXTS.prompt(spot.call + 1, spot.message + 1);
    case "reply":
      return TEXTS.reply(spot.call + 1);
    case "toolResult":
      return TEXTS.toolResult(spot.tool + 1);
    case "toolArguments":
      return TEXTS.toolArguments(spot.tool + 1);
    case "answer":
      return TEXTS.answer(spot.question + 1);
  }
}
