/** The way to the place where the run is held. Each entry shows its node and iteration on the canvas, or opens its run. */
import { ChevronRight, CornerDownRight } from "lucide-react";
import { Fragment } from "react";
import type { Epoch, NodeId, RunId, StopView } from "@/bindings";
import { beginnerOf, type StackEntry, stackOf } from "@/run/debug/stack";
import { formatIteration } from "@/run/fold/epoch";
import { TEXTS } from "@/shell/texts";
import { useFlow, useWorkspace } from "@/workspace/context";
import { useShownRun } from "@/workspace/run-hooks";
import type { Workspace } from "@/workspace/workspace";

const NONE: readonly never[] = [];

export function StopStack({ stop }: { stop: StopView }) {
  const workspace = useWorkspace();
  const shown = useShownRun();
  const viewing = useFlow((state) => state.viewing);
  if (!shown) return null;
  const { run, flow, fold } = shown;
  const above = viewing?.above ?? NONE;
  const entries = stackOf(stop, { run, flow, nodes: fold.nodes, above });
  const isNodeAlone = entries.length === 1 && entries[0]?.kind === "node";
  if (entries.length === 0 || isNodeAlone) return null;
  return (
    <nav className="-ml-1.5 w-full min-w-0" aria-label={TEXTS.stack} data-testid="stop-stack">
      <ol className="flex flex-wrap items-center gap-x-0.5 text-xs">
        {entries.map((entry, index) => (
          <Fragment key={keyOf(entry)}>
            {index > 0 ? <ChevronRight size={12} className="shrink-0 text-fg-3" aria-hidden /> : null}
            <li className="min-w-0">
              <button
                type="button"
                className="flex h-6 max-w-60 items-center gap-1 rounded-sm px-1.5 text-fg-2 hover:bg-bg-3 hover:text-fg"
                aria-current={index === entries.length - 1 ? "step" : undefined}
                title={hintOf(entry)}
                onClick={() => void show(workspace, entry)}
              >
                {entry.kind === "below" ? <CornerDownRight size={12} className="shrink-0" aria-hidden /> : null}
                <span className="truncate">{nameOf(entry, workspace)}</span>
              </button>
            </li>
          </Fragment>
        ))}
      </ol>
    </nav>
  );
}

function keyOf(entry: StackEntry): string {
  return `${entry.kind} ${"run" in entry ? entry.run : entry.node}`;
}

function nameOf(entry: StackEntry, { nodeNames, editor }: Workspace): string {
  switch (entry.kind) {
    case "run":
      return entry.label;
    case "loop": {
      const name = nodeNames.nameOf(entry.node);
      const { iteration } = entry;
      if (iteration === undefined) return name;
      const { viewing, flow } = editor.state;
      const isForEach = (viewing?.flow ?? flow).nodes[entry.node]?.config?.kind === "forEach";
      return TEXTS.stackEntry(name, isForEach ? TEXTS.stackItem(iteration + 1) : TEXTS.stackIteration(iteration + 1));
    }
    case "node": {
      const name = nodeNames.nameOf(entry.node);
      const details = [
        ...(entry.iterations.length > 0 ? [TEXTS.stackIteration(formatIteration(entry.iterations))] : []),
        ...(entry.attempt > 1 ? [TEXTS.stackAttempt(entry.attempt)] : []),
      ];
      return TEXTS.stackEntry(name, ...details);
    }
    case "call":
      return entry.call.charAt(0).toUpperCase() + entry.call.slice(1);
    case "below":
      return entry.node === undefined ? TEXTS.stackBelow : TEXTS.stackSubflow(nodeNames.nameOf(entry.node));
  }
}

function hintOf(entry: StackEntry): string {
  return entry.kind === "run" || entry.kind === "below" ? TEXTS.openRunOfStack : TEXTS.showOfStack;
}

async function show(workspace: Workspace, entry: StackEntry): Promise<void> {
  switch (entry.kind) {
    case "run":
      await workspace.runs.open(entry.run);
      showChild(workspace, entry.child);
      return;
    case "below":
      await workspace.runs.open(entry.run);
      return;
    case "loop":
      workspace.epochChoice.chooseIteration(entry.node, entry.epoch);
      workspace.canvas.reveal({ node: entry.node });
      return;
    case "call":
      workspace.layout.showInspectorTab("prompt");
      showActivation(workspace, entry.node, entry.epoch);
      return;
    case "node":
      showActivation(workspace, entry.node, entry.epoch);
  }
}

function showActivation({ epochChoice, canvas }: Workspace, node: NodeId, epoch: Epoch): void {
  epochChoice.choose(node, epoch);
  canvas.reveal({ node });
}

/** Shows the node that began a child run, in the run that was just opened. */
function showChild({ activeRun, epochChoice, canvas }: Workspace, child: RunId): void {
  const nodes = activeRun.shown?.fold.nodes;
  const beginner = nodes && beginnerOf(nodes, child);
  if (!beginner) return;
  epochChoice.choose(beginner.node, beginner.epoch);
  canvas.revealOnceDrawn({ node: beginner.node });
}
