/** Which of several stops is looked at: the whole run and branches of it may stand still at once. */
import { FastForward } from "lucide-react";
import type { NodeId, StopView } from "@/bindings";
import { Button } from "@/design/controls/Button";
import { Select } from "@/design/controls/Select";
import { Tooltip } from "@/design/controls/Tooltip";
import { beginnerOf } from "@/run/debug/stack";
import { formatIteration } from "@/run/fold/epoch";
import type { NodeView } from "@/run/fold/types";
import { TEXTS } from "@/shell/texts";
import { useKeys, useWorkspace } from "@/workspace/context";
import { useShownRun } from "@/workspace/run-hooks";
import type { Workspace } from "@/workspace/workspace";
import { showStop } from "./show-stop";

type Nodes = ReadonlyMap<NodeId, NodeView>;

const NO_NODES: Nodes = new Map();

export function StopChooser({ stops, stop }: { stops: readonly StopView[]; stop: StopView }) {
  const workspace = useWorkspace();
  const keys = useKeys("debug.nextStop");
  const nodes = useShownRun()?.fold.nodes ?? NO_NODES;
  const options = stops.map((one) => ({ id: String(one.number), label: labelOf(one, nodes, workspace) }));
  return (
    <Tooltip label={TEXTS.chooseStopHint} keys={keys}>
      <Select
        label={TEXTS.chooseStop(stops.length)}
        className="max-w-56 shrink-0"
        testId="stop-chooser"
        options={options}
        value={String(stop.number)}
        onChange={(id) => {
          const chosen = stops.find(({ number }) => String(number) === id);
          if (chosen) showStop(workspace, chosen);
        }}
      />
    </Tooltip>
  );
}

export function ContinueAll() {
  const { runs } = useWorkspace();
  const keys = useKeys("debug.continueAll");
  return (
    <Tooltip label={TEXTS.continueAllHint} keys={keys}>
      <Button data-testid="go-continue-all" onClick={() => void runs.debugger.goAll()}>
        <FastForward size={14} aria-hidden /> <span className="@max-[900px]:sr-only">{TEXTS.continueAll}</span>
      </Button>
    </Tooltip>
  );
}

/** The place in a few words: the node, its iteration, and the side of it; of a stop in a sub-flow, the node that began it. */
function labelOf({ at, scope, cause }: StopView, nodes: Nodes, { nodeNames }: Workspace): string {
  const isWhole = scope !== "branch";
  if (!at && cause.kind === "elsewhere") {
    const beginner = beginnerOf(nodes, cause.run)?.node;
    if (beginner !== undefined && !isWhole) return TEXTS.stackSubflow(nodeNames.nameOf(beginner));
    return TEXTS.stopBelow(isWhole);
  }
  if (!at) return TEXTS.stopOfRun;
  const iteration = formatIteration(at.epoch);
  const parts = [
    TEXTS.stopPlace[at.side](nodeNames.nameOf(at.node)),
    ...(iteration === "" ? [] : [TEXTS.stackIteration(iteration)]),
    ...(isWhole ? [TEXTS.stopOfRun] : []),
  ];
  return TEXTS.stackEntry(...parts);
}
