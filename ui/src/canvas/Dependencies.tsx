import { type InternalNode, useInternalNode, useStoreApi, ViewportPortal } from "@xyflow/react";
import type { Edge, EdgeId } from "@/bindings";
import type { Box } from "@/flow/align";
import { displayedFlow } from "@/flow/flow-state";
import { useFlow, useWorkspace } from "@/workspace/context";
import { dependencyPath } from "./dependency-path";
import { drawnFor } from "./loop-elements";
import { TEXTS } from "./texts";

/** What nodes read from others without an edge: a config names the node. Thin gray dots, and no handles. */
export function Dependencies() {
  const reads = useFlow((state) => state.checked.reads);
  return (
    <ViewportPortal>
      {Object.entries(reads).map(([id, edge]) => (
        <Dependency key={id} id={id} edge={edge} />
      ))}
    </ViewportPortal>
  );
}

function Dependency({ id, edge }: { id: EdgeId; edge: Edge }) {
  const { canvas, layout, nodeNames } = useWorkspace();
  const flowNodes = useStoreApi();
  const source = useFlow((state) => drawnFor(displayedFlow(state), edge.source));
  const target = useFlow((state) => drawnFor(displayedFlow(state), edge.target));
  const name = useFlow(() => nodeNames.nameOf(edge.source));
  const [from, to] = [boxOf(useInternalNode(source)), boxOf(useInternalNode(target))];
  if (!from || !to || source === target) return null;
  const cards = [...flowNodes.getState().nodeLookup.values()].filter((node) => node.type === "card");
  const others = cards.flatMap((node) => boxOf(node) ?? []);
  const { d, label } = dependencyPath(from, to, others);
  const text = TEXTS.reads(name, edge.sourceOutput);
  return (
    <>
      <svg className="dependency" data-testid={`reads-${id}`} role="img" aria-label={text}>
        <path d={d} fill="none" />
      </svg>
      <button
        type="button"
        className="dependency-chip nodrag nopan"
        title={TEXTS.readsWithoutEdge}
        style={{ transform: `translate(-50%, -50%) translate(${label.x}px, ${label.y}px)` }}
        onClick={() => {
          canvas.reveal({ node: edge.target });
          layout.showInspectorTab("config");
        }}
      >
        {text}
      </button>
    </>
  );
}

function boxOf(node: InternalNode | undefined): Box | undefined {
  if (!node) return undefined;
  const { width = 0, height = 0 } = node.measured;
  return { ...node.internals.positionAbsolute, width, height };
}
