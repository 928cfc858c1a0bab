/** The text of a message, for display. */
import type { Content } from "@/bindings";

/** Its text, with placeholders for other media. */
export function messageText(content: Content): string {
  if (typeof content === "string") return content;
  return content.map((part) => (part.type === "text" ? part.text : `[Image, ${part.media_type}]`)).join("\n");
}
