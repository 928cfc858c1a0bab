/** Documents and their files: new, open, save, recent, examples, drafts. Never loses work without asking. */
import type { Autosave, Flow, ImportFlow, OpenedFlow, RunId } from "@/bindings";
import { FLOW_ENDING } from "@/bindings/constants";
import { notify } from "@/design/dialogs/notify";
import type { QuestionStore } from "@/design/dialogs/question-store";
import { commitTyping } from "@/design/keys/commit-typing";
import type { FlowEditor } from "@/flow/document/editor";
import {
  documentFlow,
  documentName,
  documentState,
  EMPTY_FLOW,
  type FlowState,
  fileName,
  isDirty,
  startState,
} from "@/flow/document/flow-state";
import { TEXTS } from "@/flow/texts";
import { type Host, HostError } from "@/ipc";
import type { DraftStore } from "./draft-store";
import type { OpenDocuments } from "./open-documents";

type Parts = {
  host: Host;
  editor: FlowEditor;
  documents: OpenDocuments;
  drafts: DraftStore;
  questions: QuestionStore;
  /** Shows what became of the file that the shown document was imported from. */
  showImport: () => void;
  /** A flow has been written into its file. */
  onSaved: (flow: Flow, path: string) => void;
};

type OpenOptions = {
  /** Leaves the shown document. */
  behind?: boolean;
  /** Gets the error, if it could not be loaded, instead of the person. */
  onError?: (error: HostError) => void;
  /** The button of the error, if it could not be loaded. */
  actionFor?: (error: HostError) => Promise<{ label: string; run: () => void } | undefined>;
};

/** Errors of files that are not flows, and may be those of other tools. */
const NOT_A_FLOW = /^(?:flow\.(?:wrong_shape|not_json|unreadable)|pipeline\..*)$/;

export class FlowFiles {
  readonly #host: Host;
  readonly #editor: FlowEditor;
  readonly #documents: OpenDocuments;
  readonly #drafts: DraftStore;
  readonly #questions: QuestionStore;
  readonly #showImport: Parts["showImport"];
  readonly #onSaved: Parts["onSaved"];
  /** The running save: its document and its result. */
  #saving: { key: string; done: Promise<boolean> } | undefined;

  constructor({ host, editor, documents, drafts, questions, showImport, onSaved }: Parts) {
    this.#host = host;
    this.#editor = editor;
    this.#documents = documents;
    this.#drafts = drafts;
    this.#questions = questions;
    this.#showImport = showImport;
    this.#onSaved = onSaved;
  }

  /** Closes a document; without a key, the shown one. Asks about unsaved changes. Returns whether it was closed. */
  async close(key = this.#editor.state.key): Promise<boolean> {
    commitTyping();
    if (!(await this.#mayClose(key))) return false;
    // First: neither opening the same file again nor the next start may offer the draft.
    await this.#drafts.discard(key);
    this.#documents.close(key, startState());
    return true;
  }

  /** Closes all other documents. Asks about unsaved changes, and stops where the person cancels. */
  async closeOthers(key = this.#editor.state.key): Promise<void> {
    const others = this.#documents.all.filter((document) => document.key !== key);
    for (const other of others) if (!(await this.close(other.key))) return;
  }

  /** Whether the window may close. Asks about the unsaved changes of each document. */
  async mayCloseAll(): Promise<boolean> {
    commitTyping();
    const keys = this.#documents.all.map(({ key }) => key);
    for (const key of keys) if (!(await this.#mayClose(key))) return false;
    // Not before all may close: a document that stays open keeps its draft.
    for (const key of keys) await this.#drafts.discard(key);
    return true;
  }

  /** Whether a document may be closed. Shows it and asks about unsaved changes. */
  async #mayClose(key: string): Promise<boolean> {
    const state = this.#documents.stateOf(key);
    if (!state) return true;
    if (isDirty(state)) {
      this.#documents.show(key);
      const choice = await this.#questions.ask({
        title: TEXTS.saveChangesTo(documentName(state)),
        text: TEXTS.changesLost,
        actions: [
          { id: "save", label: TEXTS.save, kind: "main" },
          { id: "discard", label: TEXTS.dontSave, kind: "danger" },
        ],
      });
      // Changes made during the save are not saved: ask about them, too.
      if (choice === "save") return (await this.save(key)) && this.#mayClose(key);
      if (choice !== "discard") return false;
    }
    return true;
  }

  async newFlow(): Promise<void> {
    await this.#open(async () => documentState(await this.#host.call("flow.new", {})));
  }

  /** Opens a tab with the start page. */
  showStart(): void {
    this.#documents.open(startState());
  }

  /** Takes a file off the list of those opened last. */
  async forget(path: string): Promise<void> {
    await reportErrors(() => this.#host.call("flow.forget", { path }));
  }

  /** Lets the person choose a file and opens it. */
  async openFile(): Promise<void> {
    await reportErrors(async () => {
      const { path } = await this.#host.call("dialog.open", {});
      if (path !== null) await this.openPath(path);
    });
  }

  /** Opens a file, or shows its document if it is open. Offers to import one of another tool. */
  async openPath(path: string): Promise<void> {
    await this.#openPath(path, { actionFor: (error) => this.#importInstead(path, error) });
  }

  /** Opens a file of the last session. `behind` leaves the shown document. Returns why it could not be opened. */
  async reopen(path: string, behind: boolean): Promise<HostError | undefined> {
    let failure: HostError | undefined;
    await this.#openPath(path, {
      behind,
      onError: (error) => {
        failure = error;
      },
    });
    return failure;
  }

  async #openPath(path: string, options: OpenOptions): Promise<void> {
    if (this.#showFile(path, options.behind === true)) return;
    let opened: OpenedFlow | undefined;
    const document = await this.#open(async () => {
      opened = await this.#host.call("flow.open", { path });
      return documentState(opened.flow, opened);
    }, options);
    if (!document || !opened) return;
    notifyReadOnly(opened);
    if (opened.recovered) await this.#offerDraft(document.key, opened, opened.recovered);
  }

  /** Shows the document of a file, if there is one. */
  #showFile(path: string, behind: boolean): boolean {
    const document = this.#documents.ofFile(path);
    if (!document) return false;
    if (!behind) {
      this.#documents.show(document.key);
      this.#editor.leaveView();
    }
    return true;
  }

  /**
   * Opens the content of a file at an unknown place: a flow, a pipeline, or a file of another tool, which is imported.
   */
  async openText(name: string, text: string): Promise<void> {
    const document = await this.#open(async () => {
      try {
        return unsaved(await this.#host.call("flow.read", { text, name }));
      } catch (notAFlow) {
        return await this.#imported({ text, name: stem(name) }).catch((thrown) => {
          // Other files were probably meant to be flows.
          throw HostError.from(thrown).code === "import.unknown_format" ? notAFlow : thrown;
        });
      }
    });
    if (document?.importReport) this.#showImport();
  }

  /** Lets the person choose a file of another tool and imports it. */
  async importFile(): Promise<void> {
    await reportErrors(async () => {
      const { path } = await this.#host.call("dialog.open", { title: TEXTS.importFile });
      if (path !== null) await this.#openImported(() => this.#imported({ path }));
    });
  }

  /** Imports another graph of the file that the shown flow was imported from, as a flow of its own. */
  async importGraph(graph: string): Promise<void> {
    const { importSource } = this.#editor.state;
    if (importSource) await this.#openImported(() => this.#imported({ ...importSource, graph }));
  }

  async #openImported(load: () => Promise<FlowState>): Promise<void> {
    if (await this.#open(load)) this.#showImport();
  }

  /** A document made from a file of another tool, with the report about that. */
  async #imported(source: ImportFlow): Promise<FlowState> {
    const { flow, report } = await this.#host.call("flow.import", source);
    return { ...unsaved(flow), importReport: report, importSource: source };
  }

  /** The button of the error about a file that is not a flow, if it can be imported. */
  async #importInstead(path: string, { code }: HostError): Promise<{ label: string; run: () => void } | undefined> {
    if (!NOT_A_FLOW.test(code)) return undefined;
    try {
      const imported = await this.#imported({ path });
      return { label: TEXTS.importIt, run: () => void this.#openImported(async () => imported) };
    } catch {
      // The error about the flow says enough.
      return undefined;
    }
  }

  async openExample(id: string): Promise<void> {
    await this.#open(async () => documentState(await this.#host.call("flow.example", { id })));
  }

  /** Opens the first draft of a flow that does what a recorded program did. */
  async openDraftOfProgram(run: RunId): Promise<void> {
    await this.#open(async () => unsaved(await this.#host.call("program.draft", { run })));
  }

  /** Keeps the shown flow as a template. */
  async saveTemplate(): Promise<void> {
    commitTyping();
    const { state } = this.#editor;
    const name = documentName(state);
    await reportErrors(async () => {
      await this.#host.call("templates.save", { name, flow: documentFlow(state) });
      notify.done(TEXTS.templateSaved(name));
    });
  }

  async openTemplate(id: string): Promise<void> {
    await this.#open(async () => documentState(await this.#host.call("templates.open", { id })));
  }

  async renameTemplate(id: string, name: string): Promise<void> {
    await reportErrors(() => this.#host.call("templates.rename", { id, name }));
  }

  /** Deletes a template, after asking. */
  async removeTemplate(id: string, name: string): Promise<void> {
    const choice = await this.#questions.ask({
      title: TEXTS.deleteTemplateTitle(name),
      text: TEXTS.deleteTemplateWarning,
      actions: [{ id: "delete", label: TEXTS.deleteTemplate, kind: "danger" }],
    });
    if (choice === "delete") await reportErrors(() => this.#host.call("templates.remove", { id }));
  }

  /** Opens a draft that was never saved. */
  async openDraft(draft: Autosave): Promise<void> {
    await this.#open(async () => {
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

  /** Saves a document; without a key, the shown one. Asks for a path if it has no writable file. Returns whether it was saved. */
  save(key = this.#editor.state.key): Promise<boolean> {
    return this.#oneAtATime(key, () => {
      const { path, readOnly } = this.#documents.stateOf(key) ?? {};
      return path === undefined || readOnly ? this.#saveElsewhere(key) : this.#saveTo(key, path);
    });
  }

  /** Saves to a chosen file. Returns whether it was saved. */
  saveAs(): Promise<boolean> {
    const { key } = this.#editor.state;
    return this.#oneAtATime(key, () => this.#saveElsewhere(key), true);
  }

  /** Saves a pipeline to a chosen file as a flow, which can express everything. Returns whether it was saved. */
  saveAsFlow(): Promise<boolean> {
    const { key } = this.#editor.state;
    return this.#oneAtATime(key, () => this.#saveElsewhere(key, true), true);
  }

  /**
   * Starts a save after the running one: it needs that save's hash. Does not save unchanged content `again` unless
   * requested, and does not retry a failed save.
   */
  async #oneAtATime(key: string, work: () => Promise<boolean>, again = false): Promise<boolean> {
    commitTyping();
    while (this.#saving) {
      const before = this.#saving;
      const saved = await before.done;
      const state = this.#documents.stateOf(key);
      if (!state) return false;
      if (before.key === key && !again && (!saved || !isDirty(state))) return saved;
    }
    const done = work().finally(() => {
      this.#saving = undefined;
    });
    this.#saving = { key, done };
    return done;
  }

  async #saveElsewhere(key: string, asFlow = false): Promise<boolean> {
    const state = this.#documents.stateOf(key);
    if (!state) return false;
    const suggested = suggestedName(state.path, documentName(state), asFlow);
    try {
      const { path } = await this.#host.call("dialog.save", { suggested });
      // The dialog has confirmed replacing an existing file.
      return path === null ? false : await this.#saveTo(key, path, true);
    } catch (thrown) {
      notify.error(HostError.from(thrown));
      return false;
    }
  }

  async #saveTo(key: string, path: string, force = false): Promise<boolean> {
    const state = this.#documents.stateOf(key);
    if (!state) return false;
    const { hash, path: source } = state;
    const flow = documentFlow(state);
    try {
      const baseHash = force ? undefined : hash;
      const saved = await this.#host.call("flow.save", { path, flow, baseHash, force, source });
      // Edits made while the file was being written stay unsaved: `saved` is the written text, not the current one.
      this.#documents.update(key, { path: saved.path, hash: saved.hash, saved: flow, readOnly: false });
      this.#onSaved(flow, saved.path);
      return true;
    } catch (thrown) {
      const error = HostError.from(thrown);
      if (!this.#documents.isOpen(key)) notify.error(error);
      else if (error.code === "flow.changed_on_disk") return this.#settleConflict(key, path);
      else if (error.code === "pipeline.not_expressible")
        notify.error(error, { label: TEXTS.saveAsFlow, run: () => void this.saveAsFlow() });
      else notify.error(error, { label: TEXTS.saveAs, run: () => void this.saveAs() });
      return false;
    }
  }

  async #settleConflict(key: string, path: string): Promise<boolean> {
    const choice = await this.#questions.ask({
      title: TEXTS.changedOnDisk(fileName(path)),
      text: TEXTS.whichVersion,
      actions: [
        { id: "saveAs", label: TEXTS.saveAs, kind: "main" },
        { id: "reload", label: TEXTS.reloadFromDisk, kind: "plain" },
        { id: "overwrite", label: TEXTS.overwrite, kind: "danger" },
      ],
    });
    if (choice === "overwrite") return this.#saveTo(key, path, true);
    if (choice === "saveAs") return this.#saveElsewhere(key);
    if (choice === "reload") {
      await reportErrors(async () => {
        const opened = await this.#host.call("flow.open", { path });
        const { importReport, importSource } = this.#documents.stateOf(key) ?? {};
        this.#documents.update(key, { ...documentState(opened.flow, opened), key, importReport, importSource });
      });
    }
    return false;
  }

  async #offerDraft(key: string, opened: OpenedFlow, draft: Autosave): Promise<void> {
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
      this.#documents.update(key, restored(draft, opened.hash));
    }
    if (choice === "drop") await this.dropDraft(draft, () => void this.#offerAgain(key, opened, draft));
  }

  /** Offers a discarded draft again after undo, if its document is still open and unchanged. */
  async #offerAgain(key: string, opened: OpenedFlow, draft: Autosave): Promise<void> {
    const state = this.#documents.stateOf(key);
    if (state && !isDirty(state)) await this.#offerDraft(key, opened, draft);
  }

  /**
   * Loads a document and opens it. It is shown unless something else was requested meanwhile. Returns it if it could be loaded;
   * `actionFor` says what the error offers otherwise.
   */
  async #open(
    load: () => Promise<FlowState>,
    { behind = false, onError, actionFor }: OpenOptions = {},
  ): Promise<FlowState | undefined> {
    const isLatest = behind ? () => false : this.#editor.requests.request();
    try {
      const document = await load();
      const { path } = document;
      if (path !== undefined && !this.#documents.ofFile(path) && (await this.#host.showElsewhere(path))) {
        notify.info(TEXTS.openElsewhere(fileName(path)));
        return undefined;
      }
      // It may have been opened under another spelling of its path, or twice.
      if (path !== undefined && this.#showFile(path, !isLatest())) return undefined;
      this.#documents.open(document, !isLatest());
      return document;
    } catch (thrown) {
      const error = HostError.from(thrown);
      if (onError) onError(error);
      else notify.error(error, await actionFor?.(error));
      return undefined;
    }
  }
}

/** The state a draft replaces. Its base hash makes sure that saving only overwrites the file it started from. */
function restored(draft: Autosave, hash: string | undefined): Pick<FlowState, "flow" | "key" | "hash"> {
  return { flow: draft.flow, key: draft.key, hash: draft.baseHash ?? hash };
}

/** A document that is in no file yet. */
function unsaved(flow: Flow): FlowState {
  return { ...documentState(flow), saved: EMPTY_FLOW };
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

/** The name of a file without its extension. */
function stem(name: string): string {
  return name.replace(/\.[^.]*$/, "") || name;
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
  if (path === undefined) return `${slug(name)}${FLOW_ENDING}`;
  return asFlow ? `${fileName(path).replace(/(\.flow)?\.ya?ml$/i, "")}${FLOW_ENDING}` : fileName(path);
}
