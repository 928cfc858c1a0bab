/** Documents and their files: new, open, save, recent, examples, drafts. Never loses work without asking. */
import type { Autosave, OpenedFlow } from "@/bindings";
import { call, HostError } from "@/ipc";
import { ask } from "@/look/ask";
import { notify } from "@/look/notify";
import { adoptDraft } from "./autosave";
import { documentName, documentState, fileName, flowStore, isDirty } from "./store";

/** Whether the document may be put away; asks about unsaved changes. */
export async function mayReplace(): Promise<boolean> {
  const state = flowStore.getState();
  if (!isDirty(state)) return true;
  const choice = await ask({
    title: `Save the changes to “${documentName(state)}”?`,
    text: "They are lost if you go on without saving.",
    actions: [
      { id: "save", label: "Save", kind: "main" },
      { id: "discard", label: "Don’t save", kind: "danger" },
    ],
  });
  if (choice === "save") return save();
  return choice === "discard";
}

export async function newFlow(): Promise<void> {
  await guarded(async () => {
    flowStore.setState(documentState(await call("flow.new", {})), true);
  });
}

/** Lets the person choose a file and opens it. */
export async function openFile(): Promise<void> {
  await tell(async () => {
    const { path } = await call("dialog.open", {});
    if (path !== null) await openPath(path);
  });
}

/** Opens a file. */
export async function openPath(path: string): Promise<void> {
  await guarded(async () => {
    const opened = await call("flow.open", { path });
    show(opened);
    if (opened.recovered) await offerDraft(opened, opened.recovered);
  });
}

/** Opens an example as a new document. */
export async function openExample(id: string): Promise<void> {
  await guarded(async () => {
    flowStore.setState(documentState(await call("flow.example", { id })), true);
  });
}

/** Goes on with a draft that was never saved. */
export async function openDraft(draft: Autosave): Promise<void> {
  await guarded(async () => {
    adoptDraft(draft.key);
    if (draft.path === undefined) {
      const blank = await call("flow.new", {});
      flowStore.setState({ ...documentState(blank), flow: draft.flow, key: draft.key }, true);
      return;
    }
    // The file may be gone; the draft still opens, as a document that has no file yet.
    const opened = await call("flow.open", { path: draft.path }).catch(() => undefined);
    if (opened) show(opened);
    else flowStore.setState(documentState(await call("flow.new", {})), true);
    flowStore.setState({ flow: draft.flow, key: draft.key });
  });
}

export async function dropDraft(draft: Autosave): Promise<void> {
  await tell(() => call("autosave.drop", { key: draft.key }));
}

/** Saves, asking where if the document has no file (or one that cannot be written). Whether it was saved. */
export async function save(): Promise<boolean> {
  const { path, readOnly } = flowStore.getState();
  return path === undefined || readOnly ? saveAs() : saveTo(path);
}

/** Saves to a file the person chooses. Whether it was saved. */
export async function saveAs(): Promise<boolean> {
  const state = flowStore.getState();
  const suggested = state.path ? fileName(state.path) : `${slug(documentName(state))}.flow.json`;
  try {
    const { path } = await call("dialog.save", { suggested });
    // The dialog has asked about replacing a file that is there.
    return path === null ? false : await saveTo(path, true);
  } catch (thrown) {
    notify.error(HostError.from(thrown));
    return false;
  }
}

async function saveTo(path: string, force = false): Promise<boolean> {
  const { flow, hash } = flowStore.getState();
  try {
    const saved = await call("flow.save", { path, flow, baseHash: force ? undefined : hash, force });
    // Edits made while the file was being written stay unsaved: `saved` is what was written, not what is there now.
    flowStore.setState({ path: saved.path, hash: saved.hash, saved: flow, readOnly: false });
    return true;
  } catch (thrown) {
    const error = HostError.from(thrown);
    if (error.code === "flow.changed_on_disk") return settleConflict(path);
    notify.error(error, { label: "Save as…", run: () => void saveAs() });
    return false;
  }
}

async function settleConflict(path: string): Promise<boolean> {
  const choice = await ask({
    title: `“${fileName(path)}” has changed on disk`,
    text: "Somebody else wrote this file since you opened it. Which version shall stay?",
    actions: [
      { id: "saveAs", label: "Save mine elsewhere…", kind: "main" },
      { id: "reload", label: "Load theirs", kind: "plain" },
      { id: "overwrite", label: "Overwrite with mine", kind: "danger" },
    ],
  });
  if (choice === "overwrite") return saveTo(path, true);
  if (choice === "saveAs") return saveAs();
  if (choice === "reload") await tell(async () => show(await call("flow.open", { path })));
  return false;
}

async function offerDraft(opened: OpenedFlow, draft: Autosave): Promise<void> {
  const choice = await ask({
    title: "There are unsaved changes from last time",
    text: `Plait kept a draft of “${draft.name || fileName(opened.path)}” from ${new Date(draft.savedAt).toLocaleString()}, newer than the file.`,
    actions: [
      { id: "restore", label: "Restore the draft", kind: "main" },
      { id: "drop", label: "Discard it", kind: "danger" },
    ],
  });
  if (choice === "restore") {
    adoptDraft(draft.key);
    flowStore.setState({ flow: draft.flow, key: draft.key });
  }
  if (choice === "drop") await dropDraft(draft);
}

function show(opened: OpenedFlow): void {
  flowStore.setState(documentState(opened.flow, opened), true);
  if (opened.readOnly) notify.info("This file cannot be written. Saving will ask for another place.");
}

async function guarded(open: () => Promise<unknown>): Promise<void> {
  if (await mayReplace()) await tell(open);
}

async function tell(work: () => Promise<unknown>): Promise<void> {
  try {
    await work();
  } catch (thrown) {
    notify.error(HostError.from(thrown));
  }
}

function slug(name: string): string {
  return (
    name
      .toLowerCase()
      .replace(/[^\p{L}\p{N}]+/gu, "-")
      .replace(/^-+|-+$/g, "") || "flow"
  );
}
