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

/** How much room there is, and whether the left panel stands beside the canvas where there is enough. */
export type Room = { size: WindowSize; pinned: boolean };

/** Whether a part floats over the canvas instead of standing beside it. */
export function floats(part: Part, { size, pinned }: Room): boolean {
  return part === "left" ? size !== "wide" || !pinned : size === "small" || size === "tiny";
}
