/** Why nodes cannot be converted to a sub-flow, or a sub-flow cannot be dissolved. */
export const SUBFLOW_TEXTS = {
  differentLoops: "Select nodes of the same loop, or none of them in a loop. A sub-flow is in one place only.",
  nothingRuns: "Select at least one node that runs.",
  workflowMemory: "This flow has a workflow memory, which a sub-flow would not share.",
  unknownType: (name: string) => `The type of “${name}” is not known here, so its ports are not either.`,
  isResult: (name: string) => `“${name}” is a result of this flow. Leave it outside.`,
  isRunInput: (name: string) =>
    `“${name}” takes the input of the run, which a sub-flow does not see. Leave it outside.`,
  readsAnswers: (name: string) => `“${name}” reads the answers given in its loop, which a sub-flow does not see.`,
  inConversation: (name: string, loop: string) =>
    `“${name}” takes part in the conversation of “${loop}”, which a sub-flow does not see.`,
  readsAcross: (reader: string, read: string) =>
    `“${reader}” reads a value of “${read}” by its ID. Connect them with an edge, or select both.`,
  portalAcross: (channel: string) =>
    `The portals of channel “${channel}” would be in different flows. Select all of them.`,
  contextAcross: (source: string, target: string) =>
    `The conversation goes on from “${source}” to “${target}”. A sub-flow has conversations of its own: select both, or neither.`,
  toolsAcross: (source: string, target: string) =>
    `“${target}” gets its tools from “${source}”. Tools can’t be passed to a sub-flow: select both, or neither.`,
  leavesLoop: (source: string, loop: string) => `The edge from “${source}” leaves the loop “${loop}” by its side.`,
  gathers: (name: string) => `“${name}” gathers several values, some of them from outside. Select all their nodes.`,
  cycleCut: (name: string) =>
    `“${name}” is between selected nodes, so the sub-flow would wait for itself. Select it too.`,
  isFile: "This sub-flow runs a file. Only a flow that is inside of its node can be dissolved.",
  unreadable: "The flow inside of this node can’t be read.",
  hasConversation: "This sub-flow adds its result to a conversation, which its nodes alone would not.",
  takesText: (name: string) => `“${name}” takes the text that this sub-flow is given. Replace it first.`,
  ownSettings: "The flow inside has settings of its own, which would be lost.",
  usesWhole: (name: string) =>
    `“${name}” takes more than one result of this sub-flow, so it can’t be connected to its nodes.`,
  usesError: (name: string) => `“${name}” takes the failure of the whole sub-flow.`,
  hasRetries: "This sub-flow is tried again or limited as a whole, which its nodes alone would not be.",
  missingInput: (target: string) => `The sub-flow passes a value to “${target}”, which is not there.`,
} as const;
