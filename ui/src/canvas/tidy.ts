/** Lays out the flow from left to right, in a worker so that the window stays responsive. One undo step. */
import type { ElkNode } from "elkjs/lib/elk-api";
import type { ErrorCode, Flow, NodeId, Position } from "@/bindings";
import { notify } from "@/design/notify";
import type { CanvasNode } from "@/workspace/canvas-store";
import type { Workspace } from "@/workspace/workspace";
import { CARD_WIDTH } from "./geometry";
import { showAll } from "./view";

const OPTIONS = {
  "elk.algorithm": "layered",
  "elk.direction": "RIGHT",
  "elk.layered.spacing.nodeNodeBetweenLayers": "90",
  "elk.spacing.nodeNode": "48",
  "elk.layered.nodePlacement.strategy": "NETWORK_SIMPLEX",
  "elk.layered.considerModelOrder.strategy": "NODES_AND_EDGES",
};

/** Lays out the selected nodes, or the whole flow if fewer than two are selected. Comments stay in place. */
export async function tidy(workspace: Workspace): Promise<void> {
  const { editor, canvas } = workspace;
  if (!editor.mayEdit()) return;
  const { flow, selection, checked } = editor.state;
  const some = selection.nodes.size > 1;
  const nodes = (canvas.instance?.getNodes() ?? []).filter(
    (node) => node.type === "card" && (!some || selection.nodes.has(node.id)),
  );
  if (nodes.length < 2) return;
  try {
    const [{ default: ELK }, { default: ElkWorker }] = await Promise.all([
      import("elkjs/lib/elk-api"),
      import("elkjs/lib/elk-worker.min.js?worker"),
    ]);
    const elk = new ELK({ workerFactory: () => new ElkWorker() });
    const laidOut = await elk
      .layout(graph(flow, nodes, new Set(checked.backEdges)))
      .finally(() => elk.terminateWorker());
    // The flow was edited in the meantime: drop the result.
    if (editor.state.flow !== flow) return;
    editor.place("Tidy up", corners(laidOut, nodes));
    if (!some) requestAnimationFrame(() => showAll(workspace));
  } catch (thrown) {
    notify.error({
      code: "layout.failed" satisfies ErrorCode,
      message: `Couldn’t tidy up the layout: ${thrown instanceof Error ? thrown.message : String(thrown)}`,
    });
  }
}

function graph(flow: Flow, nodes: readonly CanvasNode[], back: ReadonlySet<string>): ElkNode {
  const ids = new Set(nodes.map((node) => node.id));
  return {
    id: "flow",
    layoutOptions: OPTIONS,
    children: nodes.map((node) => ({
      id: node.id,
      width: node.measured?.width ?? node.initialWidth ?? CARD_WIDTH,
      height: node.measured?.height ?? node.initialHeight ?? 60,
    })),
    edges: Object.entries(flow.edges)
      .filter(([id, edge]) => !back.has(id) && ids.has(edge.source) && ids.has(edge.target))
      .map(([id, edge]) => ({ id, sources: [edge.source], targets: [edge.target] })),
  };
}

/** The new corners, moved so that the upper left corner of all stays where it was. */
function corners(laidOut: ElkNode, nodes: readonly CanvasNode[]): Map<NodeId, Partial<Position>> {
  const left = Math.min(...nodes.map((node) => node.position.x));
  const top = Math.min(...nodes.map((node) => node.position.y));
  const children = laidOut.children ?? [];
  const newLeft = Math.min(...children.map((child) => child.x ?? 0));
  const newTop = Math.min(...children.map((child) => child.y ?? 0));
  return new Map(
    children.map((child) => [child.id, { x: left + (child.x ?? 0) - newLeft, y: top + (child.y ?? 0) - newTop }]),
  );
}
