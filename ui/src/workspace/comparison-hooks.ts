/** What is compared on the canvas, as it stands for what the canvas shows now. */
import { useMemo } from "react";
import { useStore } from "zustand";
import { displayedFlow } from "@/flow/document/flow-state";
import {
  type ComparedOnCanvas,
  type Marks,
  marksOfDiff,
  marksOfImport,
  marksOfRuns,
  type Step,
  stepsOfImport,
  stepsOfMarks,
  stepsOfRuns,
} from "@/run/comparison/canvas-comparison";
import { useFlow, useWorkspace } from "./context";
import { useShownRun } from "./run-hooks";
import type { Workspace } from "./workspace";

/** A comparison that has a part in what the canvas shows. */
export type OnCanvas = { compared: ComparedOnCanvas; marks: Marks; steps: readonly Step[] };

type Parts = Pick<Workspace, "canvasComparison" | "editor" | "activeRun">;

export function comparisonOnCanvas({ canvasComparison, editor, activeRun }: Parts): OnCanvas | undefined {
  const { shown: compared, diff } = canvasComparison.store.getState();
  if (!compared) return undefined;
  if (compared.kind === "flow") {
    if (!diff || !canvasComparison.isOfDocument(editor.state)) return undefined;
    const marks = marksOfDiff(diff, editor.state.flow, compared.other, compared.otherIs);
    return { compared, marks, steps: stepsOfMarks(marks) };
  }
  const run = activeRun.shown?.run;
  if (run === undefined) return undefined;
  const canvas = displayedFlow(editor.state);
  const [marks, steps] =
    compared.kind === "import"
      ? [marksOfImport(compared.comparison, run, canvas), stepsOfImport(compared.comparison)]
      : [marksOfRuns(compared, run, canvas), stepsOfRuns(compared)];
  return marks && { compared, marks, steps };
}

export function useComparisonOnCanvas(): OnCanvas | undefined {
  const workspace = useWorkspace();
  const state = useStore(workspace.canvasComparison.store, ({ shown }) => shown);
  const diff = useStore(workspace.canvasComparison.store, (all) => all.diff);
  const flow = useFlow(displayedFlow);
  const place = useFlow(({ key, viewing, outer }) => `${key} ${viewing?.run} ${outer?.length}`);
  const run = useShownRun()?.run;
  // biome-ignore lint/correctness/useExhaustiveDependencies: they are what it reads.
  return useMemo(() => comparisonOnCanvas(workspace), [workspace, state, diff, flow, place, run]);
}
