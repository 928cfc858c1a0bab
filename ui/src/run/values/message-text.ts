/** A message as people read it. */
import type { Content } from "@/bindings";

/** Its text; where something stands in it that is none, what that is. */
export function messageText(content: Content): string {
  if (typeof content === "string") return content;
  return content.map((part) => (part.type === "text" ? part.text : `[Image, ${part.media_type}]`)).join("\n");
}
