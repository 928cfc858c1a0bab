/** Commands for the document and its file. */
import { notify } from "@/design/dialogs/notify";
import { displayedFlow, documentFlow } from "@/flow/document/flow-state";
import { compareImport } from "@/shell/import/compare-import";
import { TEXTS } from "@/shell/texts";
import type { Command } from "@/workspace/commands/command";
import type { Workspace } from "@/workspace/workspace";

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
    id: "flow.start",
    title: "New tab",
    group: "Flow",
    keys: ["Mod+T"],
    terms: ["start page", "recent", "templates", "examples"],
    whileTyping: true,
    run: ({ files }) => files.showStart(),
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
    terms: ["open", "convert", "dify", "flowise", "langflow", "n8n", "prompt flow", "rivet"],
    run: ({ files }) => files.importFile(),
  },
  {
    id: "flow.importReport",
    title: "Show import report",
    group: "Flow",
    terms: ["lost", "placeholders", "dify", "flowise", "langflow", "n8n", "prompt flow", "rivet"],
    enabled: ({ editor }) => editor.state.importReport !== undefined,
    run: ({ overlays }) => overlays.showImportReport(true),
  },
  {
    id: "flow.compareImport",
    title: "Compare with an execution…",
    group: "Flow",
    terms: ["import", "trial", "record", "dify", "n8n", "rivet"],
    enabled: ({ editor }) => Object.keys(documentFlow(editor.state).nodes).length > 0,
    run: (workspace) => compareImport(workspace),
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
  {
    id: "flow.saveTemplate",
    title: "Save as template",
    group: "Flow",
    terms: ["reuse", "copy"],
    enabled: ({ editor }) => Object.keys(documentFlow(editor.state).nodes).length > 0,
    run: ({ files }) => files.saveTemplate(),
  },
  {
    id: "flow.versions",
    title: "Versions…",
    group: "Flow",
    terms: ["history", "restore", "runs"],
    enabled: ({ editor }) => editor.state.path !== undefined,
    run: ({ overlays }) => overlays.showVersions(true),
  },
  {
    id: "flow.proposals",
    title: "Proposed edits…",
    group: "Flow",
    terms: ["agent", "mcp", "accept", "drop", "review"],
    run: ({ proposals }) => proposals.show(true),
  },
  {
    id: "flow.searchNodes",
    title: "Search this flow…",
    group: "Flow",
    keys: ["Mod+F"],
    terms: ["find", "node", "go to"],
    whileTyping: true,
    enabled: ({ editor }) => Object.keys(displayedFlow(editor.state).nodes).length > 0,
    run: ({ overlays }) => overlays.showNodeSearch(),
  },
  {
    id: "flow.search",
    title: "Search flows…",
    group: "Flow",
    keys: ["Mod+Shift+F"],
    terms: ["find", "across", "all", "nodes", "prompts", "text"],
    whileTyping: true,
    run: ({ overlays }) => overlays.showFlowSearch(true),
  },
  {
    id: "flow.close",
    title: "Close flow",
    group: "Flow",
    keys: ["Mod+W"],
    terms: ["tab"],
    whileTyping: true,
    run: ({ files }) => files.close(),
  },
  {
    id: "flow.closeOthers",
    title: "Close other flows",
    group: "Flow",
    terms: ["tabs"],
    enabled: hasTabs,
    run: ({ files }) => files.closeOthers(),
  },
  {
    id: "flow.copyPath",
    title: "Copy path of file",
    group: "Flow",
    terms: ["clipboard", "location"],
    enabled: ({ editor }) => editor.state.path !== undefined,
    run: ({ editor }) => copyPath(editor.state.path),
  },
  {
    id: "flow.reopen",
    title: "Reopen closed flow",
    group: "Flow",
    keys: ["Mod+Shift+T"],
    terms: ["tab", "undo close"],
    whileTyping: true,
    enabled: ({ documents }) => documents.canReopen,
    run: ({ documents }) => documents.reopen(),
  },
  {
    id: "flow.nextTab",
    title: "Next flow",
    group: "Flow",
    keys: ["Mod+Tab", "Mod+PageDown"],
    terms: ["tab", "switch"],
    whileTyping: true,
    whileHeld: true,
    enabled: hasTabs,
    run: ({ documents }) => documents.showNext(1),
  },
  {
    id: "flow.previousTab",
    title: "Previous flow",
    group: "Flow",
    keys: ["Mod+Shift+Tab", "Mod+PageUp"],
    terms: ["tab", "switch"],
    whileTyping: true,
    whileHeld: true,
    enabled: hasTabs,
    run: ({ documents }) => documents.showNext(-1),
  },
  {
    id: "flow.moveTabRight",
    title: "Move tab right",
    group: "Flow",
    keys: ["Mod+Shift+PageDown"],
    enabled: hasTabs,
    run: ({ documents }) => documents.moveShown(1),
  },
  {
    id: "flow.moveTabLeft",
    title: "Move tab left",
    group: "Flow",
    keys: ["Mod+Shift+PageUp"],
    enabled: hasTabs,
    run: ({ documents }) => documents.moveShown(-1),
  },
];

function hasTabs({ documents }: Workspace): boolean {
  return documents.all.length > 1;
}

/** Copies the path of a flow's file, and says so. */
export async function copyPath(path: string | undefined): Promise<void> {
  if (path === undefined) return;
  try {
    await navigator.clipboard.writeText(path);
    notify.done(TEXTS.pathCopied);
  } catch {
    notify.info(TEXTS.clipboardFailed);
  }
}
