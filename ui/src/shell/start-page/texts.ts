/** Every text of the start page. */
export const TEXTS = {
  recentFlows: "Recent flows",
  templates: "My templates",
  examples: "Examples",
  fileNotFound: "File not found",
  forget: (name: string) => `Remove ${name} from recent`,
  renameTemplate: (name: string) => `Rename template ${name}`,
  deleteTemplate: (name: string) => `Delete template ${name}`,
  templateName: "Template name",
} as const;
