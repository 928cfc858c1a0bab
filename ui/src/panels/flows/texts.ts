/** Every text of this part of the window. */
export const TEXTS = {
  recent: "Recent",
  flowsYouOpenSave: "Flows you open or save appear here.",
  fileNotFound: "File not found",
  examples: "Examples",
} as const;
