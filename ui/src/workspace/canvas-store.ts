/** What the canvas is doing right now: an edge being drawn, a menu open, a name being typed. Not part of the document. */
import type { Edge as CanvasEdgeBase, Node as CanvasNodeBase, ReactFlowInstance, Viewport } from "@xyflow/react";
import { createStore, type StoreApi } from "zustand/vanilla";
import type { EdgeId, Node, NodeDescriptor, NodeId, PortKind, Ports, PortType } from "@/bindings";
import type { Point } from "@/flow/align";
import type { Items } from "@/flow/edits";
import type { End } from "@/flow/ports";

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
  /** Whether its error output feeds something. */
  errorWired: boolean;
  /** Whether runs pass over it, because of itself or of a loop around it. */
  disabled: boolean;
  /** For a folded container: which of its sides edges of its body lead to. */
  folded?: { into: boolean; outOf: boolean };
};
export type CanvasNode = CanvasNodeBase<CardData, "card" | "comment" | "loop">;

/** What an edge shows of its strand. */
export type StrandData = {
  kind: PortKind;
  /** For back edges: the top of the cards the edge passes over. */
  back: number | undefined;
  context: number | undefined;
  broken: boolean;
};
export type CanvasEdge = CanvasEdgeBase<StrandData, "strand">;

export type Pulled = { end: End; kind: PortKind; type: PortType };

/** The menu of node types that fit an edge dropped on empty canvas. `at` is on the screen, `place` on the canvas. */
export type QuickAdd = { pulled: Pulled; at: Point; place: Point };

export type CanvasState = {
  /** React Flow's own handle on the canvas, while there is one. */
  instance?: ReactFlowInstance<CanvasNode, CanvasEdge>;
  /** The end from which an edge is being drawn. */
  pulled?: Pulled;
  quickAdd?: QuickAdd;
  /** The node whose connections are being made from the keyboard. */
  connecting?: NodeId;
  /** The node whose name is being typed on its card. */
  renaming?: NodeId;
  /** The nodes for which a loop to move them into is being chosen. */
  movingInto?: readonly NodeId[];
  /** The loop that would take what is being dragged. */
  dropTarget?: NodeId;
  /** Whether the flow is large and seen from so far away that a picture takes the place of its cards. */
  overview?: boolean;
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
  /** Focuses the card of a node. */
  focusNode(node: NodeId): void;
  /** Shows which loop would take what is dragged to a place of the screen; none without one. */
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
  /** The view with which the flow of this file begins, in place of a view of all its nodes. */
  restoredView: { path: string; viewport: Viewport } | undefined;
  /** How many edges pulse right now. */
  pulseCount = 0;

  get state(): CanvasState {
    return this.store.getState();
  }

  get instance(): CanvasState["instance"] {
    return this.state.instance;
  }

  register(actions: CanvasActions): void {
    this.#actions = actions;
  }

  reveal(target: RevealTarget): void {
    this.#actions?.reveal(target);
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

  set(change: Partial<CanvasState>): void {
    this.store.setState(change);
  }
}
