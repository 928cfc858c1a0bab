import type { Flow, ImportReport } from "@/bindings";
import { notify } from "@/design/dialogs/notify";
import { documentFlow } from "@/flow/document/flow-state";
import { HostError } from "@/ipc";
import { TEXTS } from "@/shell/texts";
import type { Workspace } from "@/workspace/workspace";

/** Lets the person choose an execution of the original, runs the imported flow with what it recorded, and shows where it departs. */
export async function compareImport(workspace: Workspace): Promise<void> {
  const { host, editor, overlays, importComparisons } = workspace;
  try {
    const report = editor.state.importReport ?? (await readReport(workspace));
    if (!report) return;
    const { path } = await host.call("dialog.open", { title: TEXTS.chooseExecution });
    if (path === null) return;
    const comparison = await host.call("import.compare", { flow: documentFlow(editor.state), report, path });
    overlays.showImportReport(false);
    await importComparisons.ask({ kind: "import", title: fileName(path), comparison });
  } catch (thrown) {
    notify.error(HostError.from(thrown));
  }
}

/**
 * The report of an import in an earlier session: the file that the flow was imported from is read again. An importer names the nodes
 * after those of the file, so the same file says the same of the same nodes.
 */
async function readReport({ host, editor, questions }: Workspace): Promise<ImportReport | undefined> {
  const answer = await questions.ask({
    title: TEXTS.whichOriginal,
    text: TEXTS.whichOriginalHint,
    actions: [{ id: "choose", label: TEXTS.chooseOriginal, kind: "main" }],
  });
  if (answer !== "choose") return undefined;
  const { key } = editor.state;
  const { path } = await host.call("dialog.open", { title: TEXTS.whichOriginal });
  if (path === null) return undefined;
  const { report } = await host.call("flow.import", { path });
  if (editor.state.key !== key) return undefined;
  if (!isOf(report, documentFlow(editor.state))) {
    notify.info(TEXTS.notTheOriginal(fileName(path)));
    return undefined;
  }
  editor.store.setState({ importReport: report });
  return report;
}

function isOf({ nodes }: ImportReport, flow: Flow): boolean {
  return nodes.some((node) => node.nodes.some((id) => Object.hasOwn(flow.nodes, id)));
}

function fileName(path: string): string {
  return path.split(/[\\/]/).pop() ?? path;
}
