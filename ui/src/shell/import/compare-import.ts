import { notify } from "@/design/dialogs/notify";
import { documentFlow } from "@/flow/document/flow-state";
import { HostError } from "@/ipc";
import type { Workspace } from "@/workspace/workspace";

/** Lets the person choose an execution of the original, runs the imported flow with what it recorded, and shows where it departs. */
export async function compareImport({ host, editor, overlays, importComparisons }: Workspace): Promise<void> {
  const report = editor.state.importReport;
  if (!report) return;
  try {
    const { path } = await host.call("dialog.open", {});
    if (path === null) return;
    const comparison = await host.call("import.compare", { flow: documentFlow(editor.state), report, path });
    overlays.showImportReport(false);
    await importComparisons.ask({ kind: "import", title: path.split(/[\\/]/).pop() ?? path, comparison });
  } catch (thrown) {
    notify.error(HostError.from(thrown));
  }
}
