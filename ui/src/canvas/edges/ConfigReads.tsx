import { ViewportPortal } from "@xyflow/react";
import { useMemo } from "react";
import type { Edge, EdgeId } from "@/bindings";
import { cardLayer } from "@/canvas/elements/elements";
import { drawnFor } from "@/canvas/elements/folded-elements";
import { boxesOf, frameBoxes } from "@/canvas/measure/boxes";
import { TEXTS } from "@/canvas/texts";
import type { Box } from "@/flow/align/align";
import { edgeDepth } from "@/flow/containers/containers";
import { displayedFlow } from "@/flow/document/flow-state";
import type { CanvasNode, FrameNode } from "@/workspace/canvas-store";
import { useCanvas, useFlow, useWorkspace } from "@/workspace/context";
import { type CardIndex, configReadPath, indexCards } from "./config-read-path";

type Drawn = { nodes: readonly CanvasNode[]; frames: readonly FrameNode[] };

/** What nodes read from others without an edge: a config names the node. Thin gray dots, and no handles. */
export function ConfigReads(drawn: Drawn) {
  const reads = useFlow((state) => state.checked.reads);
  const far = useCanvas((state) => state.far === true);
  if (far || Object.keys(reads).length === 0) return null;
  return <Reads {...drawn} reads={reads} />;
}

function Reads({ nodes, frames, reads }: Drawn & { reads: Readonly<Record<EdgeId, Edge>> }) {
  const { boxes, cards } = useMemo(() => {
    const nodeBoxes = boxesOf(nodes);
    const ofCards = nodes.flatMap((node) => (node.type === "card" ? (nodeBoxes.get(node.id) ?? []) : []));
    return { boxes: new Map([...nodeBoxes, ...frameBoxes(frames, nodeBoxes)]), cards: indexCards(ofCards) };
  }, [nodes, frames]);
  return (
    <ViewportPortal>
      {Object.entries(reads).map(([id, edge]) => (
        <ConfigRead key={id} id={id} edge={edge} boxes={boxes} cards={cards} />
      ))}
    </ViewportPortal>
  );
}

type ReadProps = { id: EdgeId; edge: Edge; boxes: ReadonlyMap<string, Box>; cards: CardIndex };

function ConfigRead({ id, edge, boxes, cards }: ReadProps) {
  const { canvas, layout, nodeNames } = useWorkspace();
  const source = useFlow((state) => drawnFor(displayedFlow(state), edge.source));
  const target = useFlow((state) => drawnFor(displayedFlow(state), edge.target));
  const depth = useFlow((state) => edgeDepth(displayedFlow(state), edge));
  const name = useFlow(() => nodeNames.nameOf(edge.source));
  const [from, to] = [boxes.get(source), boxes.get(target)];
  if (!from || !to || source === target) return null;
  const { d, label } = configReadPath(from, to, cards);
  // Above the loops around it, below the cards in them.
  const layer = depth === 0 ? undefined : cardLayer(depth) - 1;
  const text = TEXTS.reads(name, edge.sourceOutput);
  return (
    <>
      <svg className="config-read" style={{ zIndex: layer }} data-testid={`reads-${id}`} role="img" aria-label={text}>
        <path d={d} fill="none" />
      </svg>
      <button
        type="button"
        className="config-read-chip nodrag nopan"
        title={TEXTS.readsWithoutEdge}
        style={{
          transform: `translate(-50%, -50%) translate(${label.x}px, ${label.y}px)`,
          zIndex: layer,
        }}
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
