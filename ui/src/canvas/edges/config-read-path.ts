/** The line of what a config reads from another node without an edge: from below one card to below another, under the cards between them. */

import type { Curve } from "@/canvas/measure/paths";
import type { Box } from "@/flow/align/align";

/** How far below the cards it runs. */
const DROP = 26;
const CORNER = 6;
/** Cards further down than this belong to another part of the flow, and the line runs behind them. */
const MAX_DETOUR = 400;

/** The cards of the canvas from the top down, and how high the highest is. */
export type CardIndex = { cards: readonly Box[]; maxHeight: number };

export function indexCards(boxes: readonly Box[]): CardIndex {
  return {
    cards: boxes.toSorted((a, b) => a.y - b.y),
    maxHeight: boxes.reduce((highest, { height }) => Math.max(highest, height), 0),
  };
}

export function configReadPath(from: Box, to: Box, { cards, maxHeight }: CardIndex): Pick<Curve, "d" | "label"> {
  const [start, end] = [from.x + from.width / 2, to.x + to.width / 2];
  const [left, right] = [Math.min(start, end), Math.max(start, end)];
  const [bottom, other] = [from.y + from.height, to.y + to.height];
  const least = Math.max(bottom, other) + DROP;
  let lane = least;
  // Below each card that it would cross, from the top down: going below one may lead into the next.
  for (let index = firstAt(cards, least - DROP - maxHeight); index < cards.length; index += 1) {
    const card = cards[index];
    if (!card || card.y - DROP >= lane) break;
    const below = card.y + card.height + DROP;
    const crosses = card.x < right && card.x + card.width > left;
    if (crosses && below > lane && below < least + MAX_DETOUR) lane = below;
  }
  const corner = Math.min(CORNER, (right - left) / 2);
  const turn = end >= start ? corner : -corner;
  return {
    d: `M${start} ${bottom} V${lane - corner} Q${start} ${lane} ${start + turn} ${lane} H${end - turn} Q${end} ${lane} ${end} ${lane - corner} V${other}`,
    label: { x: (start + end) / 2, y: lane },
  };
}

/** The index of the first card that is at a height or below it. */
function firstAt(cards: readonly Box[], y: number): number {
  let [low, high] = [0, cards.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((cards[middle]?.y ?? 0) < y) low = middle + 1;
    else high = middle;
  }
  return low;
}
