/** The text of a message, for display. */
import type { Content } from "@/bindings";

/** Its text, with the names of attachments. */
export function messageText(content: Content): string {
  if (typeof content === "string") return content;
  return content.map((part) => (part.type === "text" ? part.text : `[${part.name}]`)).join("\n");
}

/** Its text alone, where attachments are shown beside it. */
export function plainMessageText(content: Content): string {
  if (typeof content === "string") return content;
  return content.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");
}
