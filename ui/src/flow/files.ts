/** Documents and their files: new, open, save, recent, examples, drafts. Never loses work without asking. */
import type { Autosave, OpenedFlow } from "@/bindings";
import { ask } from "@/design/ask";
import { notify } from "@/design/notify";
import { call, HostError } from "@/ipc";
import { adoptDraft, discardDraft, writeDraft } from "./autosave";
import { requestDocument } from "./latest-request";
import { documentName, documentState, type FlowState, fileName, flowStore, isDirty } from "./store";

/** Whether the document may be replaced. Asks about unsaved changes; discarded ones leave no draft. */
export async function mayReplace(): Promise<boolean> {
  const state = flowStore.getState();
  if (isDirty(state)) {
    const choice = await ask({
      title: `Save changes to “${documentName(state)}”?`,
      text: "Your changes are lost if you don’t save them.",
      actions: [
        { id: "save", label: "Save", kind: "main" },
        { id: "discard", label: "Don’t save", kind: "danger" },
      ],
    });
    // Changes made during the save are not saved: ask about them, too.
    if (choice === "save") return (await save()) && mayReplace();
    if (choice !== "discard") return false;
  }
  // First: neither opening the same file again nor the next start may offer the draft.
  await discardDraft();
  return true;
}

export async function newFlow(): Promise<void> {
  await replaceDocument(async () => documentState(await call("flow.new", {})));
}

/** Lets the person choose a file and opens it. */
export async function openFile(): Promise<void> {
  await reportErrors(async () => {
    const { path } = await call("dialog.open", {});
    if (path !== null) await openPath(path);
  });
}

/** Opens a file. */
export async function openPath(path: string): Promise<void> {
  let opened: OpenedFlow | undefined;
  const displayed = await replaceDocument(async () => {
    opened = await call("flow.open", { path });
    return documentState(opened.flow, opened);
  });
  if (!displayed || !opened) return;
  notifyReadOnly(opened);
  if (opened.recovered) await offerDraft(opened, opened.recovered);
}

/** Opens an example as a new document. */
export async function openExample(id: string): Promise<void> {
  await replaceDocument(async () => documentState(await call("flow.example", { id })));
}

/** Opens a draft that was never saved. */
export async function openDraft(draft: Autosave): Promise<void> {
  await replaceDocument(async () => {
    // If the file is missing, the draft opens as a document without a file.
    const opened =
      draft.path === undefined ? undefined : await call("flow.open", { path: draft.path }).catch(() => undefined);
    const saved = opened ? documentState(opened.flow, opened) : documentState(await call("flow.new", {}));
    if (opened) notifyReadOnly(opened);
    adoptDraft(draft.key);
    return { ...saved, ...restored(draft, saved.hash) };
  });
}

export async function dropDraft(draft: Autosave): Promise<void> {
  await reportErrors(() => call("autosave.drop", { key: draft.key }));
}

/** Saves. Asks for a path if the document has no writable file. Returns whether it was saved. */
export function save(): Promise<boolean> {
  return oneAtATime(() => {
    const { path, readOnly } = flowStore.getState();
    return path === undefined || readOnly ? saveElsewhere() : saveTo(path);
  });
}

/** Saves to a chosen file. Returns whether it was saved. */
export function saveAs(): Promise<boolean> {
  return oneAtATime(saveElsewhere, true);
}

/** The running save: its document and its result. */
let saving: { key: string; done: Promise<boolean> } | undefined;

/**
 * Starts a save after the running one, whose hash it needs. Does not save unchanged content `again` unless requested, and
 * does not retry a failed save.
 */
async function oneAtATime(work: () => Promise<boolean>, again = false): Promise<boolean> {
  const { key } = flowStore.getState();
  while (saving) {
    const before = saving;
    const saved = await before.done;
    if (!isDisplayed(key)) return false;
    if (before.key === key && !again && (!saved || !isDirty(flowStore.getState()))) return saved;
  }
  const done = work().finally(() => {
    saving = undefined;
  });
  saving = { key, done };
  return done;
}

/** Whether that document is still open. */
function isDisplayed(key: string): boolean {
  return flowStore.getState().key === key;
}

async function saveElsewhere(): Promise<boolean> {
  const state = flowStore.getState();
  const suggested = state.path ? fileName(state.path) : `${slug(documentName(state))}.flow.json`;
  try {
    const { path } = await call("dialog.save", { suggested });
    // The dialog has confirmed replacing an existing file.
    return path === null || !isDisplayed(state.key) ? false : await saveTo(path, true);
  } catch (thrown) {
    notify.error(HostError.from(thrown));
    return false;
  }
}

async function saveTo(path: string, force = false): Promise<boolean> {
  const { flow, hash, key } = flowStore.getState();
  try {
    const saved = await call("flow.save", { path, flow, baseHash: force ? undefined : hash, force });
    // Edits made while the file was being written stay unsaved: `saved` is what was written, not what is there now.
    if (isDisplayed(key)) flowStore.setState({ path: saved.path, hash: saved.hash, saved: flow, readOnly: false });
    return true;
  } catch (thrown) {
    const error = HostError.from(thrown);
    if (!isDisplayed(key)) notify.error(error);
    else if (error.code === "flow.changed_on_disk") return settleConflict(path, key);
    else notify.error(error, { label: "Save as…", run: () => void saveAs() });
    return false;
  }
}

async function settleConflict(path: string, key: string): Promise<boolean> {
  const choice = await ask({
    title: `“${fileName(path)}” has changed on disk`,
    text: "The file was changed by another program. Which version do you want to keep?",
    actions: [
      { id: "saveAs", label: "Save as…", kind: "main" },
      { id: "reload", label: "Reload from disk", kind: "plain" },
      { id: "overwrite", label: "Overwrite", kind: "danger" },
    ],
  });
  if (!isDisplayed(key)) return false;
  if (choice === "overwrite") return saveTo(path, true);
  if (choice === "saveAs") return saveElsewhere();
  if (choice === "reload") {
    await reportErrors(async () => {
      const opened = await call("flow.open", { path });
      if (isDisplayed(key)) flowStore.setState(documentState(opened.flow, opened), true);
    });
  }
  return false;
}

async function offerDraft(opened: OpenedFlow, draft: Autosave): Promise<void> {
  const choice = await ask({
    title: "Restore unsaved changes?",
    text: `There is a draft of “${draft.name || fileName(opened.path)}” from ${new Date(draft.savedAt).toLocaleString()}. ${
      isOfThisFile(draft, opened)
        ? "The file has not changed since then."
        : "The file has changed since then. Saving the draft asks which version to keep."
    }`,
    actions: [
      { id: "restore", label: "Restore", kind: "main" },
      { id: "drop", label: "Discard", kind: "danger" },
    ],
  });
  if (choice === "restore") {
    adoptDraft(draft.key);
    flowStore.setState(restored(draft, opened.hash));
  }
  if (choice === "drop") await dropDraft(draft);
}

/** The state a draft replaces. Its base hash makes sure that saving only overwrites the file it started from. */
function restored(draft: Autosave, hash: string | undefined): Pick<FlowState, "flow" | "key" | "hash"> {
  return { flow: draft.flow, key: draft.key, hash: draft.baseHash ?? hash };
}

function isOfThisFile(draft: Autosave, opened: OpenedFlow): boolean {
  return draft.baseHash === undefined || draft.baseHash === opened.hash;
}

function notifyReadOnly(opened: OpenedFlow): void {
  if (opened.readOnly) notify.info("This file is read-only. Saving asks for another location.");
}

/**
 * Replaces the document with another one. Requests, viewed runs and edits made while it loads take precedence. Returns
 * whether the document was replaced.
 */
async function replaceDocument(load: () => Promise<FlowState>): Promise<boolean> {
  const isLatest = requestDocument();
  const { viewing } = flowStore.getState();
  if (!(await mayReplace())) return false;
  const { flow } = flowStore.getState();
  try {
    const document = await load();
    if ((flowStore.getState().flow === flow || (await mayReplace())) && isLatest()) {
      const looked = flowStore.getState().viewing;
      flowStore.setState(looked === viewing ? document : { ...document, viewing: looked }, true);
      return true;
    }
  } catch (thrown) {
    notify.error(HostError.from(thrown));
  }
  // The document stays open, so it needs a draft again.
  writeDraft();
  return false;
}

async function reportErrors(work: () => Promise<unknown>): Promise<void> {
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
