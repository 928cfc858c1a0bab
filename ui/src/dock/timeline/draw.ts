/** Draws marks of the timeline on a canvas. Thousands of elements, restyled several times a second, would cost far more. */
import type { Mark, SpanKind } from "./spans";

/** The position of marks within a row, in pixels. */
const BAR = { top: 6, height: 12, radius: 3 };
const DELAY = { top: 11, height: 2 };
/** How much of a wait that is over, and of the gaps between the stripes of a failure, is seen. */
const PALE = 0.55;
const PULSE_MS = 1400;

export type Style = { colorOf: (mark: Mark) => string; pulse: number };

/** The brightness of open spans at a moment, from 1 to 0.6 and back. */
export function pulseAt(ms: number): number {
  return 0.8 + 0.2 * Math.cos((Math.PI * ms) / PULSE_MS);
}

/** One row; `top` is where it begins on the canvas, `from` which pixel of the track is at the canvas's left edge. */
export function drawRow(
  to: CanvasRenderingContext2D,
  marks: readonly Mark[],
  top: number,
  from: number,
  style: Style,
): void {
  for (const mark of marks) {
    const { kind, to: end } = mark.span;
    to.globalAlpha = alphaOf(kind, end === undefined, style.pulse);
    to.fillStyle = style.colorOf(mark);
    const left = mark.left - from;
    if (kind === "delay" || kind === "stopped") {
      to.fillRect(left, top + DELAY.top, mark.width, DELAY.height);
      continue;
    }
    // Parts of pixels are expensive, and invisible at the ends of narrow bars.
    const [x, width] = isNarrow(mark.width) ? [Math.round(left), Math.round(mark.width)] : [left, mark.width];
    bar(to, x, top + BAR.top, width);
    if (kind === "failed") stripes(to, x, top + BAR.top, width);
  }
  to.globalAlpha = 1;
}

function alphaOf(kind: SpanKind, open: boolean, pulse: number): number {
  if (kind === "wait") return open ? 1 : PALE;
  if (kind === "failed") return PALE;
  return kind === "work" && open ? pulse : 1;
}

/** Round corners are expensive and invisible on narrow bars. */
function isNarrow(width: number): boolean {
  return width < BAR.radius * 3;
}

function bar(to: CanvasRenderingContext2D, x: number, y: number, width: number): void {
  if (isNarrow(width)) {
    to.fillRect(x, y, width, BAR.height);
    return;
  }
  to.beginPath();
  to.roundRect(x, y, width, BAR.height, BAR.radius);
  to.fill();
}

/** Stripes mark a failure, so that color is not the only sign. */
function stripes(to: CanvasRenderingContext2D, x: number, y: number, width: number): void {
  to.save();
  to.beginPath();
  to.rect(x, y, width, BAR.height);
  to.clip();
  to.globalAlpha = 1;
  to.strokeStyle = to.fillStyle;
  to.lineWidth = 4;
  to.beginPath();
  for (let at = x - BAR.height; at < x + width; at += 10) {
    to.moveTo(at, y);
    to.lineTo(at + BAR.height, y + BAR.height);
  }
  to.stroke();
  to.restore();
}
