/** Every text of this part of the window. */
export const TEXTS = {
  waitsForYou: (name: string) => `“${name}” is waiting for you`,
  noRunInIteration: "The node started no run in this iteration.",
  noRunOfNode: "This node has not run yet. Run the flow to see its sub-flow run.",
  previousRunWaits: "The previous run is still waiting for you. Find it in Runs.",
  untitledFlow: "Untitled flow",
  deleteRunTitle: "Delete run?",
  deleteRunWarning: (name: string | number) =>
    `This permanently deletes the run of “${name}” with its inputs, outputs and messages. The flow is kept.`,
  deleteRun: "Delete run",
  open: "Open",
  retry: "Retry",
  rerun: "Rerun",
  rerunActsTitle: "Run it again, and act outside again?",
  reconnect: "Reconnect",
  truncated: "Truncated",
  truncatedHint:
    "The reply reached a limit of tokens, so its end is missing. Raise the maximum tokens, or ask for less.",
} as const;
