import type { Side } from "@/bindings";

const SIDES: Record<Side, string> = { before: "before", call: "each call", after: "after" };

/** Every text of the places and fields of breakpoints. */
export const TEXTS = {
  /** Which side of a node, or which of its ports. */
  at: (side: Side, port?: string) =>
    port === undefined ? SIDES[side] : side === "before" ? `input ${port}` : `output ${port}`,
  anyNode: "Any node",
  fromOutput: (node: string, output: string, input: string) => `${input}, from ${node} › ${output}`,
  kindIn: { context: "a context comes in", data: "data comes in", tools: "tools come in" },
  kindOut: { context: "a context goes out", data: "data goes out", tools: "tools go out" },
  events: {
    contextChanged: "a context changes",
    memoryChanged: "the memory changes",
    historyTrimmed: "a history is trimmed",
    untrustedSent: "untrusted data would be sent",
    grantUsed: "a grant is used for the first time",
    attemptRetried: "an attempt is retried",
    spendingPassed: "spending passes a sum",
  },
  thisContextChanged: (context: string) => `context ${context} changes`,
  spendingPassed: (sum: string) => `spending passes ${sum}`,
  condition: "Condition",
  conditionHint:
    "A condition in CEL over value, inputs, outputs, error, iteration, attempt, tokens, cost and trimmed. Empty: always.",
  conditionExample: {
    before: "inputs.value == 'x'",
    call: "tokens > 1000",
    after: "size(outputs.text) > 100",
  },
  portConditionExample: "size(value) > 100",
  branchOnly: "This branch only",
  logText: "Log text",
  logTextHint:
    "A text for the events, which can read the same names as a condition: {{value}}. With it, runs do not pause here.",
  logTextExample: "Text for the events: {{value}}",
} as const;
