/** Every text of the fields of breakpoints. */
export const TEXTS = {
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
