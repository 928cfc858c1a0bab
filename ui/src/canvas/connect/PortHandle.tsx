import { Handle, Position as Sides } from "@xyflow/react";
import { memo } from "react";
import type { Flow, InputPort, NodeId, OutputPort, Ports } from "@/bindings";
import { CARD_BORDER, cardHeight, handleBox, isQuiet, portY } from "@/canvas/measure/geometry";
import { TEXTS } from "@/canvas/texts";
import { borderRefusal } from "@/flow/connect/connection";
import { type End, feeds, type Side, type Unwired } from "@/flow/connect/ports";
import { displayedFlow } from "@/flow/document/flow-state";
import type { Pulled } from "@/workspace/canvas-store";
import { useCanvas, useWorkspace } from "@/workspace/context";
import type { PortMark } from "./port-marks";

type Props = {
  node: NodeId;
  side: Side;
  port: InputPort | OutputPort;
  index: number;
  ports: Ports;
  unwired: Unwired;
  missing: boolean;
  mark: PortMark | undefined;
};

/** One port of a card: round and thick for contexts, small and round for data, square for tools. */
export const PortHandle = memo(function PortHandle(props: Props) {
  const { node, side, port, index, ports, unwired, missing, mark } = props;
  const fit = usePortFit({ node, side, port: port.name }, port);
  const box = handleBox(side, index, port, ports, unwired);
  const quiet = isQuiet(side, port, unwired);
  return (
    <Handle
      id={port.name}
      type={side === "in" ? "target" : "source"}
      position={side === "in" ? Sides.Left : Sides.Right}
      isConnectable={!missing}
      className="port"
      data-testid={`handle-${node}-${side}-${port.name}`}
      data-side={side}
      data-kind={port.kind}
      data-breakpoint={mark}
      data-fit={fit}
      data-missing={missing || undefined}
      data-quiet={quiet || undefined}
      data-squeezed={(quiet && portY(index) > cardHeight(ports, unwired)) || undefined}
      // Drawn by the style sheet: an element less for each port of each card.
      data-name={`${port.name}${isRequired(port) ? " *" : ""}`}
      title={portTitle(port)}
      style={{ left: box.x - CARD_BORDER.left, top: box.y - CARD_BORDER.top, width: box.width, height: box.height }}
    />
  );
});

/** The name of a port, what it carries, and whether it must be connected. */
export function portTitle(port: InputPort | OutputPort): string {
  const type = port.kind === "data" && port.type !== "any" ? ` · ${port.type}` : "";
  return `${port.name}${type}${isRequired(port) ? ` (${TEXTS.required})` : ""}`;
}

function isRequired(port: InputPort | OutputPort): boolean {
  return "required" in port && port.required;
}

/** While an edge is drawn, compatible ports are highlighted and the others are dimmed. */
export function usePortFit(end: End, port: InputPort | OutputPort | undefined): "yes" | "no" | "self" | undefined {
  const { editor } = useWorkspace();
  return useCanvas(({ pulled }) =>
    pulled && port ? fitOf(displayedFlow(editor.state), pulled, end, port) : undefined,
  );
}

function fitOf(flow: Flow, pulled: Pulled, end: End, port: InputPort | OutputPort): "yes" | "no" | "self" {
  const { end: from } = pulled;
  if (from.node === end.node && from.side === end.side && from.port === end.port && from.inner === end.inner)
    return "self";
  if (from.side === end.side || pulled.kind !== port.kind) return "no";
  if (port.kind === "data" && !(end.side === "in" ? feeds(pulled.type, port.type) : feeds(port.type, pulled.type)))
    return "no";
  return borderRefusal(flow, from, end) === undefined ? "yes" : "no";
}
