import { Handle, Position as Sides } from "@xyflow/react";
import { memo } from "react";
import type { InputPort, NodeId, OutputPort, Ports } from "@/bindings";
import { feeds, type Side } from "@/flow/ports";
import type { Pulled } from "@/workspace/canvas-store";
import { useCanvas } from "@/workspace/context";
import { CARD_BORDER, cardHeight, handleBox, isQuiet, portY } from "./geometry";
import { TEXTS } from "./texts";

type Props = {
  node: NodeId;
  side: Side;
  port: InputPort | OutputPort;
  index: number;
  ports: Ports;
  errorWired: boolean;
  missing: boolean;
};

/** One port of a card: round and thick for contexts, small and round for data, square for tools. */
export const PortHandle = memo(function PortHandle({ node, side, port, index, ports, errorWired, missing }: Props) {
  const fit = useCanvas((state) => (state.pulled ? fitOf(state.pulled, node, side, port) : undefined));
  const box = handleBox(side, index, port, ports, errorWired);
  const quiet = isQuiet(side, port, errorWired);
  const required = "required" in port && port.required;
  const type = port.kind === "data" && port.type !== "any" ? ` · ${port.type}` : "";
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
      data-fit={fit}
      data-missing={missing || undefined}
      data-quiet={quiet || undefined}
      data-squeezed={(quiet && portY(index) > cardHeight(ports, errorWired)) || undefined}
      // Drawn by the style sheet: an element less for each port of each card.
      data-name={`${port.name}${required ? " *" : ""}`}
      title={`${port.name}${type}${required ? ` (${TEXTS.required})` : ""}`}
      style={{ left: box.x - CARD_BORDER.left, top: box.y - CARD_BORDER.top, width: box.width, height: box.height }}
    />
  );
});

/** While an edge is drawn, compatible ports are highlighted and the others are dimmed. */
function fitOf(pulled: Pulled, node: NodeId, side: Side, port: InputPort | OutputPort): "yes" | "no" | "self" {
  const { end } = pulled;
  if (end.node === node && end.side === side && end.port === port.name) return "self";
  if (end.side === side || pulled.kind !== port.kind) return "no";
  if (port.kind !== "data") return "yes";
  return (side === "in" ? feeds(pulled.type, port.type) : feeds(port.type, pulled.type)) ? "yes" : "no";
}
