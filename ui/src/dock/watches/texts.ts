/** Every text of this part of the window. */
export const TEXTS = {
  watches: "Watches",
  addWatch: "Watch an expression",
  watchExample: "Watch an expression, such as value.size() or nodes.ask.response",
  watchHint:
    "An expression in CEL over value, inputs, outputs, error, iteration, attempt, tokens, cost, trimmed and nodes.NAME.PORT.",
  removeWatch: (expression: string) => `Stop watching ${expression}`,
  noValue: "No value yet",
} as const;
