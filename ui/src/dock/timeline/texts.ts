/** Every text of this part of the window. */
export const TEXTS = {
  iteration: (iteration: string | number) => ` · iteration ${iteration}`,
  from: ", from",
  soFar: " so far",
  tokensInOut: (input: string | number, output: string | number) => `${input} tokens in, ${output} out`,
  attempts: (count: string | number) => `${count} attempts`,
  noRunYet: "No run yet",
  runFlowSeeWhen: "Run the flow to see when each node works, waits and calls tools.",
  timeline: "Timeline",
  collapseWaitingTime: "Collapse waiting time",
  zoomOut: "Zoom out",
  zoomIn: "Zoom in",
  fit: "Fit",
  stopped: (duration: string) => `${duration} stopped`,
  notBegun: (name: string) => `${name}, not begun`,
} as const;
