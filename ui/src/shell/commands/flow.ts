/** Commands for the document and its file. */
import type { Command } from "@/workspace/command";

export const flowCommands: readonly Command[] = [
  {
    id: "flow.new",
    title: "New flow",
    group: "Flow",
    keys: ["Mod+N", "Mod+Alt+N"],
    terms: ["create", "blank"],
    whileTyping: true,
    run: ({ files }) => files.newFlow(),
  },
  {
    id: "flow.open",
    title: "Open flow…",
    group: "Flow",
    keys: ["Mod+O"],
    terms: ["load", "file"],
    whileTyping: true,
    run: ({ files }) => files.openFile(),
  },
  {
    id: "flow.import",
    title: "Import…",
    group: "Flow",
    terms: ["open", "convert", "dify", "flowise", "langflow", "n8n", "rivet"],
    run: async ({ files, overlays }) => {
      const report = await files.importFile();
      if (report) overlays.showImport(report);
    },
  },
  {
    id: "flow.save",
    title: "Save",
    group: "Flow",
    keys: ["Mod+S"],
    terms: ["write", "file"],
    whileTyping: true,
    run: ({ files }) => files.save(),
  },
  {
    id: "flow.saveAs",
    title: "Save as…",
    group: "Flow",
    keys: ["Mod+Shift+S"],
    terms: ["copy", "export"],
    whileTyping: true,
    run: ({ files }) => files.saveAs(),
  },
];
