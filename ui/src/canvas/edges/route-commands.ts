/** Adding points to edges, and taking them away. */
import type { EdgeId } from "@/bindings";
import { drawnEnds } from "@/canvas/elements/folded-elements";
import { boxesOf } from "@/canvas/measure/boxes";
import { TEXTS } from "@/canvas/texts";
import { notify } from "@/design/dialogs/notify";
import type { Point } from "@/flow/align/align";
import { routeOf, setRoute, withPoint } from "@/flow/edits/routes";
import type { Command } from "@/workspace/commands/command";
import type { Workspace } from "@/workspace/workspace";

export const routeCommands: readonly Command[] = [
  {
    id: "edge.addPoint",
    title: "Add point to edge",
    group: "Edit",
    terms: ["reroute", "bend", "waypoint", "wire"],
    enabled: (workspace) => {
      const id = selectedEdge(workspace);
      return id !== undefined && routeRefusal(workspace, id) === undefined;
    },
    run: (workspace) => addRoutePoint(workspace, selectedEdge(workspace)),
  },
  {
    id: "edge.clearPoints",
    title: "Remove points of edge",
    group: "Edit",
    terms: ["reroute", "straighten", "waypoint", "wire"],
    enabled: (workspace) => {
      const id = selectedEdge(workspace);
      return id !== undefined && routeOf(workspace.editor.state.flow, id).length > 0;
    },
    run: (workspace) => {
      const id = selectedEdge(workspace);
      if (id !== undefined) workspace.editor.edit("Remove points", (flow) => setRoute(flow, id, []));
    },
  },
];

/** Why an edge can have no points now. */
export function routeRefusal({ editor }: Workspace, id: EdgeId): string | undefined {
  const { flow } = editor.state;
  const edge = flow.edges[id];
  if (!edge) return undefined;
  const ends = drawnEnds(flow, edge);
  return ends.source === edge.source && ends.target === edge.target ? undefined : TEXTS.unfoldToAddPoints;
}

/** Has an edge pass through one more point: there, or halfway where it is longest. Says why where it cannot. */
export function addRoutePoint(workspace: Workspace, id: EdgeId | undefined, at?: Point): void {
  const { editor, canvas } = workspace;
  const { flow } = editor.state;
  const edge = id === undefined ? undefined : flow.edges[id];
  if (id === undefined || !edge) return;
  const refusal = routeRefusal(workspace, id);
  if (refusal !== undefined) {
    notify.info(refusal);
    return;
  }
  const boxes = boxesOf(canvas.drawnNodes());
  const [source, target] = [boxes.get(edge.source), boxes.get(edge.target)];
  if (!source || !target) return;
  const from = { x: source.x + source.width, y: source.y + source.height / 2 };
  const to = { x: target.x, y: target.y + target.height / 2 };
  const points = routeOf(flow, id);
  const added = at ?? middleOfLongest([from, ...points, to]);
  editor.edit("Add point", (before) => setRoute(before, id, withPoint(points, from, to, added)));
}

function middleOfLongest(points: readonly Point[]): Point {
  let best = { length: -1, middle: { x: 0, y: 0 } };
  for (const [index, to] of points.slice(1).entries()) {
    const from = points[index] ?? to;
    const length = Math.hypot(to.x - from.x, to.y - from.y);
    if (length > best.length) best = { length, middle: { x: (from.x + to.x) / 2, y: (from.y + to.y) / 2 } };
  }
  return best.middle;
}

function selectedEdge({ editor }: Workspace): EdgeId | undefined {
  const { selection, viewing } = editor.state;
  const [id] = selection.edges;
  return selection.edges.size === 1 && selection.nodes.size === 0 && !viewing ? id : undefined;
}
