/** How much room the window has, and what that leaves beside the canvas. */

export type Part = "left" | "right" | "dock";

export type WindowSize = "wide" | "medium" | "small" | "tiny";

/** From this width of the window on, in pixels. */
const MIN_WIDTHS: readonly (readonly [WindowSize, number])[] = [
  ["wide", 1280],
  ["medium", 1100],
  ["small", 900],
];

export function windowSize(width: number): WindowSize {
  return MIN_WIDTHS.find(([, min]) => width >= min)?.[0] ?? "tiny";
}

/** Whether a part floats over the canvas instead of standing beside it. */
export function floats(part: Part, size: WindowSize): boolean {
  return part === "left" ? size !== "wide" : size === "small" || size === "tiny";
}
