/** From which zoom on the canvas shows a far view. */

/** Below this zoom, the canvas shows tiles in place of cards: icon, title and state. */
export const TILES_BELOW_ZOOM = 0.6;
/** Below this zoom, the titles of cards are larger than their cards are planned for: 13 units are less than 11 screen pixels. */
const LARGE_TITLES_BELOW_ZOOM = 11 / 13;
/** Below this zoom, only loops and frames have titles. */
export const MAP_BELOW_ZOOM = 0.25;
/** The sizes of what is in the page follow the zoom in steps of this ratio, so that no zoom computes all styles in each frame. */
const STEP_RATIO = 0.93;

export function isFar(zoom: number): boolean {
  return zoom < TILES_BELOW_ZOOM;
}

/** The level of detail at a zoom, as the style sheet knows it. */
export function detailAt(zoom: number): "far" | "middle" | "near" {
  if (isFar(zoom)) return "far";
  return zoom < LARGE_TITLES_BELOW_ZOOM ? "middle" : "near";
}

/** How many canvas units a screen pixel is, in steps: at least the real number, so that no text is smaller than planned. */
export function unitsPerPixel(zoom: number): number {
  const steps = Math.ceil(Math.log(zoom / TILES_BELOW_ZOOM) / Math.log(STEP_RATIO) - 1e-9);
  return 1 / (TILES_BELOW_ZOOM * STEP_RATIO ** steps);
}
