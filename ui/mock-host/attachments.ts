/** Images and files: kept in memory; what they are follows from their first bytes. */
import type { Attachment } from "@/bindings";
import { HostError } from "@/ipc/host";
import type { Commands } from "./commands";

/** Types by the beginning of the bytes in base64. */
const TYPES: Record<string, string> = {
  iVBORw: "image/png",
  "/9j/": "image/jpeg",
  R0lGOD: "image/gif",
  JVBERi: "application/pdf",
};

export function mockAttachments(): Commands {
  const stored = new Map<string, string>();
  return {
    "attachment.add": async ({ name, data }: { name: string; data: string }): Promise<Attachment> => {
      const bytes = Uint8Array.from(atob(data), (char) => char.charCodeAt(0));
      const mediaType = Object.entries(TYPES).find(([start]) => data.startsWith(start))?.[1];
      if (bytes.length === 0) {
        throw new HostError({ code: "attachment.empty", message: `The file \`${name}\` is empty.` });
      }
      if (mediaType === undefined && bytes.includes(0)) {
        const message = `The file \`${name}\` is no image, PDF or text that can be attached.`;
        throw new HostError({ code: "attachment.unknown_type", message });
      }
      const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
      const hash = [...digest].map((byte) => byte.toString(16).padStart(2, "0")).join("");
      stored.set(hash, data);
      return { hash, mediaType: mediaType ?? "text/plain", name, bytes: bytes.length };
    },
    "attachment.get": ({ hash }: { hash: string }) => {
      const data = stored.get(hash);
      if (data !== undefined) return { data };
      const message = `The bytes of the attachment \`${hash}\` are not stored here.`;
      throw new HostError({ code: "attachment.missing", message });
    },
  };
}
