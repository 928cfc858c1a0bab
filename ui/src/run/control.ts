/** Actions on runs. They report errors as toasts and never throw. */
import { create } from "zustand";
import type { Diagnostic, Epoch, NodeId, RunId, RunSummary } from "@/bindings";
import { refreshConversations } from "@/conversations/conversation-list";
import { currentStore, stopContinuing } from "@/conversations/current-conversation";
import { ask } from "@/design/ask";
import { notify } from "@/design/notify";
import { leaveView, viewFlow } from "@/flow/actions";
import { requestRun } from "@/flow/latest-request";
import { flowStore } from "@/flow/store";
import { call, HostError } from "@/ipc";
import { errorAction } from "@/workbench/error-action";
import type { LayoutStore } from "@/workbench/layout";
import { isOver } from "./fold/status";
import type { OpenPause } from "./fold/types";
import { activeSession, showSession, wake, wakeSession } from "./live/active-run";
import { RunSession, type SessionEvents } from "./live/session";
import { PAGE, refreshRuns } from "./run-list";

type Control = {
  /** The run started last from the document that is open. */
  document?: RunSession;
  /** The run that is looked at in place of the document. */
  viewed?: RunSession;
  /** A run was requested and has not started. */
  starting: boolean;
};

let layout: LayoutStore | undefined;

/** Sets the layout whose dock shows the problems and questions of runs. */
export function setRunLayout(next: LayoutStore): void {
  layout = next;
}

export const controlStore = create<Control>(() => ({ starting: false }));

const events: SessionEvents = {
  changed(session, changed) {
    wake(session, changed);
    if (changed.entries.some((entry) => TURNING_POINTS.has(entry.type))) refreshRuns();
    const inConversation = session.fold.head.conversation !== undefined;
    if (inConversation && changed.entries.some((entry) => entry.type === "turn.committed")) refreshConversations();
  },
  broke(session, error) {
    notify.error(error, { label: "Reconnect", run: () => session.watch() });
    // The watch may have broken because the run's process died; then the run can be resumed.
    const { parentRunId: parent } = session.fold.head;
    call("runs.list", { parent, limit: PAGE }).then(
      (list) => {
        session.interrupted = list.find((one) => one.run === session.run)?.status === "interrupted";
        wakeSession(session);
      },
      // The error was reported above.
      () => undefined,
    );
    refreshRuns();
  },
};

/** Events after which the list of runs reads differently. */
const TURNING_POINTS = new Set([
  "run.started",
  "run.waiting",
  "input.provided",
  "child.started",
  "child.resumed",
  "run.finished",
  "run.failed",
  "run.cancelled",
]);

/** Keeps the active run in sync with the document. Call once; returns a function that stops it. */
export function followDocument(): () => void {
  return flowStore.subscribe((state, before) => {
    if (state.key !== before.key) setDocumentRun(undefined);
    if (before.viewing && state.viewing?.run !== before.viewing.run) {
      const { viewed } = controlStore.getState();
      if (viewed?.run === before.viewing.run) setViewed(undefined);
    }
  });
}

function setDocumentRun(document: RunSession | undefined): void {
  const state = controlStore.getState();
  if (state.document !== document) state.document?.close();
  controlStore.setState({ document });
  showSession(state.viewed ?? document);
}

function setViewed(viewed: RunSession | undefined): void {
  const state = controlStore.getState();
  if (state.viewed !== viewed) state.viewed?.close();
  controlStore.setState({ viewed });
  showSession(viewed ?? state.document);
}

/** Errors of the document that keep it from running. */
export function runBlockers(state = flowStore.getState()): Diagnostic[] {
  return state.checked.diagnostics.filter((found) => found.severity === "error");
}

/** Runs the document, or as much of it as `to` needs. */
export async function startRun(to?: NodeId): Promise<void> {
  const { flow, path, key, viewing } = flowStore.getState();
  if (viewing || controlStore.getState().starting) return;
  const earlier = controlStore.getState().document;
  if (earlier && !isOver(earlier.fold.head.status) && earlier.fold.head.status !== "waiting" && !earlier.interrupted)
    return;
  if (runBlockers().length > 0) {
    layout?.showDockTab("problems");
    return;
  }
  controlStore.setState({ starting: true });
  try {
    const { run } = await call("run.start", { flow, path, to, conversation: currentStore.getState().conversation?.id });
    refreshRuns();
    // Another document is open by now: the run is in the list of runs.
    if (flowStore.getState().key !== key) return;
    const waits = earlier?.fold.head.status === "waiting";
    const session = new RunSession(run, flow, events);
    setDocumentRun(session);
    session.watch();
    if (waits) notify.info("The previous run is still waiting for you. Find it in Runs.", openAction(earlier.run));
  } catch (thrown) {
    const error = HostError.from(thrown);
    if (error.code === "flow.invalid") layout?.showDockTab("problems");
    if (error.code === "conversation.unknown") stopContinuing();
    notify.error(error, layout && errorAction(error.code, layout));
  } finally {
    controlStore.setState({ starting: false });
  }
}

export async function stopRun(): Promise<void> {
  const session = activeSession();
  if (session) await cancelRun(session.run);
}

/**
 * Answers a pause of the active run or of its child runs. Returns the error instead of reporting it, for the answer form.
 */
export async function answerPause(pause: OpenPause, value: unknown): Promise<HostError | undefined> {
  const session = activeSession();
  if (!session) return undefined;
  try {
    await call("run.answer", { ...pauseOwner(session.run, pause), value });
    followResumedRun(session.run);
    return undefined;
  } catch (thrown) {
    return HostError.from(thrown);
  }
}

export async function endPause(pause: OpenPause): Promise<void> {
  const session = activeSession();
  if (!session) return;
  await reportErrors(async () => {
    await call("run.end", pauseOwner(session.run, pause));
    followResumedRun(session.run);
  });
}

/** The run, node and epoch that take the answer. */
function pauseOwner(run: RunId, pause: OpenPause): { run: RunId; node: NodeId; epoch: Epoch } {
  const { node, epoch } = pause;
  return pause.asker ?? { run, node, epoch };
}

/** Shows a run on the canvas from its journal, and follows it if it is not over. */
export async function openRun(run: RunId): Promise<void> {
  // Also for a run that is displayed already: a slower earlier request must not replace it.
  const isLatest = requestRun();
  const { document, viewed } = controlStore.getState();
  if (document?.run === run) {
    leaveView();
    return;
  }
  if (viewed?.run === run) return;
  await reportErrors(async () => {
    const { summary, above, flow, entries, damage } = await call("runs.show", { run });
    if (!isLatest()) return;
    if (damage) notify.error(HostError.from(damage));
    const session = new RunSession(run, flow, events, summary.status === "interrupted");
    const place = (one: RunSummary) => ({ run: one.run, label: one.flowName || "Untitled flow" });
    viewFlow({ ...place(summary), path: summary.path, above: (above ?? []).map(place), flow });
    setViewed(session);
    session.push(entries);
    if (summary.status === "running" || summary.status === "waiting") session.watch();
    if (summary.status === "waiting") layout?.showDockTab("conversation");
  });
}

/** Lets a run go on whose process died. */
export async function resumeRun(run: RunId): Promise<void> {
  await reportErrors(async () => {
    await call("run.resume", { run });
    followResumedRun(run);
    if (!sessionOf(run)) await openRun(run);
  });
}

/** Stops a run. One whose process died is resumed for that and ends at once. */
export async function cancelRun(run: RunId): Promise<void> {
  await reportErrors(async () => {
    await call("run.cancel", { run });
    followResumedRun(run);
  });
}

/** Follows a run again after the host resumed it. */
function followResumedRun(run: RunId): void {
  const session = sessionOf(run);
  if (session && !isOver(session.fold.head.status)) {
    session.interrupted = false;
    wakeSession(session);
    session.watch();
  }
  refreshRuns();
}

function sessionOf(run: RunId): RunSession | undefined {
  const { viewed, document } = controlStore.getState();
  return [viewed, document].find((one) => one?.run === run);
}

/** Deletes a run and its journal, after asking. */
export async function deleteRun(run: RunId, name: string): Promise<void> {
  const choice = await ask({
    title: "Delete run?",
    text: `This permanently deletes the run of “${name}” with its inputs, outputs and messages. The flow is kept.`,
    actions: [{ id: "delete", label: "Delete run", kind: "danger" }],
  });
  if (choice !== "delete") return;
  await reportErrors(async () => {
    await call("runs.remove", { run });
    if (controlStore.getState().viewed?.run === run) leaveView();
    if (controlStore.getState().document?.run === run) setDocumentRun(undefined);
  });
  refreshRuns();
}

/** Takes a run that is over off the canvas. */
export function clearRun(): void {
  const { document } = controlStore.getState();
  if (document && isOver(document.fold.head.status)) setDocumentRun(undefined);
}

export function openAction(run: RunId): { label: string; run: () => void } {
  return { label: "Open", run: () => void openRun(run) };
}

async function reportErrors(work: () => Promise<unknown>): Promise<void> {
  try {
    await work();
  } catch (thrown) {
    const error = HostError.from(thrown);
    notify.error(error, layout && errorAction(error.code, layout));
  }
}
