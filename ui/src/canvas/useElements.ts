import { applyEdgeChanges, applyNodeChanges, type EdgeChange, type NodeChange } from "@xyflow/react";
import { useCallback, useEffect, useLayoutEffect, useMemo, useState } from "react";
import type { FlowEditor } from "@/flow/document/editor";
import { displayedFlow } from "@/flow/document/flow-state";
import type { CanvasEdge, CanvasElement, CanvasNode, FrameNode } from "@/workspace/canvas-store";
import { useFlow, useNodeTypes, useWorkspace } from "@/workspace/context";
import { canvasEdges, canvasNodes } from "./elements/elements";
import { canvasFrames, fitFrames } from "./elements/frame-elements";
import { frameElement, frameIdOf } from "./elements/frame-ids";
import { fitLoops } from "./elements/loop-elements";
import { MeasuredSizes } from "./measure/measured-sizes";
import { dropNodes, type PointerLike, showDropTarget } from "./move/drop";
import { FrameDrag } from "./move/frame-drag";
import { useSnapping } from "./move/useSnapping";

/** The drawn nodes and edges, in sync with the document, and the handlers of React Flow's changes. */
export function useElements() {
  const workspace = useWorkspace();
  const { editor, canvas, activeRun } = workspace;
  const flow = useFlow(displayedFlow);
  const checked = useFlow((state) => state.checked);
  const selection = useFlow((state) => state.selection);
  const types = useNodeTypes((all) => all);
  const snapping = useSnapping();
  const [nodes, setNodes] = useState<CanvasNode[]>([]);
  const [frames, setFrames] = useState<FrameNode[]>([]);
  const [edges, setEdges] = useState<CanvasEdge[]>([]);
  const frameDrag = useMemo(() => new FrameDrag(workspace), [workspace]);
  const fittedFrames = useMemo(() => fitFrames(frames, nodes), [frames, nodes]);

  const draw = useCallback(
    (changes: NodeChange<CanvasElement>[]) => {
      const { changes: nodeChanges, frameChanges } = split(changes);
      if (frameChanges.length > 0) setFrames((before) => applyNodeChanges(frameChanges, before));
      const drawn = [...nodeChanges, ...frameDrag.follow(frameChanges)];
      if (drawn.length > 0) setNodes((before) => fitLoops(applyNodeChanges(drawn, before)));
    },
    [frameDrag],
  );
  const sizes = useMemo(
    () => new MeasuredSizes(draw, (flush) => activeRun.renderLarge(draw, flush)),
    [draw, activeRun],
  );
  useEffect(() => () => sizes.clear(), [sizes]);

  useLayoutEffect(() => {
    sizes.flush();
    const { selection: selected } = editor.state;
    setNodes((before) => reuseUnchanged(before, canvasNodes(types, flow, checked, selected, byId(before))));
    setFrames((before) => reuseUnchanged(before, canvasFrames(flow, selected, byId(before))));
    setEdges((before) => reuseUnchanged(before, canvasEdges(types, flow, checked, selected, byId(before))));
  }, [editor, flow, checked, types, sizes]);

  // The selection changes nothing else that is drawn.
  useLayoutEffect(() => {
    sizes.flush();
    setNodes((before) => reuseUnchanged(before, reselected(before, selection.nodes)));
    setFrames((before) => reuseUnchanged(before, reselected(before, frameElements(selection.frames))));
    setEdges((before) => reuseUnchanged(before, reselected(before, selection.edges)));
  }, [selection, sizes]);

  const onNodesChange = useCallback(
    (reported: NodeChange<CanvasElement>[]) => {
      const all = sizes.take(reported);
      if (all.length === 0) return;
      const { changes, frameChanges } = split(all);
      select(editor, "nodes", canvas.boxStart ? withoutLoops(changes, canvas.drawnNodes()) : changes);
      // A selection box selects the nodes of a frame, not the frame.
      select(editor, "frames", frameChanges.filter((change) => !canvas.boxStart || !isSelecting(change)).map(ofFrame));
      // A drag or a resize moves the drawn elements; the document changes when it ends.
      draw(snapping.adjust(all.filter((change) => change.type === "position" || change.type === "dimensions")));
    },
    [editor, canvas, snapping, sizes, draw],
  );

  const onEdgesChange = useCallback(
    (changes: EdgeChange<CanvasEdge>[]) => {
      select(
        editor,
        "edges",
        changes.flatMap((change) => ofBundle(change, canvas.drawnEdges())),
      );
      const drawn = changes.filter((change) => change.type === "replace");
      if (drawn.length > 0) setEdges((before) => applyEdgeChanges(drawn, before));
    },
    [editor, canvas],
  );

  const onDragStart = useCallback(
    (dragged: readonly CanvasElement[]) => {
      const [nodesOf, framesOf] = [dragged.filter(isNode), dragged.filter(isFrame)];
      if (framesOf.length > 0) frameDrag.begin(framesOf, nodesOf);
      snapping.begin(dragged);
    },
    [snapping, frameDrag],
  );
  const onDrag = useCallback(
    (event: PointerLike, grabbed: CanvasElement, all: readonly CanvasElement[]) => {
      if (isNode(grabbed) && !all.some(isFrame)) showDropTarget(workspace, event, { grabbed, all: all.filter(isNode) });
    },
    [workspace],
  );
  const onDragStop = useCallback(
    (event: PointerLike, grabbed: CanvasElement, all: readonly CanvasElement[]) => {
      const pulled = all.map((one) => snapping.pulled(one));
      const dragged = pulled.filter(isNode);
      snapping.end();
      if (isFrame(grabbed) || all.some(isFrame)) frameDrag.drop(pulled.filter(isFrame), dragged);
      else dropNodes(workspace, event, { grabbed, all: dragged });
    },
    [workspace, snapping, frameDrag],
  );

  return { nodes, frames: fittedFrames, edges, onNodesChange, onEdgesChange, onDragStart, onDrag, onDragStop };
}

/** Takes React Flow's selection changes over into the document's selection, which then selects the drawn elements. */
function select(
  editor: FlowEditor,
  what: "nodes" | "edges" | "frames",
  changes: readonly { type: string; id?: string; selected?: boolean }[],
): void {
  const { selection } = editor.state;
  const before: ReadonlySet<string> = selection[what] ?? new Set();
  const next = new Set(before);
  for (const change of changes) {
    if (change.type !== "select" || change.id === undefined) continue;
    if (change.selected) next.add(change.id);
    else next.delete(change.id);
  }
  if (next.size === before.size && [...next].every((id) => before.has(id))) return;
  editor.selectOnly({ ...selection, [what]: next });
}

const isFrame = (one: CanvasElement): one is FrameNode => one.type === "frame";
const isNode = (one: CanvasElement): one is CanvasNode => one.type !== "frame";

/** The change of all edges that are drawn as one. */
function ofBundle(change: EdgeChange<CanvasEdge>, drawn: readonly CanvasEdge[]): EdgeChange<CanvasEdge>[] {
  if (change.type !== "select") return [change];
  const bundle = drawn.find(({ id }) => id === change.id)?.data?.bundle ?? [];
  return [change, ...bundle.map((id) => ({ ...change, id }))];
}

/** Changes of nodes, and those of frames. */
function split(all: readonly NodeChange<CanvasElement>[]) {
  const changes: NodeChange<CanvasNode>[] = [];
  const frameChanges: NodeChange<FrameNode>[] = [];
  for (const change of all) {
    // Nothing is added or replaced on the canvas itself.
    if (change.type === "add" || change.type === "replace") continue;
    if (frameIdOf(change.id) === undefined) changes.push(change);
    else frameChanges.push(change);
  }
  return { changes, frameChanges };
}

const isSelecting = (change: NodeChange<FrameNode>) => change.type === "select" && change.selected;

/** A change with the id of the frame in place of that of its element. */
const ofFrame = (change: NodeChange<FrameNode>) => ("id" in change ? { ...change, id: frameIdOf(change.id) } : change);

function frameElements(ids: Iterable<string> = []): Set<string> {
  return new Set([...ids].map(frameElement));
}

/** A selection box that is begun in a loop is about its body; see `useBoxSelection`. */
function withoutLoops(
  changes: readonly NodeChange<CanvasNode>[],
  nodes: readonly CanvasNode[],
): NodeChange<CanvasNode>[] {
  const loops = new Set(nodes.filter((node) => node.type === "loop").map((node) => node.id));
  return changes.filter((change) => change.type !== "select" || !change.selected || !loops.has(change.id));
}

function reselected<T extends { id: string; selected?: boolean }>(drawn: T[], ids: ReadonlySet<string>): T[] {
  return drawn.map((item) => (item.selected === ids.has(item.id) ? item : { ...item, selected: ids.has(item.id) }));
}

function byId<T extends { id: string }>(list: readonly T[]): Map<string, T> {
  return new Map(list.map((item) => [item.id, item]));
}

/** The same list where nothing in it changed, so that React Flow has nothing to do. */
function reuseUnchanged<T>(before: T[], after: T[]): T[] {
  return before.length === after.length && before.every((item, index) => item === after[index]) ? before : after;
}
