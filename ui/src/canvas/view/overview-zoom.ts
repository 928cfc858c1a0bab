/** When a picture takes the place of the cards. */

/** From this many nodes on, only what is in view is in the page. */
export const MANY_NODES = 250;
/** Below this zoom a card is less than 40 pixels wide. */
const OVERVIEW_BELOW_ZOOM = 0.18;

export function isOverview(count: number, zoom: number): boolean {
  return count > MANY_NODES && zoom < OVERVIEW_BELOW_ZOOM;
}
