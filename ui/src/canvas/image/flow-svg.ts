/** A flow as an SVG image of its own: drawn from its nodes and edges, with the colors of the theme and without the page. */

import { loopKind } from "@/canvas/cards/loop-summary";
import { nodeSummary } from "@/canvas/cards/node-summary";
import { shade } from "@/canvas/elements/elements";
import { boxesOf, frameBoxes } from "@/canvas/measure/boxes";
import { isQuiet } from "@/canvas/measure/geometry";
import { backBounds, backCurve, forwardCurve, routedCurve } from "@/canvas/measure/paths";
import { frameColor, nodeColor } from "@/canvas/overview/paint-nodes";
import { type Box, type Boxes, bounds, type Point } from "@/flow/align/align";
import { tint } from "@/flow/edits/canvas-colors";
import type { NodeTypes } from "@/flow/node-types/node-types";
import type { CanvasEdge, CanvasElement, CanvasNode, FrameNode } from "@/workspace/canvas-store";

const MARGIN = 24;
const FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, sans-serif";
/** About as wide as a letter of that size is on average. */
const LETTER_WIDTH = 0.54;
const NOTE_LINE = 16;
const TINTED_HEADER = 34;
const TINT_OPACITY = 0.24;

const STROKES = {
  context: { color: "var(--context)", width: 4, dash: "" },
  data: { color: "var(--data)", width: 1.75, dash: "" },
  tools: { color: "var(--tools)", width: 2, dash: "5 4" },
} as const;

export type FlowImage = { svg: string; width: number; height: number };

type Source = {
  name: string;
  nodes: readonly CanvasNode[];
  frames: readonly FrameNode[];
  edges: readonly CanvasEdge[];
  types: NodeTypes;
  /** The value of a CSS color in this theme. */
  color: (css: string) => string;
};

/** Undefined for a flow without nodes. */
export function flowSvg({ name, nodes, frames, edges, types, color }: Source): FlowImage | undefined {
  if (nodes.length === 0) return undefined;
  const boxes = boxesOf(nodes);
  const framesAt = frameBoxes(frames, boxes);
  const all = new Map([...boxes, ...framesAt]);
  const byId = new Map([...nodes, ...frames].map((one) => [one.id, one]));
  const lines = edges.flatMap((edge) => line(edge, byId, all) ?? []);
  for (const { edge, from, to } of lines) {
    const { route } = edge.data ?? {};
    for (const [index, { x, y }] of (route?.points ?? []).entries())
      all.set(`point ${index} ${edge.id}`, { x, y, width: 1, height: 1 });
    if (edge.data?.back !== undefined && !route) all.set(`arc ${edge.id}`, backBounds(from, to, edge.data.back));
  }
  const { x, y, width, height } = bounds(all);
  const [left, top] = [Math.floor(x - MARGIN), Math.floor(y - MARGIN)];
  const size = { width: Math.ceil(width + 2 * MARGIN), height: Math.ceil(height + 2 * MARGIN) };
  const drawn = (kind: CanvasNode["type"]) => nodes.filter((node) => node.type === kind);
  const framesIn = (loop: string | undefined) =>
    frames.filter((one) => one.parentId === loop).map((one) => frameShape(one, framesAt.get(one.id), types, color));
  const parts = [
    `<rect x="${left}" y="${top}" width="${size.width}" height="${size.height}" fill="${color("var(--bg)")}"/>`,
    ...framesIn(undefined),
    ...drawn("loop").flatMap((node) => [loop(node, boxes, types, color), ...framesIn(node.id)]),
    ...drawn("comment").map((node) => comment(node, boxes, color)),
    ...lines.map((one) => edgePath(one, color)),
    ...drawn("card").map((node) => card(node, boxes, types, color)),
    ...nodes.map((node) => ports(node, boxes, color)),
  ];
  const svg = [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${size.width}" height="${size.height}" viewBox="${left} ${top} ${size.width} ${size.height}" font-family="${FONT}">`,
    `<title>${escapeXml(name)}</title>`,
    ...parts,
    "</svg>",
  ].join("\n");
  return { svg, ...size };
}

type Line = { edge: CanvasEdge; from: Point; to: Point };
type Nodes = ReadonlyMap<string, CanvasElement>;
type Color = Source["color"];

function line(edge: CanvasEdge, nodes: Nodes, boxes: Boxes): Line | undefined {
  const from = endOf(nodes.get(edge.source), boxes, "source", edge.sourceHandle);
  const to = endOf(nodes.get(edge.target), boxes, "target", edge.targetHandle);
  return from && to && { edge, from, to };
}

/** Where an edge meets a node: the middle of the port's mark, at its outer side. */
function endOf(
  node: CanvasElement | undefined,
  boxes: Boxes,
  type: "source" | "target",
  port: string | null | undefined,
): Point | undefined {
  const box = node && boxes.get(node.id);
  const handle = node?.handles?.find((one) => one.type === type && (one.id ?? null) === (port ?? null));
  if (!box || !handle) return undefined;
  const { x, y, width = 0, height = 0 } = handle;
  return { x: box.x + x + (type === "source" ? width : 0), y: box.y + y + height / 2 };
}

function edgePath({ edge, from, to }: Line, color: Color): string {
  const { kind = "data", back, context, route } = edge.data ?? {};
  const { d } = route
    ? routedCurve(from, route.points, to)
    : back !== undefined
      ? backCurve(from, to, back)
      : forwardCurve(from, to);
  const stroke = STROKES[kind];
  const dash = back !== undefined ? "1 6" : stroke.dash;
  const css = (kind === "context" ? shade(context) : undefined) ?? stroke.color;
  return `<path d="${d}" fill="none" stroke="${color(css)}" stroke-width="${stroke.width}" stroke-linecap="round"${dash ? ` stroke-dasharray="${dash}"` : ""}/>`;
}

function card(node: CanvasNode, boxes: Boxes, types: NodeTypes, color: Color): string {
  const box = boxes.get(node.id) ?? { x: 0, y: 0, width: 0, height: 0 };
  const { node: own, maker, folded } = node.data;
  const type = types.byType.get(own.type);
  const title = own.title || type?.title || node.id;
  const summary = folded
    ? loopKind(own)
    : nodeSummary(own, type, maker && { node: maker, type: types.byType.get(maker.type) });
  const edge = color(nodeColor(types, node));
  const room = box.width - 32;
  return [
    `<g data-node="${escapeXml(node.id)}">`,
    `<rect x="${box.x}" y="${box.y}" width="${box.width}" height="${box.height}" rx="8" fill="${color("var(--bg-2)")}" stroke="${color("var(--line)")}"/>`,
    tinted(node, { ...box, height: TINTED_HEADER }, 8, color),
    `<rect x="${box.x}" y="${box.y + 6}" width="4" height="${Math.max(0, box.height - 12)}" rx="2" fill="${edge}"/>`,
    text(title, box.x + 16, box.y + 22, { size: 13, room, fill: color("var(--fg)"), weight: 600 }),
    text(summary, box.x + 16, box.y + 40, { size: 11, room, fill: color("var(--fg-2)") }),
    "</g>",
  ].join("\n");
}

/** The color that a person gave a node, over its box or the part of it with its name. */
function tinted(node: CanvasNode, { x, y, width, height }: Box, radius: number, color: Color): string {
  const css = tint(node.data.color);
  if (css === undefined) return "";
  return `<rect x="${x}" y="${y}" width="${width}" height="${height}" rx="${radius}" fill="${color(css)}" fill-opacity="${TINT_OPACITY}"/>`;
}

function loop(node: CanvasNode, boxes: Boxes, types: NodeTypes, color: Color): string {
  const box = boxes.get(node.id) ?? { x: 0, y: 0, width: 0, height: 0 };
  const { node: own } = node.data;
  const title = own.title || types.byType.get(own.type)?.title || node.id;
  return [
    `<g data-node="${escapeXml(node.id)}">`,
    `<rect x="${box.x}" y="${box.y}" width="${box.width}" height="${box.height}" rx="12" fill="${color("var(--bg-1)")}" stroke="${color("var(--line-2)")}"/>`,
    tinted(node, { ...box, height: TINTED_HEADER }, 12, color),
    text(`${title} · ${loopKind(own)}`, box.x + 16, box.y + 24, {
      size: 13,
      room: box.width - 32,
      fill: color("var(--fg)"),
      weight: 600,
    }),
    "</g>",
  ].join("\n");
}

function frameShape({ data }: FrameNode, box: Box | undefined, types: NodeTypes, color: Color): string {
  const { frameId, frame, folded } = data;
  const { x, y, width, height } = box ?? frame;
  const tint = color(frameColor(types, data));
  const fill = folded ? `fill="${color("var(--bg-2)")}"` : `fill="${tint}" fill-opacity="0.1"`;
  return [
    `<g data-frame="${escapeXml(frameId)}">`,
    `<rect x="${x}" y="${y}" width="${width}" height="${height}" rx="12" ${fill} stroke="${tint}" stroke-opacity="0.6"/>`,
    text(frame.title, x + 16, y + 23, { size: 13, room: width - 32, fill: color("var(--fg-2)"), weight: 600 }),
    "</g>",
  ].join("\n");
}

function comment(node: CanvasNode, boxes: Boxes, color: Color): string {
  const box = boxes.get(node.id) ?? { x: 0, y: 0, width: 0, height: 0 };
  const written = Object.values(node.data.node.config ?? {}).find((value) => typeof value === "string");
  const letters = Math.max(4, Math.floor((box.width - 24) / (12 * LETTER_WIDTH)));
  const most = Math.max(1, Math.floor((box.height - 16) / NOTE_LINE));
  const rows = wrap(typeof written === "string" ? written : "", letters).slice(0, most);
  return [
    `<g data-node="${escapeXml(node.id)}">`,
    `<rect x="${box.x}" y="${box.y}" width="${box.width}" height="${box.height}" rx="8" fill="${color("var(--bg-3)")}" stroke="${color("var(--line)")}"/>`,
    tinted(node, box, 8, color),
    ...rows.map((row, at) =>
      text(row, box.x + 12, box.y + 22 + at * NOTE_LINE, {
        size: 12,
        room: box.width - 24,
        fill: color("var(--fg-2)"),
      }),
    ),
    "</g>",
  ].join("\n");
}

/** The marks of the ports, and their names beside them. */
function ports(node: CanvasNode, boxes: Boxes, color: Color): string {
  const box = boxes.get(node.id);
  if (!box || !node.handles) return "";
  const { ports: declared, context, unwired } = node.data;
  const inputs = [...declared.inputs, ...(declared.innerInputs ?? [])];
  const outputs = [...declared.outputs, ...(declared.innerOutputs ?? [])];
  return node.handles
    .flatMap(({ id, type, x, y, width = 0, height = 0 }) => {
      // Those inside a loop's border have a prefix; no port name has a colon.
      const name = id?.split(":").at(-1) ?? "";
      const port = (type === "target" ? inputs : outputs).find((one) => name === one.name);
      if (!port || isQuiet(type === "target" ? "in" : "out", port, unwired)) return [];
      const own = color((port.kind === "context" ? shade(context) : undefined) ?? STROKES[port.kind].color);
      const middle = { x: box.x + x + width / 2, y: box.y + y + height / 2 };
      const shape = `fill="${color("var(--bg-2)")}" stroke="${own}" stroke-width="${port.kind === "context" ? 3 : 2}"`;
      const mark =
        port.kind === "tools"
          ? `<rect x="${middle.x - width / 2}" y="${middle.y - height / 2}" width="${width}" height="${height}" ${shape}/>`
          : `<circle cx="${middle.x}" cy="${middle.y}" r="${width / 2}" ${shape}/>`;
      const isLeft = x + width / 2 < box.width / 2;
      const label = text(port.name, middle.x + (isLeft ? 12 : -12), middle.y + 4, {
        size: 10.5,
        room: box.width / 2 - 20,
        fill: color("var(--fg-3)"),
        end: !isLeft,
      });
      return [mark, label];
    })
    .join("\n");
}

type TextStyle = { size: number; room: number; fill: string; weight?: number; end?: boolean };

/** One line, cut where it would leave its room. */
function text(value: string, x: number, y: number, { size, room, fill, weight, end }: TextStyle): string {
  const most = Math.max(1, Math.floor(room / (size * LETTER_WIDTH)));
  const [line = ""] = value.split("\n");
  const letters = [...line];
  const shown = letters.length > most ? `${letters.slice(0, most - 1).join("")}…` : line;
  return `<text x="${x}" y="${y}" font-size="${size}" fill="${fill}"${weight ? ` font-weight="${weight}"` : ""}${end ? ' text-anchor="end"' : ""}>${escapeXml(shown)}</text>`;
}

function wrap(value: string, letters: number): string[] {
  return value.split("\n").flatMap((paragraph) => {
    const rows: string[] = [];
    let row = "";
    for (const word of paragraph.split(" ")) {
      if (row !== "" && row.length + 1 + word.length > letters) {
        rows.push(row);
        row = word;
      } else row = row === "" ? word : `${row} ${word}`;
    }
    return [...rows, row];
  });
}

/** Also without the control characters that XML does not allow. */
function escapeXml(value: string): string {
  return value
    .replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`)
    .replace(/\p{Cc}/gu, (sign) => (sign === "\t" || sign === "\n" ? " " : ""));
}
