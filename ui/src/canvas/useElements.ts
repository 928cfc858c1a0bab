import { applyEdgeChanges, applyNodeChanges, type EdgeChange, type NodeChange } from "@xyflow/react";
import { useCallback, useLayoutEffect, useState } from "react";
import type { FlowEditor } from "@/flow/editor";
import { displayedFlow } from "@/flow/flow-state";
import type { CanvasEdge, CanvasNode } from "@/workspace/canvas-store";
import { useFlow, useNodeTypes, useWorkspace } from "@/workspace/context";
import { type Dragged, dropNodes, type PointerLike, showDropTarget } from "./drop";
import { canvasEdges, canvasNodes } from "./elements";
import { fitLoops } from "./loop-elements";

/** The drawn nodes and edges, in sync with the document, and the handlers of React Flow's changes. */
export function useElements() {
  const workspace = useWorkspace();
  const { editor, canvas } = workspace;
  const flow = useFlow(displayedFlow);
  const checked = useFlow((state) => state.checked);
  const selection = useFlow((state) => state.selection);
  const types = useNodeTypes((all) => all);
  const [nodes, setNodes] = useState<CanvasNode[]>([]);
  const [edges, setEdges] = useState<CanvasEdge[]>([]);

  useLayoutEffect(() => {
    const { selection: selected } = editor.state;
    setNodes((before) => reuseUnchanged(before, canvasNodes(types, flow, checked, selected, byId(before))));
    setEdges((before) => reuseUnchanged(before, canvasEdges(types, flow, checked, selected, byId(before))));
  }, [editor, flow, checked, types]);

  // The selection changes nothing else that is drawn.
  useLayoutEffect(() => {
    setNodes((before) => reuseUnchanged(before, reselected(before, selection.nodes)));
    setEdges((before) => reuseUnchanged(before, reselected(before, selection.edges)));
  }, [selection]);

  const onNodesChange = useCallback(
    (changes: NodeChange<CanvasNode>[]) => {
      select(editor, "nodes", canvas.boxStart ? withoutLoops(changes, canvas.instance?.getNodes() ?? []) : changes);
      // A drag or a resize moves what is drawn; the document learns of it when it ends.
      const drawn = changes.filter((change) => change.type === "position" || change.type === "dimensions");
      if (drawn.length > 0) setNodes((before) => fitLoops(applyNodeChanges(drawn, before)));
    },
    [editor, canvas],
  );

  const onEdgesChange = useCallback(
    (changes: EdgeChange<CanvasEdge>[]) => {
      select(editor, "edges", changes);
      const drawn = changes.filter((change) => change.type === "replace");
      if (drawn.length > 0) setEdges((before) => applyEdgeChanges(drawn, before));
    },
    [editor],
  );

  const onDrag = useCallback(
    (event: PointerLike, dragged: Dragged) => showDropTarget(workspace, event, dragged),
    [workspace],
  );
  const onDragStop = useCallback(
    (event: PointerLike, dragged: Dragged) => dropNodes(workspace, event, dragged),
    [workspace],
  );

  return { nodes, edges, onNodesChange, onEdgesChange, onDrag, onDragStop };
}

/** Takes React Flow's selection changes over into the document's selection, which then selects what is drawn. */
function select(
  editor: FlowEditor,
  what: "nodes" | "edges",
  changes: readonly { type: string; id?: string; selected?: boolean }[],
): void {
  const { selection } = editor.state;
  const next = new Set(selection[what]);
  for (const change of changes) {
    if (change.type !== "select" || change.id === undefined) continue;
    if (change.selected) next.add(change.id);
    else next.delete(change.id);
  }
  const before = selection[what];
  if (next.size === before.size && [...next].every((id) => before.has(id))) return;
  editor.selectOnly({ ...selection, [what]: next });
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
