import type { Flow, FrameId, NodeId } from "@/bindings";
import { containersAround } from "@/flow/containers/containers";
import { type Fold, foldedAround, foldsAround, isFolded } from "@/flow/containers/folding";
import { documentFlow } from "@/flow/document/flow-state";
import type { Workspace } from "@/workspace/workspace";
import { importSteps, nodeOfStep } from "./import-steps";

/** Shows a place that the import changed: selects its node and moves it to the middle. What was unfolded for the place before is folded. */
export function showImportStep(workspace: Workspace, at: number): void {
  const { canvas, editor, layout, overlays } = workspace;
  const report = editor.state.importReport;
  const step = report && importSteps(report)[at];
  if (!step) return;
  overlays.showImportReport(false);
  layout.closePage();
  editor.leaveView();
  editor.closeInner(0);
  const flow = documentFlow(editor.state);
  const node = nodeOfStep(step, flow);
  const shown = overlays.store.getState().importStep;
  const before = shown?.report === report ? shown.unfolded : [];
  const around =
    node === undefined ? [] : [...foldsAround(flow, node), ...before.filter((one) => isAround(flow, one, node))];
  foldAgain(
    workspace,
    before.filter((one) => !around.includes(one)),
  );
  overlays.showImportStep({ report, at, unfolded: around });
  if (node !== undefined) canvas.revealOnceDrawn({ node, center: true });
}

/** Ends the way through the places. */
export function endImportSteps(workspace: Workspace): void {
  const { editor, overlays } = workspace;
  const { importStep } = overlays.store.getState();
  overlays.showImportStep(undefined);
  if (importStep && importStep.report === editor.state.importReport) foldAgain(workspace, importStep.unfolded);
}

/** Folds what is still there and open. In place of a selected node that is hidden then, its card is selected. */
function foldAgain({ editor }: Workspace, unfolded: readonly Fold[]): void {
  const flow = documentFlow(editor.state);
  const isOpenLoop = (id: NodeId) => Object.hasOwn(flow.nodes, id) && !isFolded(flow, id);
  const isOpenFrame = (id: FrameId) => flow.frames?.[id] !== undefined && flow.frames[id]?.folded !== true;
  const nodes = unfolded.flatMap(({ loop }) => (loop !== undefined && isOpenLoop(loop) ? [loop] : []));
  const frames = unfolded.flatMap(({ frame }) => (frame !== undefined && isOpenFrame(frame) ? [frame] : []));
  if (nodes.length + frames.length === 0) return;
  editor.fold({ nodes, frames }, true);
  const folded = documentFlow(editor.state);
  const [hidden] = [...editor.state.selection.nodes].flatMap((id) => foldedAround(folded, id) ?? []);
  if (hidden?.frame !== undefined) editor.selectOnly({ frames: [hidden.frame] });
  else if (hidden) editor.selectOnly({ nodes: [hidden.loop] });
}

function isAround(flow: Flow, { loop, frame }: Fold, node: NodeId): boolean {
  const around = containersAround(flow, node);
  if (loop !== undefined) return around.includes(loop);
  return [node, ...around].some((one) => flow.frames?.[frame]?.nodes.includes(one));
}
