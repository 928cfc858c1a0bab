/** Documents and their files: new, open, save, recent, examples, drafts. Never loses work without asking. */
import type { Autosave, ImportReport, OpenedFlow } from "@/bindings";
import { notify } from "@/design/notify";
import type { QuestionStore } from "@/design/question-store";
import { type Host, HostError } from "@/ipc";
import type { DraftStore } from "./draft-store";
import type { FlowEditor } from "./editor";
import { documentFlow, documentName, documentState, EMPTY_FLOW, type FlowState, fileName, isDirty } from "./flow-state";
import { TEXTS } from "./texts";

type Parts = { host: Host; editor: FlowEditor; drafts: DraftStore; questions: QuestionStore };

export class FlowFiles {
  readonly #host: Host;
  readonly #editor: FlowEditor;
  readonly #drafts: DraftStore;
  readonly #questions: QuestionStore;
  /** The running save: its document and its result. */
  #saving: { key: string; done: Promise<boolean> } | undefined;

  constructor({ host, editor, drafts, questions }: Parts) {
    this.#host = host;
    this.#editor = editor;
    this.#drafts = drafts;
    this.#questions = questions;
  }

  /** Whether the document may be replaced. Asks about unsaved changes; discarded ones leave no draft. */
  async mayReplace(): Promise<boolean> {
    const state = this.#editor.state;
    if (isDirty(state)) {
      const choice = await this.#questions.ask({
        title: TEXTS.saveChangesTo(documentName(state)),
        text: TEXTS.changesLost,
        actions: [
          { id: "save", label: TEXTS.save, kind: "main" },
          { id: "discard", label: TEXTS.dontSave, kind: "danger" },
        ],
      });
      // Changes made during the save are not saved: ask about them, too.
      if (choice === "save") return (await this.save()) && this.mayReplace();
      if (choice !== "discard") return false;
    }
    // First: neither opening the same file again nor the next start may offer the draft.
    await this.#drafts.discard();
    return true;
  }

  async newFlow(): Promise<void> {
    await this.#replaceDocument(async () => documentState(await this.#host.call("flow.new", {})));
  }

  /** Lets the person choose a file and opens it. */
  async openFile(): Promise<void> {
    await reportErrors(async () => {
      const { path } = await this.#host.call("dialog.open", {});
      if (path !== null) await this.openPath(path);
    });
  }

  /** Opens a file. */
  async openPath(path: string): Promise<void> {
    let opened: OpenedFlow | undefined;
    const displayed = await this.#replaceDocument(async () => {
      opened = await this.#host.call("flow.open", { path });
      return documentState(opened.flow, opened);
    });
    if (!displayed || !opened) return;
    notifyReadOnly(opened);
    if (opened.recovered) await this.#offerDraft(opened, opened.recovered);
  }

  /** Lets the person choose a file of another tool and imports it. Returns what became of it, if it was imported. */
  async importFile(): Promise<ImportReport | undefined> {
    let report: ImportReport | undefined;
    await reportErrors(async () => {
      const { path } = await this.#host.call("dialog.open", {});
      if (path === null) return;
      const displayed = await this.#replaceDocument(async () => {
        const imported = await this.#host.call("flow.import", { path });
        report = imported.report;
        // Nothing of it is saved yet.
        return { ...documentState(imported.flow), saved: EMPTY_FLOW };
      });
      if (!displayed) report = undefined;
    });
    return report;
  }

  /** Opens an example as a new document. */
  async openExample(id: string): Promise<void> {
    await this.#replaceDocument(async () => documentState(await this.#host.call("flow.example", { id })));
  }

  /** Opens a draft that was never saved. */
  async openDraft(draft: Autosave): Promise<void> {
    await this.#replaceDocument(async () => {
      // If the file is missing, the draft opens as a document without a file.
      const opened =
        draft.path === undefined
          ? undefined
          : await this.#host.call("flow.open", { path: draft.path }).catch(() => undefined);
      const saved = opened ? documentState(opened.flow, opened) : documentState(await this.#host.call("flow.new", {}));
      if (opened) notifyReadOnly(opened);
      this.#drafts.adopt(draft.key);
      return { ...saved, ...restored(draft, saved.hash) };
    });
  }

  /** Discards a draft. The message about it offers to undo that, which calls `onUndo` once the draft is back. */
  async dropDraft(draft: Autosave, onUndo: () => void): Promise<void> {
    await reportErrors(async () => {
      await this.#host.call("autosave.drop", { key: draft.key });
      notify.info(TEXTS.draftDiscarded(draft.name || TEXTS.untitledFlow), {
        label: TEXTS.undo,
        run: () => void this.#putBack(draft, onUndo),
      });
    });
  }

  async #putBack({ key, path, baseHash, flow }: Autosave, onUndo: () => void): Promise<void> {
    await reportErrors(async () => {
      await this.#host.call("autosave.put", { key, path, baseHash, flow });
      onUndo();
    });
  }

  /** Saves. Asks for a path if the document has no writable file. Returns whether it was saved. */
  save(): Promise<boolean> {
    return this.#oneAtATime(() => {
      const { path, readOnly } = this.#editor.state;
      return path === undefined || readOnly ? this.#saveElsewhere() : this.#saveTo(path);
    });
  }

  /** Saves to a chosen file. Returns whether it was saved. */
  saveAs(): Promise<boolean> {
    return this.#oneAtATime(() => this.#saveElsewhere(), true);
  }

  /** Saves a pipeline to a chosen file as a flow, which can express everything. Returns whether it was saved. */
  saveAsFlow(): Promise<boolean> {
    return this.#oneAtATime(() => this.#saveElsewhere(true), true);
  }

  /**
   * Starts a save after the running one, whose hash it needs. Does not save unchanged content `again` unless requested, and
   * does not retry a failed save.
   */
  async #oneAtATime(work: () => Promise<boolean>, again = false): Promise<boolean> {
    const { key } = this.#editor.state;
    while (this.#saving) {
      const before = this.#saving;
      const saved = await before.done;
      if (!this.#isDisplayed(key)) return false;
      if (before.key === key && !again && (!saved || !isDirty(this.#editor.state))) return saved;
    }
    const done = work().finally(() => {
      this.#saving = undefined;
    });
    this.#saving = { key, done };
    return done;
  }

  /** Whether that document is still open. */
  #isDisplayed(key: string): boolean {
    return this.#editor.state.key === key;
  }

  async #saveElsewhere(asFlow = false): Promise<boolean> {
    const state = this.#editor.state;
    const suggested = suggestedName(state.path, documentName(state), asFlow);
    try {
      const { path } = await this.#host.call("dialog.save", { suggested });
      // The dialog has confirmed replacing an existing file.
      return path === null || !this.#isDisplayed(state.key) ? false : await this.#saveTo(path, true);
    } catch (thrown) {
      notify.error(HostError.from(thrown));
      return false;
    }
  }

  async #saveTo(path: string, force = false): Promise<boolean> {
    const { hash, key, path: source } = this.#editor.state;
    const flow = documentFlow(this.#editor.state);
    try {
      const baseHash = force ? undefined : hash;
      const saved = await this.#host.call("flow.save", { path, flow, baseHash, force, source });
      // Edits made while the file was being written stay unsaved: `saved` is what was written, not what is there now.
      if (this.#isDisplayed(key))
        this.#editor.store.setState({ path: saved.path, hash: saved.hash, saved: flow, readOnly: false });
      return true;
    } catch (thrown) {
      const error = HostError.from(thrown);
      if (!this.#isDisplayed(key)) notify.error(error);
      else if (error.code === "flow.changed_on_disk") return this.#settleConflict(path, key);
      else if (error.code === "pipeline.not_expressible")
        notify.error(error, { label: TEXTS.saveAsFlow, run: () => void this.saveAsFlow() });
      else notify.error(error, { label: TEXTS.saveAs, run: () => void this.saveAs() });
      return false;
    }
  }

  async #settleConflict(path: string, key: string): Promise<boolean> {
    const choice = await this.#questions.ask({
      title: TEXTS.changedOnDisk(fileName(path)),
      text: TEXTS.whichVersion,
      actions: [
        { id: "saveAs", label: TEXTS.saveAs, kind: "main" },
        { id: "reload", label: TEXTS.reloadFromDisk, kind: "plain" },
        { id: "overwrite", label: TEXTS.overwrite, kind: "danger" },
      ],
    });
    if (!this.#isDisplayed(key)) return false;
    if (choice === "overwrite") return this.#saveTo(path, true);
    if (choice === "saveAs") return this.#saveElsewhere();
    if (choice === "reload") {
      await reportErrors(async () => {
        const opened = await this.#host.call("flow.open", { path });
        if (this.#isDisplayed(key)) this.#editor.open(documentState(opened.flow, opened));
      });
    }
    return false;
  }

  async #offerDraft(opened: OpenedFlow, draft: Autosave): Promise<void> {
    const choice = await this.#questions.ask({
      title: TEXTS.restoreUnsavedChanges,
      text: `There is a draft of “${draft.name || fileName(opened.path)}” from ${new Date(draft.savedAt).toLocaleString()}. ${
        isOfThisFile(draft, opened)
          ? "The file has not changed since then."
          : "The file has changed since then. Saving the draft asks which version to keep."
      }`,
      actions: [
        { id: "restore", label: TEXTS.restore, kind: "main" },
        { id: "drop", label: TEXTS.discard, kind: "danger" },
      ],
    });
    if (choice === "restore") {
      this.#drafts.adopt(draft.key);
      this.#editor.store.setState(restored(draft, opened.hash));
    }
    if (choice === "drop") await this.dropDraft(draft, () => void this.#offerAgain(opened, draft));
  }

  /** Offers a draft again whose discarding was undone, if its file is still open. */
  async #offerAgain(opened: OpenedFlow, draft: Autosave): Promise<void> {
    if (this.#editor.state.path === opened.path && !isDirty(this.#editor.state)) await this.#offerDraft(opened, draft);
  }

  /**
   * Replaces the document with another one. Requests, viewed runs and edits made while it loads take precedence. Returns
   * whether the document was replaced.
   */
  async #replaceDocument(load: () => Promise<FlowState>): Promise<boolean> {
    const isLatest = this.#editor.requests.requestDocument();
    const { viewing } = this.#editor.state;
    if (!(await this.mayReplace())) return false;
    const flow = documentFlow(this.#editor.state);
    try {
      const document = await load();
      if ((documentFlow(this.#editor.state) === flow || (await this.mayReplace())) && isLatest()) {
        const looked = this.#editor.state.viewing;
        this.#editor.open(looked === viewing ? document : { ...document, viewing: looked });
        return true;
      }
    } catch (thrown) {
      notify.error(HostError.from(thrown));
    }
    // The document stays open, so it needs a draft again.
    this.#drafts.write();
    return false;
  }
}

/** The state a draft replaces. Its base hash makes sure that saving only overwrites the file it started from. */
function restored(draft: Autosave, hash: string | undefined): Pick<FlowState, "flow" | "key" | "hash"> {
  return { flow: draft.flow, key: draft.key, hash: draft.baseHash ?? hash };
}

function isOfThisFile(draft: Autosave, opened: OpenedFlow): boolean {
  return draft.baseHash === undefined || draft.baseHash === opened.hash;
}

function notifyReadOnly(opened: OpenedFlow): void {
  if (opened.readOnly) notify.info(TEXTS.readOnlyFile);
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

/** The name that a dialog begins with: that of the file, or one that follows from the flow's name. */
function suggestedName(path: string | undefined, name: string, asFlow: boolean): string {
  if (path === undefined) return `${slug(name)}.flow.json`;
  return asFlow ? `${fileName(path).replace(/(\.flow)?\.ya?ml$/i, "")}.flow.json` : fileName(path);
}
