/** What the canvas is doing right now: an edge being drawn, a menu open, a name being typed. Not part of the document. */
import type { ReactFlowInstance } from "@xyflow/react";
import { create } from "zustand";
import type { NodeId, PortKind, PortType } from "@/bindings";
import type { End } from "@/flow/ports";
import type { CanvasEdge, CanvasNode } from "./elements";
import type { Point } from "./paths";

export type Pulled = { end: End; kind: PortKind; type: PortType };

/** The menu of node types that fit an edge dropped on empty canvas. `at` is on the screen, `place` on the canvas. */
export type QuickAdd = { pulled: Pulled; at: Point; place: Point };

type CanvasState = {
  /** React Flow's own handle on the canvas, while there is one. */
  instance?: ReactFlowInstance<CanvasNode, CanvasEdge>;
  /** The end from which an edge is being drawn. */
  pulled?: Pulled;
  quickAdd?: QuickAdd;
  /** The node whose connections are being made from the keyboard. */
  connecting?: NodeId;
  /** The node whose name is being typed on its card. */
  renaming?: NodeId;
};

export const canvasStore = create<CanvasState>(() => ({}));
export const useCanvas = canvasStore;
