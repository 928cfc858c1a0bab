/** Images and files of messages and values. They are references: the host has the bytes. */
import type { Attachment, Content } from "@/bindings";

/** What is attached to a message. */
export function attachmentsOf(content: Content): Attachment[] {
  if (typeof content === "string") return [];
  return content.flatMap((part) => (part.type === "attachment" ? [part] : []));
}

/** The attachments that a value is: one, or a list of nothing else. */
export function attachmentsIn(value: unknown): Attachment[] {
  const values: unknown[] = Array.isArray(value) ? value : [value];
  return values.every(isAttachment) ? values : [];
}

function isAttachment(value: unknown): value is Attachment {
  return typeof value === "object" && value !== null && "type" in value && value.type === "attachment";
}

/** Whether a question takes images and files with its answer; see `attachment::TAKES_ATTACHMENTS` of the engine. */
export function takesAttachments(schema: Record<string, unknown>): boolean {
  return schema["x-attachments"] === true;
}

/** Its size for people: `68 bytes`, `1.2 MB`. */
export function formatBytes(bytes: number): string {
  if (bytes < 1000) return `${bytes} bytes`;
  return bytes < 1_000_000 ? `${Math.round(bytes / 1000)} KB` : `${(bytes / 1_000_000).toFixed(1)} MB`;
}
