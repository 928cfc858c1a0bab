/** Every text of this part of the window. */
export const TEXTS = {
  whatVaries: "What varies",
  results: "Results",
  resultsOfSuite: "Results as a table",
  runDataset: "Run all rows",
  rows: (count: number) => (count === 1 ? "1 row" : `${count} rows`),
  title: "Tests",
  runAll: "Run all",
  runCase: "Run test",
  stop: "Stop",
  running: "Running…",
  loading: "Loading tests…",
  couldntLoad: "Couldn’t load tests",
  tryAgain: "Try again",
  noFile: "Save this flow first",
  noFileHelp: "Tests stand in a file beside the flow.",
  none: "No tests yet",
  noneHelp: "A test replays a recorded run and checks its outputs. Run the flow, then make a test of the run.",
  makeTest: "Make a test of this run",
  unsaved: "Tests run the flow as it was last saved.",
  openInDebugger: "Open in debugger",
  openRun: "Open run",
  live: "live",
  checks: (names: readonly string[]) => `Checks: ${names.length === 0 ? "that it finishes" : names.join(", ")}`,
  summary: (passed: number, failed: number, open: number) =>
    [`${passed} passed`, ...(failed > 0 ? [`${failed} failed`] : []), ...(open > 0 ? [`${open} not run`] : [])].join(
      ", ",
    ),
  rate: (passed: number, runs: number, low: number, high: number) =>
    `${passed} of ${runs} passed, with 95 % confidence ${Math.round(low * 100)}–${Math.round(high * 100)} %`,
  ofRun: (number: number) => `Run ${number}: `,
  passed: "Passed",
  failed: "Failed",
  notRun: "Not run",
  added: (name: string) => `Added the test “${name}”`,
  addedFailing: (name: string, why: string) =>
    `Added the test “${name}”. It fails with the flow as it is saved: ${why}`,
  ended: "The run ended before it came to the difference.",
  billTitle: "Run live tests?",
  bill: (runs: number, atMost: string, hasUnknown: boolean, judgments: number, actsOutside: boolean) =>
    [
      ...(runs > 0
        ? [
            `${runs} live ${runs === 1 ? "run" : "runs"} cost at most ${atMost}${hasUnknown ? ", and what nobody knows before" : ""}.`,
          ]
        : []),
      ...(judgments > 0
        ? [`A model judges up to ${judgments} ${judgments === 1 ? "output" : "outputs"}, at its price.`]
        : []),
      ...(actsOutside ? ["They may use what this flow was granted."] : []),
    ].join(" "),
} as const;
