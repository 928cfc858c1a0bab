/** Cuts Markdown that is still growing where it will not change any more. */

import { fenceAfter } from "@/design/markdown/growing-markdown";

export type MarkdownBlock = { at: number; text: string };

/** Longer lines are split into blocks: otherwise each word would parse and lay out the whole line again. */
const MAX_BLOCK_LENGTH = 1_500;

/** Paragraphs and fences, each with the place where it begins. All but the last stay as they are while text is added. */
export function blocksOf(text: string): MarkdownBlock[] {
  const blocks: MarkdownBlock[] = [];
  const add = (from: number, to: number) => {
    let at = from;
    while (to - at > MAX_BLOCK_LENGTH && !text.slice(at, at + MAX_BLOCK_LENGTH).includes("\n")) {
      const space = text.lastIndexOf(" ", at + MAX_BLOCK_LENGTH - 1);
      if (space <= at) break;
      blocks.push({ at, text: text.slice(at, space) });
      at = space + 1;
    }
    blocks.push({ at, text: text.slice(at, to) });
  };
  let start = 0;
  let fence: string | undefined;
  let line = 0;
  while (line < text.length) {
    const newline = text.indexOf("\n", line);
    const end = newline < 0 ? text.length : newline;
    fence = fenceAfter(text.slice(line, end), fence);
    // A blank line ends a block, unless the next line is indented and so may belong to a list above.
    const blank = end === line && fence === undefined;
    const after = text[end + 1];
    if (blank && line > start && after !== undefined && !/[\s\-*+\d|>]/.test(after)) {
      add(start, line);
      start = end + 1;
    }
    line = end + 1;
  }
  if (start < text.length) add(start, text.length);
  return blocks;
}
