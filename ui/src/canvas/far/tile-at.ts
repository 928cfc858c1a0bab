/** Which tile is at a place. */
import { contains } from "@/canvas/measure/boxes";
import type { Box, Point } from "@/flow/align/align";
import { LOOP_HEADER } from "@/flow/containers/container-box";
import type { Tile } from "./tiles";

/** The least height of a loop's header where it can be pressed, in screen pixels. */
export const MIN_BAR_HEIGHT = 18;

/**
 * The uppermost tile at a place of the canvas: of a loop, only its header, since its body is canvas. `tiles` are in the order in
 * which they cover each other.
 */
export function tileAt(tiles: readonly Tile[], at: Point, zoom: number): Tile | undefined {
  return tiles.findLast(({ kind, box }) => contains(kind === "loop" ? barOf(box, zoom) : box, at));
}

/** The header of a loop, which grows upward where it would be too low. */
function barOf({ x, y, width }: Box, zoom: number): Box {
  const height = Math.max(LOOP_HEADER, MIN_BAR_HEIGHT / zoom);
  return { x, y: y + LOOP_HEADER - height, width, height };
}
