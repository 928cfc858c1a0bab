/** What the window does when the journal of a followed run grows, or can no longer be followed. */
import { notify } from "@/design/dialogs/notify";
import type { FlowEditor } from "@/flow/document/editor";
import { documentName } from "@/flow/document/flow-state";
import type { OpenDocuments } from "@/flow/files/open-documents";
import type { Host } from "@/ipc";
import type { CurrentConversation } from "@/run/conversations/current-conversation";
import { isOver } from "@/run/fold/status";
import { PAGE, type RunList } from "@/run/list/run-list";
import type { ActiveRun } from "@/run/live/active-run";
import type { RunSession, SessionEvents } from "@/run/live/session";
import { TEXTS } from "@/run/texts";
import type { DocumentSessions } from "./document-sessions";
import { newestQuestion, pauseKey } from "./pauses";
import type { RunWindow } from "./run-window";

/** Events after which the list of runs reads differently. */
const TURNING_POINTS: ReadonlySet<string> = new Set([
  "run.started",
  "run.waiting",
  "input.provided",
  "child.started",
  "child.resumed",
  "run.finished",
  "run.failed",
  "run.cancelled",
]);

type Parts = {
  host: Host;
  editor: FlowEditor;
  documents: OpenDocuments;
  window: RunWindow;
  conversation: CurrentConversation;
  list: RunList;
  active: ActiveRun;
  sessions: DocumentSessions;
  /** The run of a recorded program has a new draft, so it has to be shown from its beginning. */
  redrafted: (session: RunSession) => void;
};

export class SessionListener implements SessionEvents {
  readonly #parts: Parts;

  /** The run whose question is shown once its journal has been read. */
  #opened: RunSession | undefined;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Shows the question of a run that a person has just opened, now or once its journal has been read. */
  showQuestionOnceRead(session: RunSession): void {
    this.#opened = session;
    this.#showOpened(session);
  }

  #showOpened(session: RunSession): void {
    if (session !== this.#opened || !session.isCaughtUp) return;
    this.#opened = undefined;
    this.#showNewestQuestion(session);
  }

  #showNewestQuestion(session: RunSession): void {
    const { active, window } = this.#parts;
    const pause = session === active.session ? newestQuestion(session) : undefined;
    if (pause) window.showQuestion(pauseKey(session.run, pause));
  }

  readonly changed: SessionEvents["changed"] = (session, changed) => {
    const { active, list, sessions, conversation } = this.#parts;
    active.publish(session, changed);
    const { status } = session.fold.head;
    // A journal that is only read is not how the run is doing now, unless it is over.
    if ((session.live && !session.interrupted) || isOver(status)) list.setStatus(session.run, status);
    if (changed.entries.some((entry) => TURNING_POINTS.has(entry.type))) list.refresh();
    const asks = changed.entries.some((entry) => entry.type === "run.waiting" && !session.isReplayed(entry));
    if (asks && session.live) this.#showQuestionOf(session);
    else this.#showOpened(session);
    const document = sessions.documentOf(session);
    if (document !== undefined) sessions.setStatus(document, status);
    const inConversation = session.fold.head.conversation !== undefined;
    if (inConversation && changed.entries.some((entry) => entry.type === "turn.committed")) conversation.list.refresh();
  };

  readonly broke: SessionEvents["broke"] = (session, error) => {
    const { host, active, list, redrafted } = this.#parts;
    if (error.code === "record.redrafted") {
      redrafted(session);
      return;
    }
    list.forgetStatus(session.run);
    notify.error(error, { label: TEXTS.reconnect, run: () => session.watch() });
    // The watch may have broken because the run's process died; then it can be resumed.
    const { parentRunId: parent } = session.fold.head;
    host.call("runs.list", { parent, limit: PAGE }).then(
      (runs) => {
        session.interrupted = runs.find((one) => one.run === session.run)?.status === "interrupted";
        active.publishSession(session);
      },
      // The broken watch was reported above.
      () => undefined,
    );
    list.refresh();
  };

  /** Shows the question that a run has just asked. For a document behind, and while a person looks at the past, offers to. */
  #showQuestionOf(session: RunSession): void {
    const { editor, documents, active, sessions } = this.#parts;
    const key = sessions.documentOf(session);
    const state = key === undefined ? undefined : documents.stateOf(key);
    const show = () => this.#showNewestQuestion(session);
    const isBehind = state !== undefined && key !== editor.state.key;
    const isPast = session === active.session && active.past !== undefined;
    if (!isBehind && !isPast) {
      show();
      return;
    }
    const open = () => {
      if (isBehind) documents.show(state.key);
      active.lookAt(undefined);
      show();
    };
    const name = documentName(state ?? editor.state);
    notify.offer(session.run, TEXTS.waitsForYou(name), { label: TEXTS.open, run: open });
  }
}
