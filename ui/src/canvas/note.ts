import type { Node } from "@/bindings";

/** The node type that is a comment on the canvas. */
export const NOTE = "note";

/** The field of a note's config that holds its Markdown. */
export const NOTE_FIELD = "text";

export function noteText(node: Node): string {
  const text = node.config?.[NOTE_FIELD];
  return typeof text === "string" ? text : "";
}
