/** The problems of the flow, from its check, and of the run. */
import { useMemo } from "react";
import { useStore } from "zustand";
import type { Diagnostic, EdgeId, Epoch, Flow, NodeId } from "@/bindings";
import { isContainer } from "@/flow/containers/containers";
import type { NodeTypes } from "@/flow/node-types/node-types";
import { displayedEpoch, formatIteration } from "@/run/fold/epoch";
import type { ShownRun } from "@/run/live/past-run";
import type { NodeNames } from "@/run/nodes/node-names";
import { wasStopped } from "@/run/values/outputs";
import { useFlow, useNodeTypes, useWorkspace } from "@/workspace/context";
import type { FieldDrafts } from "@/workspace/field-drafts";
import { useRunHead, useShownRun } from "@/workspace/run-hooks";
import { TEXTS } from "./texts";

export type Problem = {
  key: string;
  severity: "error" | "warning";
  /** Whether it is the run's, and not the flow's. */
  ofRun: boolean;
  code: string;
  message: string;
  hint?: string;
  node?: NodeId;
  edge?: EdgeId;
  epoch?: Epoch;
  /** The place in the flow's file, as a JSON pointer. */
  pointer?: string;
};

export function useProblems(): Problem[] {
  const { nodeNames } = useWorkspace();
  const diagnostics = useFlow((state) => state.checked.diagnostics);
  const drafts = useDrafts();
  const run = useShownRun();
  const types = useNodeTypes((all) => all);
  // Problems change only when a node fails (counts), the run ends (status) or a loop is exhausted.
  const failed = useRunHead((head) => head.counts.failed);
  const status = useRunHead((head) => head.status);
  const loops = useRunHead((head) => head.loops);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the run is mutable; these say when it changed.
  return useMemo(
    () => [...runProblems(run, types, nodeNames), ...sorted([...diagnosed(diagnostics), ...unfinished(drafts)])],
    [diagnostics, drafts, run, types, nodeNames, failed, status, loops],
  );
}

type Draft = ReturnType<FieldDrafts["ofNodes"]>[number];

const NO_DRAFTS: readonly Draft[] = [];

/** The invalid texts in fields of the shown flow. */
function useDrafts(): readonly Draft[] {
  const { fieldDrafts } = useWorkspace();
  const all = useStore(fieldDrafts.store);
  const state = useFlow((flow) => (all.size === 0 ? undefined : flow));
  const drafts = state ? fieldDrafts.ofNodes(state) : NO_DRAFTS;
  return drafts.length > 0 ? drafts : NO_DRAFTS;
}

export function useProblemCount(): { total: number; errors: number } {
  const problems = useProblems();
  return { total: problems.length, errors: problems.filter((problem) => problem.severity === "error").length };
}

function diagnosed(diagnostics: readonly Diagnostic[]): Problem[] {
  return diagnostics.map((one, index) => {
    return { ...one, key: `${index}/${one.code}/${one.pointer}`, ofRun: false };
  });
}

/** The drafts in fields that are not part of the flow yet. */
function unfinished(drafts: readonly Draft[]): Problem[] {
  return drafts.map(({ key, node, label, problem }) => ({
    key: `draft/${key}`,
    severity: "warning",
    ofRun: false,
    code: "config.invalid",
    message: TEXTS.invalidText(label, problem),
    hint: TEXTS.flowKeepsLastValue,
    node,
  }));
}

/** Errors come first. */
function sorted(problems: Problem[]): Problem[] {
  const rank = ({ severity }: Problem) => (severity === "error" ? 0 : 1);
  return problems.sort((a, b) => rank(a) - rank(b));
}

function runProblems(run: ShownRun | undefined, types: NodeTypes, names: NodeNames): Problem[] {
  if (!run) return [];
  const { head, nodes } = run.fold;
  const found: Problem[] = [];
  for (const id of run.order) {
    const view = nodes.get(id);
    const displayed = view ? displayedEpoch(view) : undefined;
    if (view?.state === "skipped" && displayed?.skippedAfter) {
      const failed = names.nameOf(displayed.skippedAfter.node);
      found.push({
        key: `run/${id}`,
        severity: "warning",
        ofRun: true,
        code: "node.skipped_after_failure",
        message: TEXTS.skippedAfter(failed),
        hint: TEXTS.connectError(failed),
        node: id,
        epoch: displayed.epoch,
      });
      continue;
    }
    if (view?.state !== "failed") continue;
    if (!displayed?.error || wasStopped(displayed)) continue;
    const { code, message, hint } = displayed.error;
    const severity = displayed.handled ? "warning" : "error";
    found.push({ key: `run/${id}`, severity, ofRun: true, code, message, hint, node: id, epoch: displayed.epoch });
  }
  const { error } = head;
  if (error && !found.some((problem) => problem.node === error.node)) {
    const { code, message, hint } = error.error;
    found.push({
      key: "run",
      severity: "error",
      ofRun: true,
      code,
      message,
      hint,
      node: error.node,
      epoch: error.epoch,
    });
  }
  return [...found, ...exhausted(run.fold, run.flow, types, names)];
}

function exhaustedHint(limit: number, unattended: boolean): string {
  const iterations = limit === 1 ? "iteration" : "iterations";
  return unattended
    ? `Nobody was asked for ${limit} ${iterations} in a row. Set “Max iterations” on a node of the cycle to allow more.`
    : `The limit is ${limit} ${iterations}. Raise “Max iterations” on a node of the cycle to allow more.`;
}

function exhausted({ head }: ShownRun["fold"], flow: Flow, types: NodeTypes, names: NodeNames): Problem[] {
  return Object.entries(head.loops).flatMap(([node, loop]): Problem[] => {
    if (loop?.exhausted === undefined) return [];
    const isLoop = isContainer(types, flow.nodes[node]);
    const iteration = formatIteration(loop.epoch);
    return [
      {
        key: `loop/${node}`,
        severity: "warning",
        ofRun: true,
        code: "loop.exhausted",
        message: isLoop
          ? TEXTS.loopStoppedAt(names.nameOf(node), iteration)
          : TEXTS.cycleFromStoppedAt(names.nameOf(node), iteration),
        hint: isLoop
          ? TEXTS.raiseMaxIterations(loop.exhausted)
          : exhaustedHint(loop.exhausted, loop.unattended ?? false),
        node,
      },
    ];
  });
}

/** The name of a problem's node, with its iteration if it has one. */
export function placeOf(problem: Problem, names: NodeNames): string | undefined {
  if (problem.node === undefined) return problem.edge;
  const iteration = problem.epoch && formatIteration(problem.epoch);
  return iteration ? `${names.nameOf(problem.node)} · iteration ${iteration}` : names.nameOf(problem.node);
}
