/** Finding node types by what people type: title first, then terms, then the line that describes them. */
import type { NodeDescriptor } from "@/bindings";

/** The types that match every word, best first; all of them, in their own order, for an empty query. */
export function searchTypes(types: readonly NodeDescriptor[], query: string): readonly NodeDescriptor[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return types;
  return types
    .map((type, order) => ({ type, order, score: Math.min(...words.map((word) => score(type, word))) }))
    .filter((found) => found.score > 0)
    .sort((a, b) => b.score - a.score || a.order - b.order)
    .map((found) => found.type);
}

function score(type: NodeDescriptor, word: string): number {
  const title = type.title.toLowerCase();
  if (title.startsWith(word)) return 6;
  if (title.split(" ").some((part) => part.startsWith(word))) return 5;
  if (title.includes(word) || type.type.toLowerCase().includes(word)) return 4;
  if (type.terms.some((term) => term.toLowerCase().startsWith(word))) return 3;
  if (type.terms.some((term) => term.toLowerCase().includes(word))) return 2;
  return type.summary.toLowerCase().includes(word) || type.category.startsWith(word) ? 1 : 0;
}
