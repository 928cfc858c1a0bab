/** Where a passage stands in the text of its source. Offsets count bytes of UTF-8, as the host counts them. */
import type { SourceText } from "@/bindings";

export type SourceParts = { before: string; passage: string; after: string };

/** The text before, in and behind the passage. A passage that lies outside of the text is empty. */
export function splitAt(source: Pick<SourceText, "text" | "offset">, offset: number, length: number): SourceParts {
  const bytes = new TextEncoder().encode(source.text);
  const start = Math.min(Math.max(0, offset - source.offset), bytes.length);
  const end = Math.min(start + length, bytes.length);
  const text = (from: number, to: number) => new TextDecoder().decode(bytes.subarray(from, to));
  return { before: text(0, start), passage: text(start, end), after: text(end, bytes.length) };
}
