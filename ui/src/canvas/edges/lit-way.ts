/** What lights up while a port or an edge is pointed at: its edges and the cards at their ends. The rest of the flow is dimmed. */
import { type RefObject, useEffect, useRef } from "react";
import type { CanvasEdge, CanvasStore, Way } from "@/workspace/canvas-store";
import { useWorkspace } from "@/workspace/context";

type Ends = Pick<CanvasEdge, "id" | "source" | "target" | "sourceHandle" | "targetHandle">;

/** An edge, or a port by its node and its handle. */
export type Pointed = { edge: string } | { node: string; handle: string; side: "source" | "target" };

export function wayOf(pointed: Pointed, all: readonly Ends[]): Way {
  const edges = all.filter((edge) => {
    if ("edge" in pointed) return edge.id === pointed.edge;
    const [node, handle] =
      pointed.side === "source" ? [edge.source, edge.sourceHandle] : [edge.target, edge.targetHandle];
    return node === pointed.node && handle === pointed.handle;
  });
  return {
    edges: new Set(edges.map(({ id }) => id)),
    nodes: new Set(edges.flatMap(({ source, target }) => [source, target])),
  };
}

/** Lights ways on the element that gets this reference. */
export function useLitWays(): RefObject<HTMLElement | null> {
  const { canvas } = useWorkspace();
  const section = useRef<HTMLElement>(null);
  useEffect(() => (section.current ? lightWays(section.current, canvas) : undefined), [canvas]);
  return section;
}

/**
 * Lights the way of what the pointer is on. Attributes are set outside of React: no card is rendered again. Returns a
 * function that stops it.
 */
function lightWays(canvas: HTMLElement, store: CanvasStore): () => void {
  let current: string | undefined;
  const clear = () => {
    current = undefined;
    canvas.removeAttribute("data-lit-way");
    if (store.state.litWay) store.set({ litWay: undefined });
    for (const element of canvas.querySelectorAll("[data-lit]")) element.removeAttribute("data-lit");
  };
  const onPointerOver = ({ target, buttons }: PointerEvent) => {
    const pointed = buttons === 0 && target instanceof Element ? pointedAt(target) : undefined;
    const key = JSON.stringify(pointed);
    if (key === current) return;
    clear();
    current = key;
    const way = pointed && wayOf(pointed, store.instance?.getEdges() ?? []);
    if (!way || way.edges.size === 0) return;
    canvas.setAttribute("data-lit-way", "");
    if (store.state.far) store.set({ litWay: way });
    const light = (selector: string, id: string) => {
      for (const element of canvas.querySelectorAll(`${selector}[data-id="${CSS.escape(id)}"]`))
        element.setAttribute("data-lit", "");
    };
    for (const id of way.edges) light(":is(.react-flow__edge, .peek)", id);
    for (const id of way.nodes) light(".react-flow__node", id);
  };
  canvas.addEventListener("pointerover", onPointerOver);
  canvas.addEventListener("pointerdown", clear);
  canvas.addEventListener("pointerleave", clear);
  return () => {
    canvas.removeEventListener("pointerover", onPointerOver);
    canvas.removeEventListener("pointerdown", clear);
    canvas.removeEventListener("pointerleave", clear);
    clear();
  };
}

function pointedAt(element: Element): Pointed | undefined {
  const port = element.closest<HTMLElement>(".port");
  const { nodeid, handleid } = port?.dataset ?? {};
  if (port && nodeid !== undefined && handleid !== undefined)
    return { node: nodeid, handle: handleid, side: port.classList.contains("source") ? "source" : "target" };
  const edge = element.closest<HTMLElement>(".react-flow__edge, .peek")?.dataset.id;
  return edge === undefined ? undefined : { edge };
}
