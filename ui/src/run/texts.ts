/** Every text of this part of the window. */
export const TEXTS = {
  waitsForYou: (name: string) => `“${name}” is waiting for you`,
  noRunInIteration: "The node started no run in this iteration.",
  noRunOfNode: "This node has not run yet. Run the flow to see its sub-flow run.",
  chooseTrigger: "Where does the run begin?",
  chooseTriggerHint: "The flow has several triggers. Nodes that only others lead to are not run.",
  previousRunWaits: "The previous run is still waiting for you. Find it in Runs.",
  untitledFlow: "Untitled flow",
  deleteRunTitle: "Delete run?",
  deleteRunWarning: (name: string | number) =>
    `This permanently deletes the run of “${name}” with its inputs, outputs and messages. The flow is kept.`,
  deleteRun: "Delete run",
  repliesForgotten: "Other runs no longer take the replies of this run.",
  open: "Open",
  retry: "Retry",
  rerun: "Rerun",
  rerunTitle: "Rerun the edited flow",
  rerunHint: "What is asked as before is taken from the earlier run.",
  runFromTitle: (name: string) => `Run from “${name}”`,
  runFromHint:
    "This node and all that follows from it are done again. The rest is taken from the earlier run, which stays as it is.",
  runAgainTitle: (name: string) => `Run “${name}” again`,
  runAgainHint: "This node is done again. What follows from it is reused where it asks the same as before.",
  runOnlyTitle: (name: string) => `Run only “${name}”`,
  runOnlyHint: "This node is done again, and the run ends there. What leads to it is taken from the earlier run.",
  runLiveTitle: (name: string) => `Run with live results of “${name}”`,
  runLiveHint:
    "This node calls its tools and searches again. Replies are bought only where what it gets is not what it was.",
  sampleAgainTitle: (name: string) => `Sample again from “${name}”`,
  forkTitle: (count: number) => `Fork after event ${count}`,
  forkHint: "What the run did up to here is taken over. What came after is done again, in a run of its own.",
  earlierWaits: (count: number) =>
    count === 1
      ? "A run waits with the earlier version of this flow."
      : `${count} runs wait with earlier versions of this flow.`,
  show: "Show",
  reconnect: "Reconnect",
  truncated: "Truncated",
  truncatedHint:
    "The reply reached a limit of tokens, so its end is missing. Raise the maximum tokens, or ask for less.",
} as const;
