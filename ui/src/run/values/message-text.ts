/** The text of a message, for display. */
import type { Attachment, Content } from "@/bindings";
import { attachmentsOf } from "./attachments";

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

/** Its text, with a label for each attachment of these media types: what a model receives that can't take them. */
export function textWithLabels(content: Content, mediaTypes: readonly string[]): string {
  if (typeof content === "string") return content;
  const named = attachmentsOf(content).filter(({ mediaType }) => mediaTypes.includes(mediaType));
  return [plainMessageText(content), ...named.map(attachmentLabel)].filter(Boolean).join("\n");
}

function attachmentLabel({ mediaType, name, bytes }: Attachment): string {
  const kind = mediaType === "application/pdf" ? "PDF" : mediaType === "text/plain" ? "text file" : "image";
  return `[${kind}: ${name}, ${bytes} bytes]`;
}
