/**
 * The geometry of a node card. Its size and the positions of its ports follow from its ports alone: edges can be drawn before
 * cards are measured, and a run moves nothing.
 */
import type { InputPort, OutputPort, PortKind, PortName, Ports, Position } from "@/bindings";
import { ERROR_PORT } from "@/bindings/constants";
import { type End, portsOn, type Side, type Unwired } from "@/flow/connect/ports";
import { LOOP_FOOTER, LOOP_HEADER, LOOP_STRIP } from "@/flow/containers/container-box";

export const CARD_WIDTH = 208;
export const COMMENT_SIZE = { width: 240, height: 140 };
export const MIN_COMMENT_SIZE = { width: 120, height: 60 };
/** Distance between grid dots; also what a nudge with Shift moves by. */
export const GRID = 20;

/** A card's border widths. Positions on the card are relative to the inside of its border. */
export const CARD_BORDER = { left: 4, top: 1 };

/** Below the name and the summary: each port has a row of its own, with its name beside its mark. */
const FIRST_PORT_Y = 61;
/** The height of a port's row. */
export const PORT_STEP = 20;
export const MIN_CARD_HEIGHT = 57;
const BELOW_LAST_PORT = 14;

/** The side lengths of a port's mark, by strand. */
export const HANDLE_SIZE: Record<PortKind, number> = { context: 13, data: 9, tools: 10 };

/** How high the middle of the n-th port of a side is. */
export function portY(index: number): number {
  return FIRST_PORT_Y + PORT_STEP * index;
}

/** Whether a port is drawn only when its card is looked at or an edge is pulled: see `Unwired`. */
export function isQuiet(side: Side, port: InputPort | OutputPort, unwired: Unwired): boolean {
  if (side === "in") return "orderOnly" in port && port.orderOnly === true && unwired !== "none" && unwired !== "error";
  return port.name === ERROR_PORT && port.kind === "data" && unwired !== "none" && unwired !== "after";
}

/** The least height at which every port has its place. */
export function cardHeight(ports: Ports, unwired: Unwired): number {
  return Math.max(MIN_CARD_HEIGHT, portY(portRows(ports, unwired) - 1) + BELOW_LAST_PORT);
}

function portRows(ports: Ports, unwired: Unwired): number {
  const inputs = ports.inputs.filter((port) => !isQuiet("in", port, unwired)).length;
  const outputs = ports.outputs.filter((port) => !isQuiet("out", port, unwired)).length;
  return Math.max(inputs, outputs);
}

/** The corner and size of the n-th port's mark, relative to its card. The mark sits astride the card's edge. */
export function handleBox(side: Side, index: number, port: InputPort | OutputPort, ports: Ports, unwired: Unwired) {
  const size = HANDLE_SIZE[port.kind];
  const middle = side === "in" ? 1 : CARD_WIDTH - 1;
  const row = portY(index);
  const y = isQuiet(side, port, unwired) ? Math.min(row, cardHeight(ports, unwired) - 3) : row;
  return { x: middle - size / 2, y: y - size / 2, width: size, height: size };
}

/** One row of a loop's border: a port outside, one inside, or both, where what goes in by one comes out by the other. */
export type BorderRow = { outer?: PortName; inner?: PortName };

/** Which port inside of a loop's border continues which port outside of it. */
const PASSAGES: Readonly<Record<string, string>> = {
  context: "context",
  input: "previous",
  items: "item",
  result: "next",
};
const FIRST_BORDER_ROW_Y = LOOP_HEADER + 22;

/** The rows of one side of a loop's border, in the order of the ports outside. */
export function borderRows(ports: Ports, side: Side): BorderRow[] {
  const inner = portsOn(ports, side === "in" ? "out" : "in", true).map((port) => port.name);
  const rows = portsOn(ports, side).map(({ name }): BorderRow => {
    const passage = PASSAGES[name];
    return passage !== undefined && inner.includes(passage) ? { outer: name, inner: passage } : { outer: name };
  });
  const paired = new Set(rows.map((row) => row.inner));
  let next = rows.findLastIndex((row) => row.inner !== undefined) + 1;
  for (const name of inner) {
    if (paired.has(name)) continue;
    // Beside a port outside that goes nowhere inside, or in a row of its own.
    rows[next] = { ...rows[next], inner: name };
    next += 1;
  }
  return rows;
}

export function borderRowY(index: number): number {
  return FIRST_BORDER_ROW_Y + PORT_STEP * index;
}

/** The least height at which every port of a loop's border has its row. */
export function borderHeight(ports: Ports): number {
  return borderRowY(Math.max(borderRows(ports, "in").length, borderRows(ports, "out").length)) + LOOP_FOOTER;
}

/** The corner and size of a port's mark on a loop's border: astride its outer edge, or that between strip and body. */
export function borderHandleBox(
  { side, inner = false }: Pick<End, "side" | "inner">,
  row: number,
  kind: PortKind,
  width: number,
) {
  const size = HANDLE_SIZE[kind];
  const atLeft = (side === "in") !== inner;
  const fromSide = inner ? LOOP_STRIP : 1;
  const middle = atLeft ? fromSide : width - fromSide;
  return { x: middle - size / 2, y: borderRowY(row) - size / 2, width: size, height: size };
}

/** The size of a node before it is measured. */
export function plannedSize(
  isComment: boolean,
  ports: Ports,
  unwired: Unwired,
  at: Position | undefined,
): { width: number; height: number } {
  if (isComment) return { width: at?.width ?? COMMENT_SIZE.width, height: at?.height ?? COMMENT_SIZE.height };
  return { width: CARD_WIDTH, height: cardHeight(ports, unwired) };
}
