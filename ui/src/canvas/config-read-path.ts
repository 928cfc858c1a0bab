/** The line of what a config reads from another node without an edge: from below one card to below another, under the cards between them. */
import type { Box } from "@/flow/align";
import type { Curve } from "./paths";

/** How far below the cards it runs. */
const DROP = 26;
const CORNER = 6;
/** Cards further down than this belong to another part of the flow, and the line runs behind them. */
const MAX_DETOUR = 400;

export function configReadPath(from: Box, to: Box, cards: readonly Box[]): Curve {
  const [start, end] = [from.x + from.width / 2, to.x + to.width / 2];
  const [left, right] = [Math.min(start, end), Math.max(start, end)];
  const [bottom, other] = [from.y + from.height, to.y + to.height];
  const least = Math.max(bottom, other) + DROP;
  let lane = least;
  // Below each card that it would cross, from the top down: going below one may lead into the next.
  for (const card of [...cards].sort((a, b) => a.y - b.y)) {
    const crosses = card.x < right && card.x + card.width > left && card.y - DROP < lane;
    const below = card.y + card.height + DROP;
    if (crosses && below > lane && below < least + MAX_DETOUR) lane = below;
  }
  const corner = Math.min(CORNER, (right - left) / 2);
  const turn = end >= start ? corner : -corner;
  return {
    d: `M${start} ${bottom} V${lane - corner} Q${start} ${lane} ${start + turn} ${lane} H${end - turn} Q${end} ${lane} ${end} ${lane - corner} V${other}`,
    label: { x: (start + end) / 2, y: lane },
  };
}
