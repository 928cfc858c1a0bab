/** What happens once, before the window is drawn: settings, node types, the document to begin with. */

import { notify } from "@/design/notify";
import { keepChecked } from "@/flow/check";
import { startState } from "@/flow/flow-state";
import { HostError } from "@/ipc";
import type { Session } from "@/workspace/session";
import type { Workspace } from "@/workspace/workspace";
import { offerOpenRuns, startRuns } from "./start-runs";

/** Loads what the first render needs. Failures are reported once the window is visible and do not affect the rest. */
export async function start(workspace: Workspace): Promise<void> {
  const parts = await Promise.allSettled([
    workspace.settings.load(),
    workspace.nodeTypes.load(),
    workspace.users.load(),
  ]);
  workspace.editor.open(startState());
  workspace.layout.load();
  keepChecked(workspace);
  workspace.forecasts.follow();
  workspace.drafts.follow();
  if (!isAnotherWindow()) workspace.session.follow();
  startRuns(workspace);
  // Messages need the window to be there.
  setTimeout(() => {
    for (const part of parts) if (part.status === "rejected") notify.error(HostError.from(part.reason));
    void begin(workspace).then(() => takeRequests(workspace));
  });
}

/** Whether the first window is open beside this one: it has the session, and the drafts are its own. */
function isAnotherWindow(): boolean {
  return new URLSearchParams(window.location.search).get("window") === "another";
}

/** Opens what other starts of Plait ask for. */
function takeRequests({ host, files }: Workspace): void {
  host.takeRequests((request) => {
    void ("file" in request ? files.openPath(request.file) : files.openExample(request.example));
  });
}

/** Opens the requested file or example, and offers drafts that a crash left behind. */
async function begin(workspace: Workspace): Promise<void> {
  if (isAnotherWindow()) return;
  const query = new URLSearchParams(window.location.search);
  const path = query.get("open");
  const example = query.get("example");
  const last = workspace.session.last;
  if (path !== null) await workspace.files.openPath(path);
  else if (example !== null) await workspace.files.openExample(example);
  await openLast(workspace, last, path !== null || example !== null);
  try {
    const drafts = await workspace.host.call("autosave.list", {});
    const isOpen = (file: string) => workspace.documents.ofFile(file) !== undefined;
    workspace.overlays.offerDrafts(drafts.filter((draft) => draft.path === undefined || !isOpen(draft.path)));
  } catch (thrown) {
    notify.error(HostError.from(thrown));
  }
  await offerOpenRuns(workspace);
}

/** Opens what was open when the window was closed, each with the same view: first what was shown, or else was requested. */
async function openLast(
  { session, files, documents }: Workspace,
  { tabs, shown }: Session,
  isRequested: boolean,
): Promise<void> {
  for (const { path, viewport } of tabs) if (viewport) session.restoreView(path, viewport);
  if (shown !== undefined && !isRequested) await files.openPath(shown);
  for (const { path } of tabs) await files.openPath(path, true);
  documents.arrange(tabs.map(({ path }) => path));
}
