/** What the canvas is doing right now: an edge being drawn, a menu open, a name being typed. Not part of the document. */
import type { Edge as CanvasEdgeBase, Node as CanvasNodeBase, ReactFlowInstance, Viewport } from "@xyflow/react";
import { createStore, type StoreApi } from "zustand/vanilla";
import type {
  CanvasColor,
  EdgeId,
  Frame,
  FrameId,
  Node,
  NodeDescriptor,
  NodeId,
  PortKind,
  Ports,
  PortType,
} from "@/bindings";
import { TextWidths } from "@/design/text/text-widths";
import type { Point } from "@/flow/align/align";
import type { Guide } from "@/flow/align/alignment-guides";
import type { End, Unwired } from "@/flow/connect/ports";
import type { Items } from "@/flow/edits/edits";

/** What a card shows of its node. */
export type CardData = {
  node: Node;
  ports: Ports;
  /** Whether the ports are declared. If not, the type is unknown and the ports are those its edges imply. */
  known: boolean;
  /** Which context it works in, counted from 0. */
  context: number | undefined;
  /** The node that makes that context, and says with which model. */
  maker: Node | undefined;
  unwired: Unwired;
  /** Whether runs pass over it, because of itself or of a loop around it. */
  disabled: boolean;
  /** The color that a person gave it. */
  color: CanvasColor | undefined;
  /** For a folded container: which of its sides edges of its body lead to. */
  folded?: FoldedSides;
};
/** The sides of a folded loop or frame at which edges of its nodes end. */
export type FoldedSides = { into: boolean; outOf: boolean };
export type CanvasNode = CanvasNodeBase<CardData, "card" | "comment" | "loop">;
/** What a frame shows of itself and, while it is folded, of its nodes. */
export type FrameData = {
  frameId: FrameId;
  frame: Frame;
  folded?: FoldedSides;
  /** The node that a folded frame stands for. */
  main?: Node;
  /** Whether runs pass over all nodes of a folded frame. */
  disabled?: boolean;
};
export type FrameNode = CanvasNodeBase<FrameData, "frame">;
/** What React Flow draws as nodes. */
export type CanvasElement = CanvasNode | FrameNode;

/** What an edge shows of its strand. */
export type StrandData = {
  kind: PortKind;
  /** For back edges: the top of the cards the edge passes over. */
  back: number | undefined;
  context: number | undefined;
  broken: boolean;
  /** Whether it does no more than to put branches in turn. */
  turn: boolean;
  /** In how many loops it is. */
  depth: number;
  /** The other edges with the same ends, as they lead into or out of folded loops and frames: one line is drawn for all. */
  bundle?: readonly EdgeId[];
  /** The points of the canvas that it passes through, and where its nodes are with these. */
  route?: { points: readonly Point[]; source: Point; target: Point };
};
export type CanvasEdge = CanvasEdgeBase<StrandData, "strand" | "routed">;

/** The edges that light up while a port or an edge is pointed at, and the nodes at their ends. */
export type Way = { edges: ReadonlySet<EdgeId>; nodes: ReadonlySet<string> };

/** The middle of a value on the canvas, and the most that it may be wide. */
export type PeekPlace = { at: Point; width: number };

export type Pulled = { end: End; kind: PortKind; type: PortType };

/** The menu of node types that fit an edge dropped on empty canvas. `at` is on the screen, `place` on the canvas. */
export type QuickAdd = { pulled: Pulled; at: Point; place: Point };

export type CanvasState = {
  /** React Flow's own handle on the canvas, while there is one. */
  instance?: ReactFlowInstance<CanvasElement, CanvasEdge>;
  /** The end from which an edge is being drawn. */
  pulled?: Pulled;
  quickAdd?: QuickAdd;
  /** The node that is being connected by keyboard. */
  connecting?: NodeId;
  /** The node or frame element that is being renamed in place. */
  renaming?: string;
  /** The nodes for which a loop to move them into is being chosen. */
  movingInto?: readonly NodeId[];
  /** The loop or frame element that would take the dragged nodes. */
  dropTarget?: string;
  /** What the dragged nodes align with. */
  guides?: readonly Guide[];
  /** Where the values on edges are written; without one, in the middle of the edge. */
  peekPlaces?: ReadonlyMap<EdgeId, PeekPlace>;
  /** Whether the flow is seen from so far away that a picture of tiles takes the place of its cards. */
  far?: boolean;
  /** In a far view of very many nodes: the node or frame element that the pointer is on, or that is about to have the focus. */
  pointed?: string;
  /** In a far view of very many nodes: the edge that the pointer is on. */
  pointedEdge?: EdgeId;
  /** What lights up, as the far view paints it. */
  litWay?: Way;
  /** The elements to select and bring into view as soon as the shown flow is drawn. */
  awaitedReveal?: RevealTarget;
  /** The node type being dragged onto the canvas, and where it is on the screen. */
  draggedType?: { type: NodeDescriptor; at: Point; overCanvas: boolean };
};

/** What to bring into view and select. */
export type RevealTarget = {
  node?: NodeId;
  edge?: EdgeId;
  /** Also centers nodes that are already in view. */
  center?: boolean;
};

/** What other parts of the window ask of the canvas. It registers this, so that they need not import it. */
export type CanvasActions = {
  /** Brings a node or an edge into view and selects it. */
  reveal(target: RevealTarget): void;
  /**
   * Adds a node of a type with its middle at a place of the canvas; without one, in the middle of the view. One that was
   * not `dropped` there by hand goes to the nearest place in view where it covers nothing.
   */
  addNode(type: string, at?: Point, dropped?: boolean): NodeId | undefined;
  focusNode(node: NodeId): void;
  /** Shows the loop that would take nodes dropped at a place of the screen, if there is one. */
  showDropTarget(at: Point | undefined): void;
};

export class CanvasStore {
  #actions: CanvasActions | undefined;
  readonly store: StoreApi<CanvasState> = createStore<CanvasState>(() => ({}));
  /** The nodes copied last, for when the system clipboard can't be read. */
  copiedText = "";
  /** Where on the screen a selection box began, while one is drawn. */
  boxStart: Point | undefined;
  /** Where the pointer is on the screen, while it is over the canvas. */
  pointer: Point | undefined;
  /** The last selection made with Shift+Space. A different selection ends multi-select mode. */
  multiSelection: Items | undefined;
  /** The node that gets the focus once it is drawn. The last request wins. */
  awaitedFocus: NodeId | undefined;
  /** The views with which the flows of these files begin, in place of a view of all their nodes. */
  readonly restoredViews = new Map<string, Viewport>();
  /** How documents were left that something else is shown in place of, by what `useFitNewDocuments` calls them. */
  readonly leftViews = new Map<string, Viewport>();
  readonly titleWidths = new TextWidths(600);
  /** How many edges pulse right now. */
  pulseCount = 0;

  get state(): CanvasState {
    return this.store.getState();
  }

  get instance(): CanvasState["instance"] {
    return this.state.instance;
  }

  drawnNodes(): CanvasNode[] {
    return this.instance?.getNodes().filter((one) => one.type !== "frame") ?? [];
  }

  drawnFrames(): FrameNode[] {
    return this.instance?.getNodes().filter((one) => one.type === "frame") ?? [];
  }

  drawnEdges(): CanvasEdge[] {
    return this.instance?.getEdges() ?? [];
  }

  register(actions: CanvasActions): void {
    this.#actions = actions;
  }

  reveal(target: RevealTarget): void {
    this.#actions?.reveal(target);
  }

  /** The same for a flow that was just opened and may not be drawn yet, after its first view. */
  revealOnceDrawn(target: RevealTarget): void {
    this.set({ awaitedReveal: target });
  }

  addNode(type: string, at?: Point, dropped?: boolean): NodeId | undefined {
    return this.#actions?.addNode(type, at, dropped);
  }

  focusNode(node: NodeId): void {
    this.#actions?.focusNode(node);
  }

  showDropTarget(at: Point | undefined): void {
    this.#actions?.showDropTarget(at);
  }

  /** Ends what was begun in one document, as another one is shown. */
  endGestures(): void {
    const nothing = {
      awaitedReveal: undefined,
      pulled: undefined,
      quickAdd: undefined,
      connecting: undefined,
      renaming: undefined,
    };
    this.set({ ...nothing, movingInto: undefined, dropTarget: undefined });
    this.multiSelection = undefined;
  }

  set(change: Partial<CanvasState>): void {
    this.store.setState(change);
  }
}
