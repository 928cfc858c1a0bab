/** Every text of the dock itself. */
export const TEXTS = {
  dock: "Dock",
  chatOnRight: "Show conversation on the right",
  dockLine: "Folded dock",
  answerInDock: "Answer",
  showTab: (title: string) => `Show ${title}`,
  hideTab: (title: string) => `Hide ${title}`,
  events: (count: string) => `${count} ${count === "1" ? "event" : "events"}`,
  showEvents: "Show events",
  noRunYet: "No run yet",
  noQuestion: "No open questions",
  resultOf: (node: string) => `${node} asks`,
} as const;
