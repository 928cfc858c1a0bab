/** Lays out the flow from left to right, in a worker so that the window stays responsive. One undo step. */
import type { ELK, ElkNode, ElkPort } from "elkjs/lib/elk-api";
import type { EdgeId, ErrorCode, Flow, FrameId, NodeId, Position } from "@/bindings";
import { drawnFor } from "@/canvas/elements/folded-elements";
import { frameElement } from "@/canvas/elements/frame-ids";
import { handleId } from "@/canvas/elements/pulled-ends";
import { borderHeight, CARD_WIDTH } from "@/canvas/measure/geometry";
import { showAll } from "@/canvas/view/view";
import { notify } from "@/design/dialogs/notify";
import type { Point } from "@/flow/align/align";
import { turnEdges } from "@/flow/connect/turn-edges";
import { BODY_INSET, type Size, sizeAround } from "@/flow/containers/container-box";
import { containerOf, innerEnds } from "@/flow/containers/containers";
import { place } from "@/flow/edits/edits";
import { moveFrames } from "@/flow/edits/frames";
import { clearRoutes, setRoute } from "@/flow/edits/routes";
import type { CanvasNode } from "@/workspace/canvas-store";
import type { Workspace } from "@/workspace/workspace";
import { routesAround } from "./routes-around";

const OPTIONS = {
  "elk.algorithm": "layered",
  "elk.direction": "RIGHT",
  "elk.layered.spacing.nodeNodeBetweenLayers": "90",
  "elk.spacing.nodeNode": "48",
  "elk.spacing.edgeNode": "24",
  // Few points, where an edge passes other cards.
  "elk.edgeRouting": "POLYLINE",
  "elk.layered.nodePlacement.strategy": "NETWORK_SIMPLEX",
  "elk.layered.considerModelOrder.strategy": "NODES_AND_EDGES",
};

/**
 * Lays out the selected nodes, or the whole flow if fewer than two are selected: each body in itself, the innermost
 * ones first, so that a loop has its size before its surroundings are laid out. Comments stay in place.
 */
export async function tidy(workspace: Workspace): Promise<void> {
  const { editor, canvas, nodeTypes } = workspace;
  if (!editor.mayEdit()) return;
  const { flow, selection, checked } = editor.state;
  const some = selection.nodes.size + (selection.frames?.size ?? 0) > 1;
  const all = [...canvas.drawnNodes().filter((node) => node.type !== "comment"), ...foldedCards(canvas)];
  const chosen = new Set([...selection.nodes, ...[...(selection.frames ?? [])].map(frameElement)]);
  const nodes = all.filter((node) => !some || chosen.has(node.id));
  if (nodes.length < 2) return;
  try {
    const [{ default: Elk }, { default: ElkWorker }] = await Promise.all([
      import("elkjs/lib/elk-api"),
      import("elkjs/lib/elk-worker.min.js?worker"),
    ]);
    const elk = new Elk({ workerFactory: () => new ElkWorker() });
    // Neither back edges nor turns decide where a node is: branches stay beside each other.
    const ignored = new Set([...checked.backEdges, ...turnEdges(nodeTypes.all, flow, checked)]);
    const { places, bends } = await placesOf(elk, flow, nodes, ignored, some).finally(() => elk.terminateWorker());
    // The flow was edited in the meantime: drop the result.
    if (editor.state.flow !== flow) return;
    editor.edit("Tidy up", (before) => {
      const placed = clearRoutes(moveFrames(place(before, places), frameMoves(before, places)), places);
      return routesAround(placed, nodes, places, bends).reduce(
        (on, [edge, route]) => setRoute(on, edge, route),
        placed,
      );
    });
    if (!some) requestAnimationFrame(() => showAll(workspace));
  } catch (thrown) {
    notify.error({
      code: "layout.failed" satisfies ErrorCode,
      message: `Couldn’t tidy up the layout: ${thrown instanceof Error ? thrown.message : String(thrown)}`,
    });
  }
}

/** Folded frames, as cards: each is laid out as one. */
function foldedCards(canvas: Workspace["canvas"]): CanvasNode[] {
  return canvas.drawnFrames().flatMap(({ id, data, parentId, position, measured, handles }) => {
    const card = { id, type: "card" as const, parentId, position, measured, handles } as CanvasNode;
    return data.folded ? [card] : [];
  });
}

/** How far frames are from the places that their cards get. */
function frameMoves(flow: Flow, places: Layout["places"]): Map<FrameId, Point> {
  const moves = new Map<FrameId, Point>();
  for (const [id, { x: left, y: top }] of Object.entries(flow.frames ?? {})) {
    const { x, y } = places.get(frameElement(id)) ?? {};
    if (x !== undefined && y !== undefined) moves.set(id, { x: x - left, y: y - top });
  }
  return moves;
}

type Layout = {
  places: Map<NodeId, Partial<Position>>;
  /** The points of edges between nodes of one body, in its coordinates. */
  bends: Map<EdgeId, Point[]>;
};

/** The new places of nodes, and where edges bend. Loops get the size of their bodies where all of these are laid out. */
async function placesOf(
  elk: Pick<ELK, "layout">,
  flow: Flow,
  nodes: readonly CanvasNode[],
  ignored: ReadonlySet<string>,
  some: boolean,
): Promise<Layout> {
  const places: Layout["places"] = new Map();
  const bends: Layout["bends"] = new Map();
  const sizes = new Map(nodes.map((node) => [node.id, sizeOf(node)]));
  const bodies = new Map<NodeId | undefined, CanvasNode[]>();
  for (const node of nodes) {
    const body = bodies.get(node.parentId);
    if (body) body.push(node);
    else bodies.set(node.parentId, [node]);
  }
  const layOut = async (container: NodeId | undefined): Promise<void> => {
    const body = bodies.get(container) ?? [];
    if (some && body.length < 2) return;
    const laidOut = await elk.layout(graph(flow, body, sizes, ignored));
    const corner = container === undefined || some ? cornerOf(body) : { x: BODY_INSET.left, y: BODY_INSET.top };
    const moved = moveTo(laidOut, corner);
    for (const [id, place] of moved.corners) places.set(id, { ...places.get(id), ...place });
    for (const [id, points] of moved.bends) bends.set(id, points);
  };
  // Loops come before their bodies, so this is from the inside out.
  for (const loop of [...nodes].reverse()) {
    if (loop.type !== "loop" || some) continue;
    if (!bodies.has(loop.id)) continue;
    await layOut(loop.id);
    const around = sizeAround(
      (bodies.get(loop.id) ?? []).map((node) => ({
        x: 0,
        y: 0,
        ...places.get(node.id),
        ...(sizes.get(node.id) ?? NO_SIZE),
      })),
    );
    const size = { width: around.width, height: Math.max(around.height, borderHeight(loop.data.ports)) };
    sizes.set(loop.id, size);
    places.set(loop.id, size);
  }
  if (some) for (const container of bodies.keys()) await layOut(container);
  else await layOut(undefined);
  return { places, bends };
}

const NO_SIZE: Size = { width: 0, height: 0 };

function sizeOf(node: CanvasNode): Size {
  return {
    width: node.measured?.width ?? node.initialWidth ?? CARD_WIDTH,
    height: node.measured?.height ?? node.initialHeight ?? 60,
  };
}

/** The nodes of one body with the edges between them; an edge of a node in an inner body is one of its loop. */
function graph(
  flow: Flow,
  nodes: readonly CanvasNode[],
  sizes: ReadonlyMap<NodeId, Size>,
  ignored: ReadonlySet<string>,
): ElkNode {
  const ids = new Set(nodes.map((node) => node.id));
  const ports = new Set(nodes.flatMap((node) => portsOf(node, NO_SIZE).map(({ id }) => id)));
  const within = (id: NodeId) => {
    const drawn = drawnFor(flow, id);
    if (ids.has(drawn)) return drawn;
    let at: NodeId | undefined = id;
    while (at !== undefined && !ids.has(at)) at = containerOf(flow, at);
    return at;
  };
  return {
    id: "flow",
    layoutOptions: OPTIONS,
    children: nodes.map((node) => ({
      id: node.id,
      ...(sizes.get(node.id) ?? NO_SIZE),
      layoutOptions: { "elk.portConstraints": "FIXED_POS" },
      ports: portsOf(node, sizes.get(node.id) ?? NO_SIZE),
    })),
    edges: Object.entries(flow.edges).flatMap(([id, edge]) => {
      const [source, target] = [within(edge.source), within(edge.target)];
      if (ignored.has(id) || source === undefined || target === undefined || source === target) return [];
      const inner = innerEnds(flow, edge);
      const from =
        source === edge.source ? portId(source, "source", handleId(edge.sourceOutput, inner.source)) : source;
      const to = target === edge.target ? portId(target, "target", handleId(edge.targetInput, inner.target)) : target;
      return [{ id, sources: [ports.has(from) ? from : source], targets: [ports.has(to) ? to : target] }];
    }),
  };
}

function portId(node: NodeId, type: string, handle: string | null | undefined): string {
  return JSON.stringify([node, type, handle]);
}

/** Where edges begin and end at a node. */
function portsOf({ id, handles = [] }: CanvasNode, { width }: Size): ElkPort[] {
  return handles.map((handle) => {
    const y = handle.y + (handle.height ?? 0) / 2;
    return { id: portId(id, handle.type, handle.id), x: handle.type === "source" ? width : 0, y, width: 0, height: 0 };
  });
}

function cornerOf(nodes: readonly CanvasNode[]): { x: number; y: number } {
  return {
    x: Math.min(...nodes.map((node) => node.position.x)),
    y: Math.min(...nodes.map((node) => node.position.y)),
  };
}

/** The new corners and bends, moved so that the upper left corner of all is at a place. */
function moveTo(laidOut: ElkNode, to: Point): { corners: [NodeId, Point][]; bends: [EdgeId, Point[]][] } {
  const children = laidOut.children ?? [];
  const left = Math.min(...children.map((child) => child.x ?? 0));
  const top = Math.min(...children.map((child) => child.y ?? 0));
  const moved = ({ x = 0, y = 0 }: Partial<Point>) => ({ x: to.x + x - left, y: to.y + y - top });
  return {
    corners: children.map((child) => [child.id, moved(child)]),
    bends: (laidOut.edges ?? []).flatMap(({ id, sections }) => {
      const points = sections?.flatMap(({ bendPoints = [] }) => bendPoints.map(moved)) ?? [];
      return points.length > 0 ? [[id, points] as [EdgeId, Point[]]] : [];
    }),
  };
}
