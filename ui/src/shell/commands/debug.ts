/** What can be done with the debugger from the keyboard and from the command palette. */
import type { DebugVerb, Epoch, NodeId, Side, StopView } from "@/bindings";
import { breakpointOfSelectedEdge } from "@/canvas/commands/port-breakpoints";
import { isContainer } from "@/flow/containers/containers";
import { displayedFlow } from "@/flow/document/flow-state";
import { isAt } from "@/run/debug/breakpoints";
import { chosenStop } from "@/run/debug/stops";
import { epochOf, sameEpoch } from "@/run/fold/epoch";
import { rests } from "@/run/fold/status";
import { wholeStop } from "@/run/fold/stops";
import { showStop } from "@/shell/run/show-stop";
import type { Command } from "@/workspace/commands/command";
import type { Workspace } from "@/workspace/workspace";

function goOn(verb: DebugVerb, title: string, keys: string[], terms: string[], side?: Side): Command {
  return {
    id: `debug.${verb}`,
    title,
    group: "Run",
    keys,
    terms: ["debug", ...terms],
    whileTyping: true,
    enabled: (workspace) => isPaused(workspace, side),
    run: ({ runs }) => runs.debugger.go(verb),
  };
}

export const debugCommands: readonly Command[] = [
  {
    id: "debug.toggle",
    title: "Pause at selected node or edge, or not",
    group: "Run",
    keys: ["F9"],
    terms: ["breakpoint", "debug", "stop", "before"],
    enabled: (workspace) => breakableNode(workspace) !== undefined || breakpointOfSelectedEdge(workspace) !== undefined,
    run: (workspace) => {
      const node = breakableNode(workspace);
      if (node === undefined) return breakpointOfSelectedEdge(workspace)?.run(workspace);
      const { breakpoints } = workspace;
      if (breakpoints.current.some((one) => isAt(one, node, "before"))) breakpoints.remove(node, "before");
      else breakpoints.set(node, "before");
    },
  },
  {
    id: "debug.add",
    title: "Add breakpoint…",
    group: "Run",
    terms: ["pause", "debug", "stop", "event", "edge", "context", "memory", "untrusted", "grant", "spending"],
    enabled: ({ editor }) => !editor.state.viewing && editor.state.outer === undefined,
    run: ({ layout, overlays }) => {
      layout.showDockTab("breakpoints");
      overlays.showBreakpointForm(true);
    },
  },
  {
    id: "debug.pause",
    title: "Pause run",
    group: "Run",
    keys: ["F6"],
    terms: ["break", "debug", "hold"],
    whileTyping: true,
    enabled: ({ activeRun: { session } }) => session !== undefined && !session.isObserved && !rests(session.fold.head),
    run: ({ runs }) => runs.debugger.pause(),
  },
  {
    id: "debug.pauseBranch",
    title: "Pause branch of selected node",
    group: "Run",
    terms: ["break", "debug", "hold", "item", "node"],
    enabled: (workspace) => runningNode(workspace) !== undefined,
    run: (workspace) => {
      const node = runningNode(workspace);
      if (node) return workspace.runs.debugger.pause(node);
    },
  },
  goOn("continue", "Continue run", ["F8"], ["resume", "go"]),
  {
    id: "debug.continueAll",
    title: "Continue all paused branches",
    group: "Run",
    terms: ["debug", "resume", "go", "everything"],
    enabled: (workspace) => pausedPlaces(workspace).length > 1,
    run: ({ runs }) => runs.debugger.goAll(),
  },
  {
    id: "debug.nextStop",
    title: "Show next paused branch",
    group: "Run",
    keys: ["Alt+F8"],
    terms: ["debug", "stop", "other"],
    whileTyping: true,
    enabled: (workspace) => pausedPlaces(workspace).length > 1,
    run: (workspace) => {
      const stops = pausedPlaces(workspace);
      const { session } = workspace.activeRun;
      const { debugger: runDebugger } = workspace.runs;
      const { number } = chosenStop(session?.run, stops, runDebugger.choice.getState().chosen) ?? {};
      const next = stops[(stops.findIndex((stop) => stop.number === number) + 1) % stops.length];
      if (next) showStop(workspace, next);
    },
  },
  goOn("over", "Step over", ["F10"], ["next"]),
  goOn("into", "Step into", ["F11"], ["inside", "loop", "sub-flow", "call"]),
  goOn("out", "Step out", ["Shift+F11"], ["end", "loop", "sub-flow"]),
  goOn("skip", "Skip paused node", [], ["pass over", "leave out"], "before"),
  goOn("retry", "Run paused node again", [], ["retry", "attempt", "repeat"], "after"),
  {
    id: "debug.try",
    title: "Try another config of selected node",
    group: "Run",
    terms: ["trial", "config", "debug", "edit", "prompt", "node"],
    enabled: (workspace) => triableNode(workspace) !== undefined,
    run: (workspace) => {
      const { layout, overlays } = workspace;
      layout.setOpen("right", true);
      layout.showInspectorTab("config");
      overlays.tryConfig(triableNode(workspace));
    },
  },
  {
    id: "debug.dropTrials",
    title: "Drop all temporary changes",
    group: "Run",
    terms: ["trial", "config", "debug", "revert"],
    enabled: (workspace) => isPaused(workspace) && workspace.activeRun.head.trials !== undefined,
    run: ({ runs }) => runs.debugger.dropTrials(),
  },
  goOn("all", "Step all branches", ["Shift+F10"], ["wave", "parallel"]),
];

/** The one node that is selected, if a breakpoint can be set at it: in the document itself, while it is edited. */
function breakableNode({ editor }: Workspace): string | undefined {
  const { selection, viewing, outer } = editor.state;
  if (viewing || outer !== undefined || selection.nodes.size !== 1) return undefined;
  return [...selection.nodes][0];
}

/** The one node that is selected, if another config can be tried for it: the run stands still. */
function triableNode(workspace: Workspace): NodeId | undefined {
  const { editor, nodeTypes } = workspace;
  const { selection, outer } = editor.state;
  const [id] = selection.nodes;
  const node = displayedFlow(editor.state).nodes[id ?? ""];
  if (!node || selection.nodes.size !== 1 || outer !== undefined || !isPaused(workspace)) return undefined;
  return isContainer(nodeTypes.all, node) || node.pin || node.disabled ? undefined : id;
}

/** The one node that is selected, in the iteration that is shown, if it runs now. */
function runningNode({ editor, activeRun, epochChoice }: Workspace): { node: NodeId; epoch: Epoch } | undefined {
  const { selection } = editor.state;
  const [id] = selection.nodes;
  const { session, past } = activeRun;
  if (id === undefined || selection.nodes.size !== 1 || !session || session.isObserved || past) return undefined;
  const stops = session.fold.head.stops ?? [];
  if (wholeStop(stops)) return undefined;
  const view = session.fold.nodes.get(id);
  const shown = epochOf(view, epochChoice.of(id, epochChoice.store.getState())) ?? epochOf(view, view?.epoch);
  const isPausedAlready = stops.some(({ at }) => at?.node === id && sameEpoch(at.epoch, shown?.epoch ?? []));
  return shown?.state === "running" && !isPausedAlready ? { node: id, epoch: shown.epoch } : undefined;
}

/** Whether there is a stop to go on from, on that side of a node if one is given. A stop of the past can only be read. */
function isPaused({ activeRun: { session, past }, runs }: Workspace, side?: Side): boolean {
  const { chosen } = runs.debugger.choice.getState();
  const stop = chosenStop(session?.run, session?.fold.head.stops, chosen);
  return !past && stop !== undefined && (side === undefined || stop.at?.side === side);
}

function pausedPlaces({ activeRun }: Workspace): readonly StopView[] {
  return activeRun.head.stops ?? [];
}
