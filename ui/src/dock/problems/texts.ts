/** Every text of this part of the window. */
export const TEXTS = {
  noProblems: "No problems",
  problemsFlowRunAppear: "Problems with the flow or its run appear here.",
  thisRun: " · this run",
  showOnCanvas: (place: string | number) => `Show ${place} on canvas`,
  cycleFromStoppedAt: (node: string | number, epoch: string | number) =>
    `The cycle from ${node} stopped at its limit, after iteration ${epoch}.`,
} as const;
