/** Ways through the past of the run that the window shows. */
import { forkAt, hasForkablePlaces } from "@/run/control/rerun";
import type { RunSession } from "@/run/live/session";
import { lastChange, stepBack, stepForward } from "@/run/time-travel/steps";
import type { Command } from "@/workspace/commands/command";
import type { Workspace } from "@/workspace/workspace";

/** Where a verb leads from a position; nothing where it leads nowhere. */
type Way = (session: RunSession, from: number, workspace: Workspace) => number | undefined;

type Verb = Pick<Command, "id" | "title" | "keys" | "terms">;

/** What else they are looked for by. */
const TERMS: readonly string[] = ["time travel", "past", "reverse", "debug"];

/** A verb that goes to an earlier event. */
function back(verb: Verb, way: Way): Command {
  const target = (workspace: Workspace) => {
    const { session, past } = workspace.activeRun;
    return session && way(session, past?.count ?? session.log.entries.length, workspace);
  };
  return {
    ...verb,
    group: "Run",
    whileTyping: true,
    whileHeld: true,
    enabled: (workspace) => target(workspace) !== undefined,
    run: (workspace) => workspace.activeRun.lookAt(target(workspace)),
  };
}

export const timeTravelCommands: readonly Command[] = [
  back({ id: "time.back", title: "Step back", keys: ["F7"], terms: ["previous", ...TERMS] }, ({ log }, from) =>
    stepBack(log.entries, from),
  ),
  {
    id: "time.forward",
    title: "Step forward",
    group: "Run",
    keys: ["Shift+F7"],
    terms: ["next", ...TERMS],
    whileTyping: true,
    whileHeld: true,
    enabled: isInPast,
    // After the last step, the run is shown as it is.
    run: ({ activeRun }) => {
      const { past } = activeRun;
      if (past) activeRun.lookAt(stepForward(past.session.log.entries, past.count));
    },
  },
  {
    id: "time.fork",
    title: "Fork from here",
    group: "Run",
    keys: ["Alt+F7"],
    terms: ["branch", "again", "bill", ...TERMS],
    whileTyping: true,
    enabled: (workspace) => isInPast(workspace) && hasForkablePlaces(workspace.activeRun.session),
    run: ({ activeRun, runs }) => {
      const { past } = activeRun;
      if (past) void runs.fork(...forkAt(past.session, past.count));
    },
  },
  back(
    { id: "time.lastStop", title: "Back to last stop", keys: ["Shift+F8"], terms: ["pause", ...TERMS] },
    ({ log }, from) => log.stops.findLast((stop) => stop < from),
  ),
  back(
    {
      id: "time.lastChange",
      title: "Back to last change of selected node",
      keys: ["Shift+F9"],
      terms: ["node", "value", ...TERMS],
    },
    ({ log }, from, { editor, activeRun }) => {
      const [node, ...others] = editor.state.selection.nodes;
      if (node === undefined || others.length > 0 || !activeRun.shown?.fold.nodes.has(node)) return undefined;
      return lastChange(log.entries, from, node);
    },
  ),
  {
    id: "time.now",
    title: "Back to now",
    group: "Run",
    terms: ["live", "present", ...TERMS],
    enabled: isInPast,
    run: ({ activeRun }) => activeRun.lookAt(undefined),
  },
];

function isInPast({ activeRun }: Workspace): boolean {
  return activeRun.past !== undefined;
}
