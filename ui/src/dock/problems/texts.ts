/** Every text of this part of the window. */
export const TEXTS = {
  noProblems: "No problems",
  problemsFlowRunAppear: "Problems with the flow or its run appear here.",
  invalidText: (label: string, problem: string) => `“${label}” holds invalid JSON: ${problem}`,
  flowKeepsLastValue: "The flow keeps the last valid value. Correct the text, or clear the field.",
  thisRun: " · this run",
  showOnCanvas: (place: string | number) => `Show ${place} on canvas`,
  skippedAfter: (failed: string) => `Skipped, because “${failed}” failed, and its failure was handled elsewhere.`,
  connectError: (failed: string) => `Connect to “error” of “${failed}” what has to happen instead.`,
  loopStoppedAt: (node: string | number, iteration: string | number) =>
    `The loop ${node} stopped at its limit, after iteration ${iteration}.`,
  raiseMaxIterations: (limit: number) =>
    `The limit is ${limit} ${limit === 1 ? "iteration" : "iterations"}. Raise the loop’s “Max iterations” to allow more.`,
  cycleFromStoppedAt: (node: string | number, epoch: string | number) =>
    `The cycle from ${node} stopped at its limit, after iteration ${epoch}.`,
} as const;
