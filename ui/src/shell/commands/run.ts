/** What can be done with runs from the keyboard and from the command palette. */

import { displayedFlow, documentFlow } from "@/flow/document/flow-state";
import { keepFork } from "@/panels/conversations/actions";
import { exportRecording, openRecording, replayRun } from "@/panels/runs/recordings";
import { makeTest } from "@/panels/tests/suite-run";
import { openChild, runsFlow } from "@/run/control/child-run";
import { isRetryable } from "@/run/control/control";
import { pauseKey } from "@/run/control/pauses";
import {
  hasForkablePlaces,
  isForkable,
  isKeepable,
  isRerunnable,
  runAgainAlone,
  runFromHere,
  runLive,
  runOnlyHere,
  sampleAgain,
} from "@/run/control/rerun";
import { isOver } from "@/run/fold/status";
import type { Command } from "@/workspace/commands/command";
import type { Workspace } from "@/workspace/workspace";

export const RUN_KEYS = "Mod+Enter";
export const STOP_KEYS = "Mod+.";
const RUN_TO_KEYS = "Shift+Enter";
const RERUN_KEYS = "Mod+Shift+Enter";

export const runCommands: readonly Command[] = [
  {
    id: "run.start",
    title: "Run flow",
    group: "Run",
    keys: [RUN_KEYS],
    terms: ["start", "execute", "play"],
    whileTyping: true,
    enabled: ({ editor }) => !editor.state.viewing,
    run: (workspace) => workspace.runs.start(),
  },
  {
    id: "run.to",
    title: "Run to selected node",
    group: "Run",
    keys: [RUN_TO_KEYS],
    terms: ["until", "here", "partial", "node"],
    // A run to a node of an inner flow would be none of the document.
    enabled: (workspace) =>
      !workspace.editor.state.viewing &&
      workspace.editor.state.outer === undefined &&
      onlySelected(workspace) !== undefined,
    run: (workspace) => workspace.runs.start({ to: onlySelected(workspace) }),
  },
  {
    id: "run.withoutPins",
    title: "Run without pins",
    group: "Run",
    terms: ["pinned", "ignore", "execute", "all"],
    enabled: ({ editor }) =>
      !editor.state.viewing && Object.values(documentFlow(editor.state).nodes).some(({ pin }) => pin !== undefined),
    run: (workspace) => workspace.runs.start({ ignorePins: true }),
  },
  {
    id: "run.fromHere",
    title: "Run from selected node",
    group: "Run",
    terms: ["here", "again", "fork", "reuse", "fresh", "partial", "node"],
    enabled: (workspace) => forkableNode(workspace) !== undefined,
    run: (workspace) => forkFrom(workspace, runFromHere),
  },
  {
    id: "run.again",
    title: "Run selected node again, reuse the rest",
    group: "Run",
    terms: ["fresh", "buy", "reply", "fork", "alone", "sample", "node"],
    enabled: (workspace) => forkableNode(workspace) !== undefined,
    run: (workspace) => forkFrom(workspace, runAgainAlone),
  },
  {
    id: "run.only",
    title: "Run only selected node",
    group: "Run",
    terms: ["alone", "single", "again", "fork", "reuse", "fresh", "node"],
    enabled: (workspace) => forkableNodeOfRoot(workspace) !== undefined,
    run: (workspace) => forkFrom(workspace, runOnlyHere),
  },
  {
    id: "run.live",
    title: "Run with live results of selected node",
    group: "Run",
    terms: ["live", "again", "fork", "tool", "search", "request", "fetch", "node"],
    enabled: (workspace) => forkableNodeOfRoot(workspace) !== undefined,
    run: (workspace) => forkFrom(workspace, runLive),
  },
  {
    id: "run.sampleAgain",
    title: "Sample again from this iteration",
    group: "Run",
    terms: ["fork", "fresh", "reply", "repeat", "node"],
    enabled: (workspace) => shownIteration(workspace, forkableNode(workspace)) !== undefined,
    run: (workspace) =>
      forkFrom(workspace, (node, name) => sampleAgain(node, shownIteration(workspace, node) ?? [], name)),
  },
  {
    id: "run.openChild",
    title: "Open sub-flow",
    group: "Run",
    keys: ["Alt+Enter"],
    terms: ["sub-flow", "child", "nested", "node"],
    enabled: (workspace) => {
      const node = displayedFlow(workspace.editor.state).nodes[onlySelected(workspace) ?? ""];
      return runsFlow(workspace.nodeTypes.all, node);
    },
    run: (workspace) => {
      const id = onlySelected(workspace);
      if (id !== undefined) openChild(workspace, id);
    },
  },
  {
    id: "run.stop",
    title: "Stop run",
    group: "Run",
    keys: [STOP_KEYS],
    terms: ["cancel", "abort"],
    whileTyping: true,
    enabled: isRunning,
    run: (workspace) => workspace.runs.stop(),
  },
  {
    id: "run.answer",
    title: "Go to question",
    group: "Run",
    keys: ["Alt+A"],
    terms: ["answer", "pause", "reply"],
    whileTyping: true,
    enabled: (workspace) => (workspace.activeRun.session?.fold.head.pauses.length ?? 0) > 0,
    run: ({ activeRun, layout }) => {
      const { session } = activeRun;
      const pause = session?.fold.head.pauses[0];
      activeRun.lookAt(undefined);
      if (session && pause) layout.goToAnswer(pauseKey(session.run, pause));
    },
  },
  {
    id: "run.end",
    title: "End without an answer",
    group: "Run",
    terms: ["end", "pause", "conversation", "finish"],
    enabled: ({ activeRun: { session, past } }) => !past && session?.fold.head.pauses.length === 1,
    run: (workspace) => {
      const pause = workspace.activeRun.session?.fold.head.pauses[0];
      return pause && workspace.runs.end(pause);
    },
  },
  {
    id: "run.resume",
    title: "Resume interrupted run",
    group: "Run",
    terms: ["continue", "crash"],
    enabled: ({ activeRun: { session } }) => session?.interrupted === true && !session.isObserved,
    run: (workspace) => {
      const session = workspace.activeRun.session;
      return session && workspace.runs.resume(session.run);
    },
  },
  {
    id: "run.rerun",
    title: "Rerun the edited flow",
    group: "Run",
    keys: [RERUN_KEYS],
    terms: ["again", "reuse", "bill", "fork", "edit"],
    whileTyping: true,
    enabled: ({ editor, activeRun: { session } }) => isRerunnable(editor.state, session),
    run: ({ runs }) => runs.rerun(),
  },
  {
    id: "run.retry",
    title: "Retry run",
    group: "Run",
    terms: ["again", "failed", "reuse", "continue", "rerun"],
    enabled: ({ activeRun: { session } }) =>
      session !== undefined && isRetryable(session.fold.head.status, session.fold.head.parentRunId),
    run: ({ activeRun: { session }, runs }) => session && runs.retry(session.run),
  },
  {
    id: "run.replay",
    title: "Replay run without network",
    group: "Run",
    terms: ["again", "recording", "offline", "stream"],
    enabled: ({ activeRun: { session } }) => isForkable(session),
    run: (workspace) => workspace.activeRun.session && replayRun(workspace, workspace.activeRun.session.run),
  },
  {
    id: "run.export",
    title: "Export recording…",
    group: "Run",
    terms: ["save", "file", "share", "cassette"],
    enabled: ({ activeRun: { session } }) => isForkable(session),
    run: (workspace) => {
      const { session } = workspace.activeRun;
      return session && exportRecording(workspace, session.run, session.flow.name || "run");
    },
  },
  {
    id: "run.makeTest",
    title: "Make a test of this run",
    group: "Run",
    terms: ["suite", "check", "recording", "cassette"],
    enabled: ({ activeRun: { session } }) =>
      session?.fold.head.status === "finished" && session.fold.head.parentRunId === undefined,
    run: (workspace) => workspace.activeRun.session && makeTest(workspace, workspace.activeRun.session.run),
  },
  {
    id: "run.forgetReplies",
    title: "Forget replies of this run",
    group: "Run",
    terms: ["reuse", "buy", "again", "other", "runs"],
    enabled: ({ activeRun: { session } }) => isForkable(session),
    run: ({ activeRun: { session }, runs }) => session && runs.forgetReplies(session.run),
  },
  {
    id: "run.openRecording",
    title: "Open recording…",
    group: "Run",
    terms: ["replay", "file", "import", "cassette"],
    run: (workspace) => openRecording(workspace),
  },
  {
    id: "run.keep",
    title: "Keep this fork as a conversation",
    group: "Run",
    terms: ["branch", "conversation", "history"],
    enabled: ({ activeRun: { session } }) => isKeepable(session),
    run: (workspace) => {
      const { session } = workspace.activeRun;
      return session && keepFork(workspace, session.run);
    },
  },
  {
    id: "run.clear",
    title: "Clear run from canvas",
    group: "Run",
    terms: ["reset", "states", "forget"],
    enabled: (workspace) => {
      const { document, viewed } = workspace.runs.store.getState();
      return viewed === undefined && document !== undefined && isOver(document.fold.head.status);
    },
    run: (workspace) => workspace.runs.clear(),
  },
  {
    id: "run.leave",
    title: "Back to editing",
    group: "Run",
    terms: ["close", "run", "view"],
    enabled: (workspace) => workspace.runs.store.getState().viewed !== undefined,
    run: ({ editor }) => editor.leaveView(),
  },
  {
    id: "run.list",
    title: "Show run history",
    group: "Run",
    terms: ["history", "runs"],
    run: (workspace) => workspace.layout.showPanel("runs"),
  },
];

/** The one node that is selected, if it is one. */
function onlySelected({ editor }: Workspace): string | undefined {
  const { nodes } = editor.state.selection;
  return nodes.size === 1 ? [...nodes][0] : undefined;
}

/** The selected node, where a fork of the run in view can begin. A node of an inner flow would be none of the run. */
function forkableNode(workspace: Workspace): string | undefined {
  const { editor, activeRun } = workspace;
  const node = onlySelected(workspace);
  const has = node !== undefined && displayedFlow(editor.state).nodes[node] !== undefined;
  return has && editor.state.outer === undefined && hasForkablePlaces(activeRun.session) ? node : undefined;
}

/** The same for what only a whole run can do: a sub-flow's run can't end early, and none of its nodes is live alone. */
function forkableNodeOfRoot(workspace: Workspace): string | undefined {
  return isForkable(workspace.activeRun.session) ? forkableNode(workspace) : undefined;
}

/** The iteration in which a node is looked at, if it has several. */
function shownIteration({ activeRun, epochChoice }: Workspace, node: string | undefined): number[] | undefined {
  if (node === undefined) return undefined;
  const view = activeRun.shown?.fold.nodes.get(node);
  const epoch = epochChoice.of(node) ?? view?.epoch;
  return epoch && epoch.length > 0 ? epoch : undefined;
}

/** Asks with the bill, and forks. */
function forkFrom(workspace: Workspace, of: typeof runFromHere): void {
  const node = forkableNode(workspace);
  if (node !== undefined) void workspace.runs.fork(...of(node, workspace.nodeNames.nameOf(node)));
}

function isRunning({ activeRun: { session } }: Workspace): boolean {
  return session !== undefined && !isOver(session.fold.head.status) && !session.isObserved;
}
