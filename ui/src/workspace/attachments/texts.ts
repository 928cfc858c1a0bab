export const TEXTS = {
  attachFiles: "Attach files",
  attachFilesHint: "Attach images, PDFs or text files. You can also drop or paste them.",
  attaching: "Attaching…",
} as const;
