/** From which zoom on the canvas shows a far view, and for which zooms it is drawn. */

/** Below this zoom, cards are tiles: icon, title and state. */
export const TILES_BELOW_ZOOM = 0.6;
/** Below this zoom, only loops and frames have titles. */
export const MAP_BELOW_ZOOM = 0.25;
/** The far view follows the zoom in steps of this ratio, so that it is not drawn again in each frame of a zoom. */
const STEP_RATIO = 0.93;

/** The zoom that the far view is drawn for: at most the real one, so that no title is smaller than planned. Undefined near by. */
export function farZoomAt(zoom: number): number | undefined {
  if (zoom >= TILES_BELOW_ZOOM) return undefined;
  const steps = Math.ceil(Math.log(zoom / TILES_BELOW_ZOOM) / Math.log(STEP_RATIO) - 1e-9);
  return TILES_BELOW_ZOOM * STEP_RATIO ** steps;
}
