/** How the title of a card is written on its tile: on one line, on two, shortened, or as initials. */

/** The sizes of titles, in screen pixels; none smaller can be read. */
const SIZES: readonly number[] = [13, 12, 11];
const LEAST_SIZE = 11;
/** The height of a line in units of the font size. */
export const LINE_HEIGHT = 1.2;
const MAX_LINES = 3;
/** A shortened title with fewer characters says less than initials. */
const MIN_SHOWN_CHARS = 5;

export type TileTitle = { lines: readonly string[]; size: number; withIcon: boolean };

/** Screen pixels. The icon takes a part of the width. */
export type Room = { width: number; height: number; icon: number };

/** The width of a text at a font size of one pixel. */
type WidthOf = (text: string) => number;

/** The title in a room, beside the icon or in its place; no lines where not even initials fit. */
export function fitTitle(title: string, room: Room, widthOf: WidthOf): TileTitle {
  const beside = { ...room, width: room.width - room.icon };
  const whole = wholeTitle(title, beside, widthOf);
  if (whole) return { ...whole, withIcon: true };
  const instead = wholeTitle(title, room, widthOf) ?? partOfTitle(title, room, widthOf);
  if (instead) return { ...instead, withIcon: false };
  const letters = initials(title);
  const count = linesIn(room, LEAST_SIZE) === 0 ? 0 : longestPart(letters, beside, widthOf);
  return { lines: count === 0 ? [] : [letters.slice(0, count)], size: LEAST_SIZE, withIcon: true };
}

/** Whether all of a title can be read in a room. */
export function isTitleWhole(title: string, room: Room, widthOf: WidthOf): boolean {
  return wholeTitle(title, room, widthOf) !== undefined;
}

type Written = Omit<TileTitle, "withIcon">;

/** All of the title: on one line as large as it fits, else on two, or on three where the card is high. */
function wholeTitle(title: string, room: Room, widthOf: WidthOf): Written | undefined {
  const widest = room.width / LEAST_SIZE;
  const size = SIZES.find((one) => widthOf(title) * one <= room.width && linesIn(room, one) >= 1);
  if (size !== undefined) return { lines: [title], size };
  const lines: string[] = [];
  let rest = title;
  for (let free = Math.min(MAX_LINES, linesIn(room, LEAST_SIZE)); free > 0; free -= 1) {
    if (widthOf(rest) <= widest) return { lines: [...lines, rest], size: LEAST_SIZE };
    const start = longestStart(rest, widest, widthOf);
    if (start === undefined) return undefined;
    lines.push(start);
    rest = rest.slice(start.length).trim();
  }
  return undefined;
}

/** The beginning of the title, if enough of it fits. */
function partOfTitle(title: string, room: Room, widthOf: WidthOf): Written | undefined {
  const lineCount = linesIn(room, LEAST_SIZE);
  if (lineCount === 0) return undefined;
  const widest = room.width / LEAST_SIZE;
  const first = lineCount >= 2 ? longestStart(title, widest, widthOf) : undefined;
  const last = shortened(title.slice(first?.length ?? 0).trim(), widest, widthOf);
  if (last === "" || (first?.length ?? 0) + last.length <= MIN_SHOWN_CHARS) return undefined;
  return { lines: first === undefined ? [last] : [first, last], size: LEAST_SIZE };
}

/** How many of the letters fit. */
function longestPart(letters: string, { width }: Room, widthOf: WidthOf): number {
  let count = letters.length;
  while (count > 0 && widthOf(letters.slice(0, count)) * LEAST_SIZE > width) count -= 1;
  return count;
}

function linesIn({ height }: Room, size: number): number {
  return Math.floor(height / (size * LINE_HEIGHT));
}

/** As many whole words, or parts of `snake_case`, as fit, but not all of them; undefined if not even the first one fits. */
function longestStart(title: string, widest: number, widthOf: WidthOf): string | undefined {
  let found: string | undefined;
  for (const { index } of title.matchAll(/\s+|(?<=[_-])(?=[^_-])/g)) {
    const start = title.slice(0, index);
    if (widthOf(start) > widest) break;
    found = start;
  }
  return found;
}

/** A text, or its beginning with an ellipsis; empty if nothing of it fits. */
export function shortened(text: string, widest: number, widthOf: WidthOf): string {
  if (widthOf(text) <= widest) return text;
  for (let length = text.length - 1; length > 0; length -= 1) {
    const start = `${text.slice(0, length).trimEnd()}…`;
    if (widthOf(start) <= widest) return start;
  }
  return "";
}

/** The first letters of up to three words; of a single word, its first two. */
function initials(title: string): string {
  const words = title.split(/[\s_-]+/).filter((word) => word !== "");
  if (words.length < 2) return title.slice(0, 2);
  return words
    .slice(0, 3)
    .map((word) => word.charAt(0).toUpperCase())
    .join("");
}
