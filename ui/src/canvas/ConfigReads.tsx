import { useInternalNode, useStoreApi, ViewportPortal } from "@xyflow/react";
import type { Edge, EdgeId } from "@/bindings";
import { displayedFlow } from "@/flow/flow-state";
import { useCanvas, useFlow, useWorkspace } from "@/workspace/context";
import { measuredBox } from "./boxes";
import { configReadPath } from "./config-read-path";
import { drawnFor } from "./folded-elements";
import { TEXTS } from "./texts";

/** What nodes read from others without an edge: a config names the node. Thin gray dots, and no handles. */
export function ConfigReads() {
  const reads = useFlow((state) => state.checked.reads);
  const overview = useCanvas((state) => state.overview === true);
  if (overview) return null;
  return (
    <ViewportPortal>
      {Object.entries(reads).map(([id, edge]) => (
        <ConfigRead key={id} id={id} edge={edge} />
      ))}
    </ViewportPortal>
  );
}

function ConfigRead({ id, edge }: { id: EdgeId; edge: Edge }) {
  const { canvas, layout, nodeNames } = useWorkspace();
  const flowNodes = useStoreApi();
  const source = useFlow((state) => drawnFor(displayedFlow(state), edge.source));
  const target = useFlow((state) => drawnFor(displayedFlow(state), edge.target));
  const name = useFlow(() => nodeNames.nameOf(edge.source));
  const [from, to] = [measuredBox(useInternalNode(source)), measuredBox(useInternalNode(target))];
  if (!from || !to || source === target) return null;
  const cards = [...flowNodes.getState().nodeLookup.values()].filter((node) => node.type === "card");
  const others = cards.flatMap((node) => measuredBox(node) ?? []);
  const { d, label } = configReadPath(from, to, others);
  const text = TEXTS.reads(name, edge.sourceOutput);
  return (
    <>
      <svg className="config-read" data-testid={`reads-${id}`} role="img" aria-label={text}>
        <path d={d} fill="none" />
      </svg>
      <button
        type="button"
        className="config-read-chip nodrag nopan"
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
