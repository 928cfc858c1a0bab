/** What happens once, before the window is drawn: settings, node types, the document to begin with. */

import { notify } from "@/design/notify";
import { keepChecked } from "@/flow/check";
import { documentState } from "@/flow/flow-state";
import { HostError } from "@/ipc";
import type { Workspace } from "@/workspace/workspace";
import { offerOpenRuns, startRuns } from "./start-runs";

/** Loads what the first render needs. Failures are reported once the window is visible and do not affect the rest. */
export async function start(workspace: Workspace): Promise<void> {
  const parts = await Promise.allSettled([
    workspace.settings.load(),
    workspace.nodeTypes.load(),
    workspace.users.load(),
    blank(workspace),
  ]);
  workspace.layout.load();
  keepChecked(workspace);
  workspace.forecasts.follow();
  workspace.drafts.follow();
  workspace.session.follow();
  startRuns(workspace);
  // Messages need the window to be there.
  setTimeout(() => {
    for (const part of parts) if (part.status === "rejected") notify.error(HostError.from(part.reason));
    void begin(workspace);
  });
}

async function blank({ editor, host }: Workspace): Promise<void> {
  editor.open(documentState(await host.call("flow.new", {})));
}

/** Opens the requested file or example, and offers drafts that a crash left behind. */
async function begin(workspace: Workspace): Promise<void> {
  const query = new URLSearchParams(window.location.search);
  const path = query.get("open");
  const example = query.get("example");
  if (path !== null) await workspace.files.openPath(path);
  else if (example !== null) await workspace.files.openExample(example);
  else await openLast(workspace);
  try {
    const drafts = await workspace.host.call("autosave.list", {});
    const displayed = workspace.editor.state.path;
    workspace.overlays.offerDrafts(drafts.filter((draft) => draft.path === undefined || draft.path !== displayed));
  } catch (thrown) {
    notify.error(HostError.from(thrown));
  }
  await offerOpenRuns(workspace);
}

/** Opens what was open when the window was closed, with the same view. */
async function openLast({ session, files, canvas, editor }: Workspace): Promise<void> {
  const { path, viewport } = session.last;
  if (path === undefined) return;
  if (viewport) canvas.restoredView = { path, viewport };
  await files.openPath(path);
  if (editor.state.path !== path) session.forget();
}
