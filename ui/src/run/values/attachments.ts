/** Images and files of messages and values. They are references: the host has the bytes. */
import type { Attachment, Content } from "@/bindings";
import { TAKES_ATTACHMENTS } from "@/bindings/constants";

/** The attachments of a message. */
export function attachmentsOf(content: Content): Attachment[] {
  if (typeof content === "string") return [];
  return content.flatMap((part) => (part.type === "attachment" ? [part] : []));
}

/** The attachments that a value is: one, or a list of nothing else. */
export function attachmentsIn(value: unknown): Attachment[] {
  const values: unknown[] = Array.isArray(value) ? value : [value];
  return values.every(isAttachment) ? values : [];
}

/** Values may be megabytes; images are found among this many of their parts. */
const MAX_SEARCHED_PARTS = 10_000;

/** Every attachment anywhere in a value, each once, in the order in which they come. */
export function attachmentsWithin(value: unknown): Attachment[] {
  const found = new Map<string, Attachment>();
  const left: unknown[] = [value];
  for (let parts = 0; left.length > 0 && parts < MAX_SEARCHED_PARTS; parts += 1) {
    const part = left.pop();
    if (typeof part !== "object" || part === null) continue;
    if (isAttachment(part)) {
      if (!found.has(part.hash)) found.set(part.hash, part);
    } else left.push(...Object.values(part).slice(0, MAX_SEARCHED_PARTS).reverse());
  }
  return [...found.values()];
}

export function isImage({ mediaType }: Attachment): boolean {
  return mediaType.startsWith("image/");
}

function isAttachment(value: unknown): value is Attachment {
  return typeof value === "object" && value !== null && "type" in value && value.type === "attachment";
}

/** Whether a question takes images and files with its answer. */
export function takesAttachments(schema: Record<string, unknown>): boolean {
  return schema[TAKES_ATTACHMENTS] === true;
}

/** Its size for people: `68 bytes`, `1.2 MB`. */
export function formatBytes(bytes: number): string {
  if (bytes < 1000) return `${bytes} bytes`;
  return bytes < 1_000_000 ? `${Math.round(bytes / 1000)} KB` : `${(bytes / 1_000_000).toFixed(1)} MB`;
}
