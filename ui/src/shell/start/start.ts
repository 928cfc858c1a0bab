/** What happens once, before the window is drawn: settings, node types, the document to begin with. */

import { notify } from "@/design/dialogs/notify";
import { keepChecked } from "@/flow/check/check";
import { fileName, startState } from "@/flow/document/flow-state";
import { HostError } from "@/ipc";
import { openRuns } from "@/run/list/run-filter";
import { previewOfQuestion } from "@/run/values/preview";
import { TEXTS } from "@/shell/texts";
import type { Session } from "@/workspace/session";
import type { Workspace } from "@/workspace/workspace";

/** Loads what the first render needs. Failures are reported once the window is visible and do not affect the rest. */
export async function start(workspace: Workspace): Promise<void> {
  const parts = await Promise.allSettled([
    workspace.settings.load(),
    workspace.nodeTypes.load(),
    workspace.users.load(),
  ]);
  workspace.editor.open(startState());
  workspace.layout.load();
  workspace.breakpoints.load();
  workspace.watches.load();
  keepChecked(workspace);
  workspace.forecasts.follow();
  workspace.proposals.follow();
  // Drafts are those of this machine's flows.
  if (!workspace.remote) workspace.drafts.follow();
  workspace.remote?.follow();
  reportFiles(workspace);
  startRuns(workspace);
  // Messages need the window to be there.
  setTimeout(() => {
    for (const part of parts) if (part.status === "rejected") notify.error(HostError.from(part.reason));
    void reportNotices(workspace);
    void begin(workspace).then((missing) => {
      takeRequests(workspace);
      return askAboutMissing(workspace, missing);
    });
  });
}

/** Whether the first window is open beside this one: it has the session, and the drafts are its own. */
function isAnotherWindow(): boolean {
  return new URLSearchParams(window.location.search).get("window") === "another";
}

/** Reports what the host met when it started: files that can't be read, or that something other than Plait has changed. */
async function reportNotices({ host, settings }: Workspace): Promise<void> {
  if (isAnotherWindow()) return;
  try {
    const { notices } = await host.call("app.info", {});
    for (const notice of (notices ?? []).map(HostError.from)) notify.error(notice, settings.acceptAction(notice));
  } catch (thrown) {
    notify.error(HostError.from(thrown));
  }
}

/** Tells the host which files are open here, so that another window shows them here. */
function reportFiles({ host, documents }: Workspace): void {
  let reported = "";
  const report = () => {
    const paths = documents.all.flatMap(({ path }) => path ?? []);
    if (paths.join("\n") === reported) return;
    reported = paths.join("\n");
    host.reportFiles(paths);
  };
  documents.store.subscribe(report);
  documents.editor.store.subscribe(report);
}

/** Opens what other starts of Plait ask for. */
function takeRequests({ host, files }: Workspace): void {
  host.takeRequests((request) => {
    void ("file" in request ? files.openPath(request.file) : files.openExample(request.example));
  });
}

/** Opens the requested file or example, and offers drafts that a crash left behind. Returns what could not be opened again. */
async function begin(workspace: Workspace): Promise<readonly MissingFile[]> {
  const query = new URLSearchParams(window.location.search);
  const run = query.get("run");
  if (run !== null) await workspace.runs.open(run);
  if (isAnotherWindow()) return [];
  const path = query.get("open");
  const example = query.get("example");
  const last = workspace.session.last;
  if (path !== null) await workspace.files.openPath(path);
  else if (example !== null) await workspace.files.openExample(example);
  const missing = await openLast(workspace, last, path !== null || example !== null);
  workspace.session.follow();
  try {
    const drafts = await workspace.host.call("autosave.list", {});
    const isOpen = (file: string) => workspace.documents.ofFile(file) !== undefined;
    workspace.overlays.offerDrafts(drafts.filter((draft) => draft.path === undefined || !isOpen(draft.path)));
  } catch (thrown) {
    notify.error(HostError.from(thrown));
  }
  await offerOpenRuns(workspace);
  return missing;
}

type MissingFile = { path: string; error: HostError };

/**
 * Opens what was open when the window was closed, each with the same view: first what was shown, or else was requested. Files
 * that cannot be opened stay in the session, until the person has decided on them.
 */
async function openLast(
  { session, files, documents }: Workspace,
  { tabs, shown }: Session,
  isRequested: boolean,
): Promise<readonly MissingFile[]> {
  for (const { path, viewport } of tabs) if (viewport) session.restoreView(path, viewport);
  const missing: MissingFile[] = [];
  const reopen = async (path: string, behind: boolean) => {
    if (missing.some((file) => file.path === path)) return;
    const error = await files.reopen(path, behind);
    if (!error) return;
    session.keep(path);
    missing.push({ path, error });
  };
  if (shown !== undefined && !isRequested) await reopen(shown, false);
  for (const { path } of tabs) await reopen(path, true);
  documents.arrange(tabs.map(({ path }) => path));
  return missing;
}

/** Asks about each file that was open and is not there any more. Without an answer, the next start looks for it again. */
async function askAboutMissing(workspace: Workspace, missing: readonly MissingFile[]): Promise<void> {
  const { files, host, questions, session } = workspace;
  for (const { path, error } of missing) {
    const choice = await questions.ask({
      title: TEXTS.notReopened(fileName(path)),
      text: `${error.message} ${TEXTS.wasOpen}`,
      actions: [
        { id: "locate", label: TEXTS.locate, kind: "main" },
        { id: "remove", label: TEXTS.removeFromSession, kind: "danger" },
      ],
    });
    if (choice === "remove") session.drop(path);
    if (choice !== "locate") continue;
    try {
      const found = await host.call("dialog.open", {});
      if (found.path === null) continue;
      await files.openPath(found.path);
      session.drop(path);
    } catch (thrown) {
      notify.error(HostError.from(thrown));
    }
  }
}

/** Keeps the shown run and the conversation in step with the document. Call once. */
function startRuns(workspace: Workspace): void {
  workspace.conversation.follow();
  workspace.runs.followDocument();
}

/** Offers the runs that were left open last time. */
async function offerOpenRuns(workspace: Workspace): Promise<void> {
  const [latest, ...others] = openRuns(await workspace.runList.load());
  if (!latest) return;
  const name = latest.flowName || "a flow";
  const more = others.length > 0 ? ` ${others.length} more ${others.length === 1 ? "is" : "are"} in Runs.` : "";
  const text =
    latest.status === "waiting"
      ? `A run of “${name}” is waiting for you${latest.waitingOn ? `: “${previewOfQuestion(latest.waitingOn)}”` : "."}${more}`
      : `A run of “${name}” was interrupted and can be resumed.${more}`;
  notify.offer(latest.run, text, workspace.runs.openAction(latest.run));
}
