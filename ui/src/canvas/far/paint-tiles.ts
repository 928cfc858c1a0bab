/** Paints tiles: icon and title in a size that can be read, on the color of the state. */

import { MAP_BELOW_ZOOM } from "@/canvas/view/detail";
import type { Box } from "@/flow/align/align";
import { LOOP_FOOTER, LOOP_HEADER, LOOP_STRIP } from "@/flow/containers/container-box";
import type { NodeRunState } from "@/run/nodes/element-views";
import { ICON_UNITS, type IconPaths } from "./icon-paths";
import type { TileState } from "./tile-states";
import { fitTitle, LINE_HEIGHT, type Room, shortened } from "./tile-title";
import type { Tile } from "./tiles";

/** Screen pixels. */
const PADDING = 5;
/** Above and below the lines of a title: two of the least size fit into a card of two rows at the least zoom of a first view. */
const ABOVE = 1;
const ICON = 12;
const GAP = 4;
const EDGE_WIDTH = 3;
const HATCH = 8;
const CONTAINER_FONT = 12;
const ABOVE_CONTAINER = 4;
/** A lower header has its title above. */
const MIN_HEADER = 14;
/** A container that is less wide has no title: hardly a letter would fit. */
const MIN_CONTAINER_WIDTH = 24;
/** Canvas units. */
const RADIUS = 11;
const DIMMED = 0.35;

type Look = { fill: string; line: string; text?: string; dashed?: boolean };

const mix = (color: string, percent: number, into = "var(--bg-2)") =>
  `color-mix(in srgb, ${color} ${percent}%, ${into})`;

/** Neither by color alone: what did not run is dashed, an old result is hatched. */
const STATES: Record<NodeRunState, Look> = {
  ready: { fill: mix("var(--context)", 14), line: "var(--context)" },
  running: { fill: mix("var(--context)", 42), line: "var(--context)" },
  retrying: { fill: mix("var(--wait)", 24), line: "var(--wait)", dashed: true },
  paused: { fill: mix("var(--wait)", 46), line: "var(--wait)" },
  done: { fill: mix("var(--ok)", 30), line: mix("var(--ok)", 65) },
  cached: { fill: mix("var(--ok)", 30), line: mix("var(--ok)", 65) },
  failed: { fill: mix("var(--bad)", 44), line: "var(--bad)" },
  stopped: { fill: mix("var(--fg-3)", 34), line: "var(--fg-3)" },
  skipped: { fill: "var(--bg)", line: "var(--fg-3)", text: "var(--fg-2)", dashed: true },
};
const DISABLED: Look = { fill: "var(--bg)", line: "var(--fg-3)", text: "var(--fg-3)", dashed: true };
const COMMENT: Look = {
  fill: mix("var(--wait)", 9, "var(--bg-1)"),
  line: mix("var(--wait)", 34, "var(--line)"),
  text: "var(--fg-2)",
};
/** Without titles: the colors are all that a tile says. */
const MAP_FILLS: Partial<Record<NodeRunState, string>> = {
  ready: mix("var(--context)", 35),
  running: "var(--context)",
  retrying: mix("var(--wait)", 60),
  paused: "var(--wait)",
  done: mix("var(--ok)", 70),
  cached: mix("var(--ok)", 45),
  failed: "var(--bad)",
  stopped: mix("var(--fg-3)", 70),
  skipped: mix("var(--fg-3)", 25),
};
const LOOP_COLORS: Partial<Record<NodeRunState, string>> = {
  running: "var(--context)",
  done: "var(--ok)",
  cached: "var(--ok)",
  paused: "var(--wait)",
  retrying: "var(--wait)",
  failed: "var(--bad)",
};

export type Painting = {
  pen: CanvasRenderingContext2D;
  zoom: number;
  /** The value of a CSS color in this theme. */
  resolve: (css: string) => string;
  fontFamily: string;
  icons: IconPaths;
  /** Whether a run is shown: nodes that are not part of it yet are paler then. */
  hasRun: boolean;
  /** The width of a text at a font size of one pixel. */
  widthOf: (text: string) => number;
};

/** What a tile shows besides what it always does. */
export type Marks = TileState & { untrusted: boolean; traced: boolean; target: boolean; lit: boolean };

/** `at` is the box of the tile on the screen. */
export function paintTile(painting: Painting, tile: Tile, at: Box, marks: Marks): void {
  const { pen, zoom, resolve } = painting;
  pen.globalAlpha = marks.lit ? 1 : DIMMED;
  if (tile.kind === "loop" || tile.kind === "frame") paintContainer(painting, tile, at, marks);
  else if (zoom < MAP_BELOW_ZOOM) paintDot(painting, tile, at, marks);
  else paintCard(painting, tile, at, marks);
  if (tile.selected || marks.traced) {
    pen.lineWidth = 2;
    pen.strokeStyle = resolve("var(--accent)");
    outline(pen, at, 2.5, RADIUS * zoom);
    pen.stroke();
  }
  pen.globalAlpha = 1;
}

function lookOf({ kind, disabled, tint }: Tile, { state, untrusted }: Marks): Look {
  const own: Look = tint
    ? { fill: mix(tint, 24), line: "var(--line-2)" }
    : { fill: "var(--bg-2)", line: "var(--line-2)" };
  if (kind === "comment") return tint ? own : COMMENT;
  const look = disabled ? DISABLED : state ? STATES[state] : own;
  return untrusted ? { ...look, line: "var(--path)" } : look;
}

function paintCard(painting: Painting, tile: Tile, at: Box, marks: Marks): void {
  const { pen, zoom, resolve, icons } = painting;
  const look = lookOf(tile, marks);
  const radius = RADIUS * zoom;
  const hasEdge = tile.kind === "card";
  const { data } = tile.element;
  if (tile.kind === "card" && data.folded && !("main" in data)) {
    // A folded loop or frame is a stack of cards, unless it stands for one node.
    fillBox(pen, { ...at, x: at.x + 3, y: at.y + 3 }, radius, resolve("var(--line-2)"));
  }
  if (hasEdge) fillBox(pen, at, radius, resolve(tile.hue));
  const inner = hasEdge ? { ...at, x: at.x + EDGE_WIDTH, width: at.width - EDGE_WIDTH } : at;
  fillBox(pen, inner, radius, marks.stale ? hatch(painting) : resolve(look.fill));
  pen.lineWidth = 1;
  pen.strokeStyle = resolve(marks.stale ? "var(--fg-3)" : look.line);
  pen.setLineDash(look.dashed ? [4, 3] : []);
  outline(pen, inner, -0.5, radius);
  pen.stroke();
  pen.setLineDash([]);
  const icon = icons.get(tile.icon ?? "");
  const hasIcon = icon !== undefined && tile.kind === "card";
  const room = titleRoom(at, hasEdge, hasIcon);
  const { lines, size, withIcon } = fitTitle(tile.title, room, painting.widthOf);
  const color = resolve(look.text ?? "var(--fg)");
  const middle = at.y + at.height / 2;
  let left = at.x + PADDING + (hasEdge ? EDGE_WIDTH : 0);
  if (hasIcon && withIcon && room.width >= ICON) {
    paintIcon(pen, icon, { x: left, y: middle - ICON / 2 }, color);
    left += ICON + GAP;
  }
  pen.font = `600 ${size}px ${painting.fontFamily}`;
  pen.fillStyle = color;
  pen.textBaseline = "middle";
  const step = size * LINE_HEIGHT;
  // What a large comment lies behind must not hide its title.
  const isTall = tile.kind === "comment" && at.height > 2 * (lines.length + 1) * step;
  const first = isTall ? at.y + ABOVE + step : middle - ((lines.length - 1) * step) / 2;
  for (const [index, line] of lines.entries()) pen.fillText(line, left, first + index * step);
}

/** The room for a title on a tile of this size. */
export function titleRoom({ width, height }: Pick<Box, "width" | "height">, hasEdge: boolean, hasIcon: boolean): Room {
  return {
    width: width - 2 * PADDING - (hasEdge ? EDGE_WIDTH : 0),
    height: height - 2 * ABOVE,
    icon: hasIcon ? ICON + GAP : 0,
  };
}

/** A node on the map: a box of one color. */
function paintDot(painting: Painting, tile: Tile, at: Box, { state, stale, untrusted }: Marks): void {
  const { pen, zoom, resolve, hasRun } = painting;
  const box = { ...at, width: Math.max(1.5, at.width), height: Math.max(1.5, at.height) };
  const radius = RADIUS * zoom;
  const hue = tile.tint ?? tile.hue;
  const fill = untrusted
    ? "var(--path)"
    : stale
      ? mix("var(--fg-3)", 45)
      : ((state && MAP_FILLS[state]) ?? (tile.kind === "comment" ? COMMENT.line : mix(hue, hasRun ? 12 : 32)));
  // The shade of its context stays at its side while it is wide enough for two colors.
  const hasEdge = box.width >= 4 * EDGE_WIDTH && tile.kind === "card";
  if (hasEdge) fillBox(pen, box, radius, resolve(tile.hue));
  fillBox(
    pen,
    hasEdge ? { ...box, x: box.x + EDGE_WIDTH, width: box.width - EDGE_WIDTH } : box,
    radius,
    resolve(tile.disabled ? DISABLED.line : fill),
  );
}

function paintContainer({ pen, zoom, resolve }: Painting, tile: Tile, at: Box, marks: Marks): void {
  const { tint = "var(--tint-gray)" } = tile;
  const state = marks.state && LOOP_COLORS[marks.state];
  const look =
    tile.kind === "frame"
      ? { fill: mix(tint, 10, "transparent"), line: mix(tint, 60, "var(--line)") }
      : {
          fill: state ? mix(state, 16, "var(--bg-1)") : mix("var(--bg-1)", 62, "transparent"),
          line: state ?? "var(--line-2)",
        };
  const line = marks.target ? "var(--accent)" : marks.untrusted ? "var(--path)" : look.line;
  fillBox(pen, at, RADIUS * zoom, resolve(look.fill));
  pen.lineWidth = marks.target ? 3 : 1;
  pen.strokeStyle = resolve(line);
  outline(pen, at, -0.5, RADIUS * zoom);
  pen.stroke();
  // The bars at which the edges of its body end.
  const strip = LOOP_STRIP * zoom;
  if (tile.kind !== "loop" || zoom < MAP_BELOW_ZOOM || at.width < 3 * strip) return;
  pen.fillStyle = resolve(mix(look.line, 45, "transparent"));
  const [top, bottom] = [at.y + LOOP_HEADER * zoom, at.y + at.height - LOOP_FOOTER * zoom];
  for (const x of [at.x + strip, at.x + at.width - strip]) pen.fillRect(Math.round(x), top, 1, bottom - top);
}

/** The title of a loop or a frame: in its header, or above it where that is too low for it. */
export function paintContainerTitle({ pen, zoom, resolve, fontFamily, widthOf }: Painting, tile: Tile, at: Box): void {
  const padding = Math.min(12 * zoom, PADDING);
  const room = at.width - 2 * padding;
  if (room < MIN_CONTAINER_WIDTH) return;
  const text = shortened(tile.title, room / CONTAINER_FONT, widthOf);
  const header = LOOP_HEADER * zoom;
  const baseline = header >= MIN_HEADER ? at.y + header / 2 + CONTAINER_FONT * 0.36 : at.y - ABOVE_CONTAINER;
  pen.font = `600 ${CONTAINER_FONT}px ${fontFamily}`;
  pen.textBaseline = "alphabetic";
  pen.lineJoin = "round";
  pen.lineWidth = 3;
  pen.strokeStyle = resolve("var(--bg)");
  pen.strokeText(text, at.x + padding, baseline);
  pen.fillStyle = resolve(tile.tint ? mix(tile.tint, 45, "var(--fg)") : "var(--fg)");
  pen.fillText(text, at.x + padding, baseline);
}

function paintIcon(pen: CanvasRenderingContext2D, icon: Path2D, at: { x: number; y: number }, color: string): void {
  pen.save();
  pen.translate(at.x, at.y);
  pen.scale(ICON / ICON_UNITS, ICON / ICON_UNITS);
  pen.lineWidth = 2;
  pen.lineCap = "round";
  pen.lineJoin = "round";
  pen.strokeStyle = color;
  pen.stroke(icon);
  pen.restore();
}

function fillBox(pen: CanvasRenderingContext2D, box: Box, radius: number, fill: string | CanvasPattern): void {
  pen.fillStyle = fill;
  // Corners that nobody sees take time with thousands of tiles.
  if (radius < 1) {
    pen.fillRect(box.x, box.y, box.width, box.height);
    return;
  }
  pen.beginPath();
  pen.roundRect(box.x, box.y, box.width, box.height, radius);
  pen.fill();
}

/** Begins a path around a box, so far outside of it. */
function outline(pen: CanvasRenderingContext2D, { x, y, width, height }: Box, outside: number, radius: number): void {
  pen.beginPath();
  pen.roundRect(
    x - outside,
    y - outside,
    Math.max(0, width + 2 * outside),
    Math.max(0, height + 2 * outside),
    Math.max(0, radius + outside),
  );
}

const hatches = new WeakMap<Painting["resolve"], CanvasPattern>();

/** The hatching of old results. */
function hatch({ pen, resolve }: Painting): CanvasPattern | string {
  let pattern: CanvasPattern | null = hatches.get(resolve) ?? null;
  if (pattern) return pattern;
  const cell = document.createElement("canvas");
  cell.width = HATCH;
  cell.height = HATCH;
  const own = cell.getContext("2d");
  if (!own) return resolve("var(--bg-2)");
  own.fillStyle = resolve("var(--bg-2)");
  own.fillRect(0, 0, HATCH, HATCH);
  own.strokeStyle = resolve(mix("var(--fg-3)", 30));
  own.lineWidth = 3;
  for (const shift of [-HATCH, 0, HATCH]) {
    own.beginPath();
    own.moveTo(shift - 1, HATCH + 1);
    own.lineTo(shift + HATCH + 1, -1);
    own.stroke();
  }
  pattern = pen.createPattern(cell, "repeat");
  if (!pattern) return resolve("var(--bg-2)");
  hatches.set(resolve, pattern);
  return pattern;
}
