/** Ways through a comparison on the canvas. */
import { revealGhost } from "@/canvas/comparison/ghosts";
import { displayedFlow } from "@/flow/document/flow-state";
import type { Command } from "@/workspace/commands/command";
import { comparisonOnCanvas } from "@/workspace/comparison-hooks";
import type { Workspace } from "@/workspace/workspace";

/** What else they are looked for by. */
const TERMS: readonly string[] = ["compare", "diff", "run", "version", "execution"];

/** Goes to the next difference, or to the one before: in a sub-flow, its run is opened. */
async function goToDifference(workspace: Workspace, by: 1 | -1): Promise<void> {
  const { canvasComparison, canvas, runs, editor, activeRun } = workspace;
  const shown = comparisonOnCanvas(workspace);
  const step = shown && canvasComparison.step(shown.steps, by);
  if (!step) return;
  const { node, edge, run } = step;
  const { ghosts } = shown.marks;
  const isHere = node !== undefined && Object.hasOwn(displayedFlow(editor.state).nodes, node);
  if (node !== undefined && !isHere && ghosts.nodes.includes(node)) {
    revealGhost(workspace, ghosts, node);
  } else if (run !== undefined && run !== activeRun.shown?.run && !hasNode(shown.marks.nodes, node)) {
    await runs.open(run);
    canvas.revealOnceDrawn({ node });
  } else canvas.reveal({ node, edge });
}

function hasNode(nodes: ReadonlyMap<string, unknown>, node: string | undefined): boolean {
  return node !== undefined && nodes.has(node);
}

export const comparisonCommands: readonly Command[] = [
  {
    id: "comparison.next",
    title: "Next difference",
    group: "View",
    keys: ["F4"],
    terms: [...TERMS],
    enabled: (workspace) => (comparisonOnCanvas(workspace)?.steps.length ?? 0) > 0,
    run: (workspace) => goToDifference(workspace, 1),
  },
  {
    id: "comparison.previous",
    title: "Previous difference",
    group: "View",
    keys: ["Shift+F4"],
    terms: [...TERMS],
    enabled: (workspace) => (comparisonOnCanvas(workspace)?.steps.length ?? 0) > 0,
    run: (workspace) => goToDifference(workspace, -1),
  },
  {
    id: "comparison.clear",
    title: "Clear comparison",
    group: "View",
    terms: [...TERMS],
    enabled: ({ canvasComparison }) => canvasComparison.store.getState().shown !== undefined,
    run: ({ canvasComparison }) => canvasComparison.clear(),
  },
];
