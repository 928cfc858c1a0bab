import { documentFlow } from "@/flow/document/flow-state";
import type { Workspace } from "@/workspace/workspace";
import { importSteps, nodeOfStep } from "./import-steps";

/** Shows a place that the import changed: selects its node and moves it to the middle. */
export function showImportStep(workspace: Workspace, at: number): void {
  const { canvas, editor, layout, overlays } = workspace;
  const report = editor.state.importReport;
  const step = report && importSteps(report)[at];
  if (!step) return;
  overlays.showImportReport(false);
  overlays.showImportStep({ report, at });
  layout.closePage();
  editor.leaveView();
  editor.closeInner(0);
  const node = nodeOfStep(step, documentFlow(editor.state));
  if (node !== undefined) canvas.revealOnceDrawn({ node, center: true });
}
