import { ViewportPortal } from "@xyflow/react";
import { useEffect, useMemo } from "react";
import type { NodeId } from "@/bindings";
import { drawnFor } from "@/canvas/elements/folded-elements";
import { boxesOf, frameBoxes } from "@/canvas/measure/boxes";
import { TEXTS } from "@/canvas/texts";
import { MANY_NODES } from "@/canvas/view/view";
import { Icon } from "@/design/icons/Icon";
import type { Box } from "@/flow/align/align";
import { displayedFlow } from "@/flow/document/flow-state";
import { type Ghosts, type MarkedNode, type Marks, SIGNS } from "@/run/comparison/canvas-comparison";
import type { CanvasNode, FrameNode } from "@/workspace/canvas-store";
import { useComparisonOnCanvas } from "@/workspace/comparison-hooks";
import { useFlow, useNodeTypes } from "@/workspace/context";
import { curveOf, type DrawnEnd, ghostBoxes } from "./ghosts";
import { SignIcon } from "./SignIcon";
import "./comparison.css";

type Drawn = { nodes: readonly CanvasNode[]; frames: readonly FrameNode[] };

/** What a comparison says of the nodes and edges of the canvas, over them, and what only the other flow has, faint. */
export function ComparisonLayer(drawn: Drawn) {
  const marks = useComparisonOnCanvas()?.marks;
  return marks ? <Layer {...drawn} marks={marks} /> : null;
}

function Layer({ nodes, frames, marks }: Drawn & { marks: Marks }) {
  const flow = useFlow(displayedFlow);
  const boxes = useMemo(() => {
    const ofNodes = boxesOf(nodes);
    return new Map([...ofNodes, ...frameBoxes(frames, ofNodes)]);
  }, [nodes, frames]);
  const ghosts = useMemo(() => ghostBoxes(marks.ghosts, boxes), [marks, boxes]);
  // The mark of a folded loop or frame is the first one in it.
  const shown = useMemo(() => {
    const byElement = new Map<string, MarkedNode>();
    for (const [node, mark] of marks.nodes) {
      if (!Object.hasOwn(flow.nodes, node) || (mark.sign === "same" && nodes.length > MANY_NODES)) continue;
      const element = drawnFor(flow, node);
      const known = byElement.get(element);
      if (!known || SIGNS.indexOf(mark.sign) < SIGNS.indexOf(known.sign)) byElement.set(element, mark);
    }
    return byElement;
  }, [marks, flow, nodes]);
  useColoredEdges(marks.edges);
  const byId = useMemo(() => new Map(nodes.map((node) => [node.id, node])), [nodes]);
  const endOf = (node: NodeId): DrawnEnd | undefined => {
    const element = drawnFor(flow, node);
    const box = ghosts.get(node) ?? boxes.get(element);
    return box && { box, node: element === node ? byId.get(node) : undefined };
  };
  return (
    <ViewportPortal>
      {[...shown].map(([element, mark]) => {
        const box = boxes.get(element);
        return box ? <NodeMarkBox key={element} id={element} mark={mark} box={box} /> : null;
      })}
      {[...marks.edges].map(([id, sign]) => {
        const edge = flow.edges[id];
        const [from, to] = [edge && endOf(edge.source), edge && endOf(edge.target)];
        if (!edge || !from || !to || from.box === to.box) return null;
        const { label } = curveOf(edge, from, to);
        return (
          <span
            key={id}
            className="compare-edge"
            role="img"
            aria-label={TEXTS.signs[sign]}
            style={{ transform: `translate(-50%, -50%) translate(${label.x}px, ${label.y}px)` }}
          >
            <SignIcon sign={sign} />
          </span>
        );
      })}
      <GhostEdges ghosts={marks.ghosts} endOf={endOf} />
      {[...ghosts].map(([node, box]) => (
        <Ghost key={node} node={node} ghosts={marks.ghosts} box={box} />
      ))}
    </ViewportPortal>
  );
}

function NodeMarkBox({ id, mark: { sign, onlyIn }, box }: { id: string; mark: MarkedNode; box: Box }) {
  const words = [TEXTS.signs[sign], onlyIn && TEXTS.onlyInRun[onlyIn]].filter(Boolean).join(", ");
  return (
    <div
      className="compare-box"
      data-sign={sign}
      data-only={onlyIn}
      data-testid={`compared-${id}`}
      style={{ transform: `translate(${box.x}px, ${box.y}px)`, width: box.width, height: box.height }}
    >
      <span className="compare-chip" role="img" aria-label={words} title={words}>
        <SignIcon sign={sign} />
        {onlyIn ? <span className="compare-only">{TEXTS.onlyInRunShort[onlyIn]}</span> : null}
      </span>
    </div>
  );
}

function Ghost({ node, ghosts, box }: { node: NodeId; ghosts: Ghosts; box: Box }) {
  const data = ghosts.flow.nodes[node];
  const type = useNodeTypes((types) => types.byType.get(data?.type ?? ""));
  const title = data?.title ?? type?.title ?? data?.type ?? node;
  return (
    <div
      className="compare-ghost"
      role="img"
      aria-label={`${title}, ${TEXTS.signs[ghosts.sign]}`}
      data-sign={ghosts.sign}
      data-testid={`ghost-${node}`}
      style={{ transform: `translate(${box.x}px, ${box.y}px)`, width: box.width, height: box.height }}
    >
      <span className="compare-chip">
        <SignIcon sign={ghosts.sign} />
      </span>
      <span className="compare-ghost-title">
        <Icon name={type?.icon} />
        <span className="truncate">{title}</span>
      </span>
    </div>
  );
}

function GhostEdges({ ghosts, endOf }: { ghosts: Ghosts; endOf: (node: NodeId) => DrawnEnd | undefined }) {
  return ghosts.edges.map((edge) => {
    const { source, sourceOutput, target, targetInput } = edge;
    const [from, to] = [endOf(source), endOf(target)];
    if (!from || !to || from.box === to.box) return null;
    const name = `${source}.${sourceOutput} → ${target}.${targetInput}`;
    return (
      <svg
        key={name}
        className="compare-ghost-edge"
        role="img"
        aria-label={`${name}, ${TEXTS.signs[ghosts.sign]}`}
        data-sign={ghosts.sign}
        data-testid={`ghost-edge-${source}-${target}`}
      >
        <path d={curveOf(edge, from, to).d} fill="none" />
      </svg>
    );
  });
}

/** Colors marked edges. A style sheet does it: no edge is rendered again. */
function useColoredEdges(edges: Marks["edges"]): void {
  useEffect(() => {
    if (edges.size === 0) return;
    const rules = [...edges].map(
      ([id, sign]) =>
        `.react-flow__edge[data-id="${CSS.escape(id)}"] .strand-line { stroke: var(--${sign === "added" ? "ok" : "bad"}); ${sign === "removed" ? "stroke-dasharray: 6 5;" : ""} }`,
    );
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(rules.join("\n"));
    document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
    return () => {
      document.adoptedStyleSheets = document.adoptedStyleSheets.filter((one) => one !== sheet);
    };
  }, [edges]);
}
