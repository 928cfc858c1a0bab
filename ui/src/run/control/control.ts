/** Actions on runs. They report errors as toasts and never throw. */
import type { StoreApi } from "zustand/vanilla";
import type {
  Activation,
  Attachment,
  Bill,
  Breakpoint,
  Entry,
  ErrorCode,
  Flow,
  MessageId,
  RunId,
  RunStatus,
  RunSummary,
} from "@/bindings";
import { notify } from "@/design/dialogs/notify";
import type { QuestionStore } from "@/design/dialogs/question-store";
import { commitTyping } from "@/design/keys/commit-typing";
import type { FlowEditor } from "@/flow/document/editor";
import type { OpenDocuments } from "@/flow/files/open-documents";
import { type Args, type Host, HostError } from "@/ipc";
import type { CurrentConversation } from "@/run/conversations/current-conversation";
import { BreakpointSync } from "@/run/debug/breakpoint-sync";
import { type BreakpointStore, breakpointsIn } from "@/run/debug/breakpoints";
import { RunDebugger } from "@/run/debug/debugger";
import { isOver, isResting, needsPerson } from "@/run/fold/status";
import type { OpenPause } from "@/run/fold/types";
import { RunFiles } from "@/run/list/run-files";
import type { RunList } from "@/run/list/run-list";
import type { ActiveRun } from "@/run/live/active-run";
import { RunSession } from "@/run/live/session";
import { TEXTS } from "@/run/texts";
import { DocumentSessions, type RunState } from "./document-sessions";
import { startGranted } from "./granted-start";
import { pauseOwner } from "./pauses";
import { type ForkChoice, type ForkEdits, hasForkablePlaces, isForkable } from "./rerun";
import { runBlockers } from "./run-blockers";
import type { RunWindow } from "./run-window";
import { SessionListener } from "./session-listener";
import { askTrigger } from "./trigger-question";

/** Errors of runs that cannot be resumed and can be retried. */
const NEEDS_RETRY: ReadonlySet<string> = new Set<ErrorCode>([
  "journal.other_revision",
  "journal.diverged",
  "journal.impossible",
  "journal.corrupt",
]);

/** Whether a run can be retried, as far as its status tells. */
export function isRetryable(status: RunStatus, parent: RunId | undefined): boolean {
  return parent === undefined && (status === "failed" || status === "cancelled");
}

type Parts = {
  host: Host;
  editor: FlowEditor;
  documents: OpenDocuments;
  questions: QuestionStore;
  window: RunWindow;
  conversation: CurrentConversation;
  list: RunList;
  active: ActiveRun;
  breakpoints: BreakpointStore;
};

export class RunControl {
  /** Stops of the active run. */
  readonly debugger: RunDebugger;
  /** The images and files that go with the next runs. */
  readonly files = new RunFiles();
  readonly #sessions: DocumentSessions;
  readonly #host: Host;
  readonly #editor: FlowEditor;
  readonly #documents: OpenDocuments;
  readonly #questions: QuestionStore;
  readonly #window: RunWindow;
  readonly #conversation: CurrentConversation;
  readonly #list: RunList;
  readonly #active: ActiveRun;
  readonly #breakpoints: BreakpointStore;
  readonly #events: SessionListener;
  /** Runs of recorded programs, behind the shown document, that are no longer what their sessions say. */
  readonly #outdated = new WeakSet<RunSession>();

  constructor({ host, editor, documents, questions, window, conversation, list, active, breakpoints }: Parts) {
    this.#host = host;
    this.#editor = editor;
    this.#documents = documents;
    this.#questions = questions;
    this.#window = window;
    this.#conversation = conversation;
    this.#list = list;
    this.#active = active;
    this.#breakpoints = breakpoints;
    this.debugger = new RunDebugger({
      host,
      active,
      report: (thrown) => this.#report(thrown),
      onResumed: (run) => this.#followResumedRun(run),
    });
    this.#sessions = new DocumentSessions({ editor, documents, list, active });
    const redrafted = (session: RunSession) => {
      if (this.store.getState().viewed === session) void this.#redraw(session);
      else this.#outdated.add(session);
    };
    const parts = { host, editor, documents, window, conversation, list, active };
    this.#events = new SessionListener({ ...parts, sessions: this.#sessions, redrafted });
  }

  /** The sessions of the shown document. */
  get store(): StoreApi<RunState> {
    return this.#sessions.store;
  }

  /** Keeps the active run in sync with the documents. Call once; returns a function that stops it. */
  followDocument(): () => void {
    const stopFiles = this.#documents.onClosed((key) => this.files.forget(key));
    const stopSessions = this.#sessions.follow();
    const stopRedrawing = this.store.subscribe(({ viewed }) => {
      if (viewed && this.#outdated.delete(viewed)) void this.#redraw(viewed);
    });
    const shown = () => {
      const { document, viewed } = this.store.getState();
      return document && !viewed && this.#active.session === document ? document : undefined;
    };
    const sync = new BreakpointSync({
      host: this.#host,
      editor: this.#editor,
      active: this.#active,
      breakpoints: this.#breakpoints,
      session: shown,
      report: (thrown) => this.#report(thrown),
      onResumed: (run) => this.#followResumedRun(run),
    });
    const stopBreakpoints = sync.follow();
    return () => {
      stopBreakpoints();
      stopRedrawing();
      stopSessions();
      stopFiles();
    };
  }

  #report(thrown: unknown): void {
    const error = HostError.from(thrown);
    notify.error(error, this.#window.errorAction(error));
  }

  /** Runs the document, as much of it as `to` needs, with its pins unless they are to be ignored. */
  async start(choice: Pick<Args<"run.start">, "to" | "ignorePins"> = {}): Promise<void> {
    const question = askTrigger(this.#editor.state, this.#questions);
    if (!question) return this.#start(choice);
    const trigger = await question;
    if (trigger !== undefined) await this.#start({ ...choice, trigger });
  }

  async #start(choice: Pick<Args<"run.start">, "to" | "ignorePins" | "trigger">): Promise<void> {
    commitTyping();
    if (!this.#editor.state.viewing) this.#editor.closeInner(0);
    const { flow, path, key, viewing } = this.#editor.state;
    if (viewing || this.store.getState().starting.has(key)) return;
    const earlier = this.store.getState().document;
    if (earlier && !isResting(earlier.fold.head.status) && !earlier.interrupted) return;
    // The problems of the document are those of its default trigger.
    if (choice.trigger === undefined && runBlockers(this.#editor.state).length > 0) {
      this.#window.showProblems();
      return;
    }
    this.#window.runStarts();
    this.#sessions.setStarting(key, true);
    try {
      const overrides = this.files.overrides(key, flow);
      const breakpoints = this.#breakpointsOfShown();
      const conversation = this.#conversation.current?.id;
      const request = { flow, path, ...choice, conversation, overrides, breakpoints };
      const run = await startGranted(this.#host, this.#window, "run.start", { request, name: flow.name, path });
      if (run === undefined) return;
      const waits = earlier !== undefined && needsPerson(earlier.fold.head.status);
      if (this.#followNewRun(run, flow, key) && waits)
        notify.info(TEXTS.previousRunWaits, this.openAction(earlier.run));
    } catch (thrown) {
      const error = HostError.from(thrown);
      if (error.code === "flow.invalid") this.#window.showProblems();
      if (error.code === "conversation.unknown") this.#conversation.leave();
      notify.error(error, this.#window.errorAction(error));
    } finally {
      this.#sessions.setStarting(key, false);
    }
  }

  /** Runs the edited document again as a fork of its run, which reuses what is asked again. */
  async rerun(): Promise<void> {
    await this.#fork({}, ({ outside }) => outside.length > 0, TEXTS.rerunTitle, TEXTS.rerunHint);
  }

  /** Forks the run in view with edits, once the person has seen the bill. */
  async fork(edits: ForkEdits, title: string, hint: string): Promise<void> {
    await this.#fork(edits, () => true, title, hint);
  }

  /** A fork of the document's run runs the document as it is now. */
  async #fork(edits: ForkEdits, asks: (bill: Bill) => boolean, title: string, hint: string): Promise<void> {
    commitTyping();
    if (!this.#editor.state.viewing) this.#editor.closeInner(0);
    const { flow, path, key, viewing } = this.#editor.state;
    const earlier = this.#active.session;
    const isPlace = edits.at !== undefined || (edits.fresh !== undefined && edits.to === undefined);
    if (!earlier || !(isPlace ? hasForkablePlaces(earlier) : isForkable(earlier))) return;
    if (this.store.getState().starting.has(key)) return;
    const isEdited = !viewing && flow !== earlier.flow;
    if (isEdited && runBlockers(this.#editor.state).length > 0) {
      this.#window.showProblems();
      return;
    }
    this.#sessions.setStarting(key, true);
    await this.#reportErrors(async () => {
      const request = isEdited ? { run: earlier.run, ...edits, flow, path } : { run: earlier.run, ...edits };
      const billWith = (choice: ForkChoice) => this.#host.call("run.bill", { ...request, ...choice });
      const follows = edits.to === undefined ? edits.fresh : undefined;
      let choice: ForkChoice = { world: edits.world ?? {}, replies: "earlier", ...(follows && { fresh: follows }) };
      const bill = await billWith(choice);
      if (asks(bill)) {
        const chosen = await this.#window.askBill({
          title,
          hint,
          bill,
          choice,
          isInside: earlier.fold.head.parentRunId !== undefined,
          billWith,
        });
        if (!chosen) return;
        choice = chosen;
      }
      this.#window.runStarts();
      // As for a new run of the flow.
      const breakpoints = this.#breakpointsOfShown();
      const again = { ...request, ...choice, breakpoints };
      const run = await startGranted(this.#host, this.#window, "run.rerun", { request: again, name: flow.name, path });
      if (run === undefined) return;
      if (viewing) await this.open(run);
      else this.#followNewRun(run, flow, key);
    });
    this.#sessions.setStarting(key, false);
  }

  /** The breakpoints of the shown flow; while a run is viewed, those of the file that it is of. */
  #breakpointsOfShown(): Breakpoint[] {
    const { flow, viewing, checked } = this.#editor.state;
    const name = viewing?.path;
    const kept = viewing ? (name === undefined ? [] : this.#breakpoints.of(name)) : this.#breakpoints.current;
    return breakpointsIn(viewing?.flow ?? flow, checked, kept);
  }

  /** Shows a run that the document has begun. Not if the document is closed by now: then the run is in the list of runs. */
  #followNewRun(run: RunId, flow: Flow, key: string): boolean {
    this.#list.refresh();
    if (!this.#documents.isOpen(key)) return false;
    const session = new RunSession(this.#host, run, flow, this.#events);
    this.#sessions.setDocumentRun(session, key);
    session.watch();
    return true;
  }

  async stop(): Promise<void> {
    const session = this.#active.session;
    if (session) await this.cancel(session.run);
  }

  /** Answers a pause of the active run or of its child runs. Returns the error instead of reporting it, for the answer form. */
  async answer(
    pause: OpenPause,
    value: unknown,
    attachments: readonly Attachment[] = [],
  ): Promise<HostError | undefined> {
    const session = this.#active.session;
    if (!session) return undefined;
    try {
      const files = attachments.length > 0 ? { attachments: [...attachments] } : {};
      await this.#host.call("run.answer", { ...pauseOwner(session.run, pause), value, ...files });
      this.#followResumedRun(session.run);
      return undefined;
    } catch (thrown) {
      const error = HostError.from(thrown);
      if (NEEDS_RETRY.has(error.code)) notify.error(error, this.#retryAction(session.run));
      return error;
    }
  }

  /** Pins a turn of a loop's conversation in the active run, or takes the pin off. */
  async pin(loop: Activation, turn: MessageId, pinned: boolean): Promise<void> {
    const session = this.#active.session;
    if (!session) return;
    const { node, epoch } = loop;
    await this.#reportErrors(async () => {
      await this.#host.call("run.pin", { run: session.run, node, epoch, turn, pinned });
      this.#followResumedRun(session.run);
    }, session.run);
  }

  async end(pause: OpenPause): Promise<void> {
    const session = this.#active.session;
    if (!session) return;
    await this.#reportErrors(async () => {
      await this.#host.call("run.end", pauseOwner(session.run, pause));
      this.#followResumedRun(session.run);
    }, session.run);
  }

  /** Shows a run on the canvas from its journal, and follows it if it is not over. */
  async open(run: RunId): Promise<void> {
    notify.withdraw(run);
    // Also for a run that is displayed already: a slower earlier request must not replace it.
    const isLatest = this.#editor.requests.request();
    const behind = this.#sessions.behindWith(run);
    if (behind !== undefined) this.#documents.show(behind);
    const { document, viewed } = this.store.getState();
    if (document?.run === run) {
      this.#editor.leaveView();
      return;
    }
    if (viewed?.run === run) return;
    await this.#reportErrors(async () => {
      const { summary, above, flow, entries, damage } = await this.#host.call("runs.show", { run });
      if (!isLatest()) return;
      if (damage) notify.error(HostError.from(damage));
      const place = (one: RunSummary) => ({ run: one.run, label: one.flowName || TEXTS.untitledFlow });
      this.#editor.viewFlow({ ...place(summary), path: summary.path, above: (above ?? []).map(place), flow });
      this.#look(summary, flow, entries);
    });
  }

  /** Shows the run of a recorded program anew: what the program did since has changed its draft. */
  async #redraw(outdated: RunSession): Promise<void> {
    await this.#reportErrors(async () => {
      const { summary, flow, entries } = await this.#host.call("runs.show", { run: outdated.run });
      if (this.store.getState().viewed !== outdated) return;
      this.#editor.redrawView(flow);
      this.#look(summary, flow, entries);
      this.#list.refresh();
    });
  }

  /** Shows a run in place of the document, and follows it if it is not over. */
  #look({ run, status }: RunSummary, flow: Flow, entries: readonly Entry[]): void {
    const session = new RunSession(this.#host, run, flow, this.#events, status === "interrupted");
    this.#sessions.setViewed(session);
    session.replay(entries);
    if (status === "running" || needsPerson(status)) session.watch();
  }

  /** Continues a run after its process died. */
  async resume(run: RunId): Promise<void> {
    await this.#reportErrors(async () => {
      await this.#host.call("run.resume", { run });
      this.#followResumedRun(run);
      if (!this.#sessions.sessionOf(run)) await this.open(run);
    }, run);
  }

  /** Continues a run that has stopped for good as a new run, which reuses its replies and answers, and shows that. */
  async retry(run: RunId): Promise<void> {
    await this.#reportErrors(async () => {
      const { run: next } = await this.#host.call("run.retry", { run });
      this.#list.refresh();
      const { document, viewed } = this.store.getState();
      if (viewed || document?.run !== run) return this.open(next);
      const session = new RunSession(this.#host, next, document.flow, this.#events);
      this.#sessions.setDocumentRun(session);
      session.watch();
    });
  }

  /** Goes on with a run that waits under an edited flow, as a fork. Whether that has begun. */
  async move(run: RunId, flow: Flow, path: string): Promise<boolean> {
    let begun = false;
    await this.#reportErrors(async () => {
      const { run: next } = await this.#host.call("run.move", { run, flow, path });
      begun = true;
      this.#list.refresh();
      const { document } = this.store.getState();
      const key = document?.run === run ? this.#sessions.documentOf(document) : undefined;
      if (key !== undefined) this.#followNewRun(next, flow, key);
    });
    return begun;
  }

  /** Stops a run. After its process died, it is resumed for that and ends at once. */
  async cancel(run: RunId): Promise<void> {
    await this.#reportErrors(async () => {
      await this.#host.call("run.cancel", { run });
      this.#followResumedRun(run);
    });
  }

  /** Follows a run again after the host resumed it. */
  #followResumedRun(run: RunId): void {
    const session = this.#sessions.sessionOf(run);
    if (session && !isOver(session.fold.head.status)) {
      session.interrupted = false;
      this.#active.publishSession(session);
      session.watch();
    }
    this.#list.refresh();
  }

  /** Lets other runs no longer take the replies that a run bought. */
  async forgetReplies(run: RunId): Promise<void> {
    await this.#reportErrors(async () => {
      await this.#host.call("runs.forgetReplies", { run });
      notify.info(TEXTS.repliesForgotten);
    });
  }

  /** Deletes a run and its journal, after asking. */
  async remove(run: RunId, name: string): Promise<void> {
    const choice = await this.#questions.ask({
      title: TEXTS.deleteRunTitle,
      text: TEXTS.deleteRunWarning(name),
      actions: [{ id: "delete", label: TEXTS.deleteRun, kind: "danger" }],
    });
    if (choice !== "delete") return;
    await this.#reportErrors(async () => {
      await this.#host.call("runs.remove", { run });
      if (this.store.getState().viewed?.run === run) this.#editor.leaveView();
      const session = this.#sessions.sessionOf(run);
      const key = session && this.#sessions.documentOf(session);
      if (key !== undefined) this.#sessions.setDocumentRun(undefined, key);
    });
    this.#list.refresh();
  }

  /** Takes a run that is over off the canvas. */
  clear(): void {
    const { document } = this.store.getState();
    if (document && isOver(document.fold.head.status)) this.#sessions.setDocumentRun(undefined);
  }

  openAction(run: RunId): { label: string; run: () => void } {
    return { label: TEXTS.open, run: () => void this.#openToAnswer(run) };
  }

  /** Opens a run and shows its question, if it has one. */
  async #openToAnswer(run: RunId): Promise<void> {
    const opened = this.#window.awaitAnswer();
    await this.open(run);
    const session = this.#sessions.sessionOf(run);
    if (session) this.#events.showQuestionOnceRead(session);
    opened();
  }

  #retryAction(run: RunId): { label: string; run: () => void } {
    return { label: TEXTS.retry, run: () => void this.retry(run) };
  }

  /** Reports an error as a toast; if this version cannot continue the journal of `run`, with a button to retry it. */
  async #reportErrors(work: () => Promise<unknown>, run?: RunId): Promise<void> {
    try {
      await work();
    } catch (thrown) {
      const error = HostError.from(thrown);
      const action =
        run !== undefined && NEEDS_RETRY.has(error.code) ? this.#retryAction(run) : this.#window.errorAction(error);
      notify.error(error, action);
    }
  }
}
