/** Values in a few words: for edges, cards, lists. */
import { isLargeInteger } from "@/design/json/exact-json";
import { plain } from "@/design/markdown/plain-text";
import { attachmentsIn } from "./attachments";

/** How much of a text is looked at; values may be megabytes. */
const MAX_INSPECTED_LENGTH = 400;

/** A one-line preview of a value: the text, its JSON, or its size. */
export function previewOf(value: unknown, limit = 80): string {
  if (value === undefined) return "";
  if (typeof value === "string") return `“${shorten(oneLine(value.slice(0, MAX_INSPECTED_LENGTH)), limit)}”`;
  if (value === null || typeof value === "number" || typeof value === "boolean") return String(value);
  if (isLargeInteger(value)) return value.$int;
  const attachments = attachmentsIn(value);
  if (attachments.length > 0) return shorten(attachments.map(({ name }) => name).join(", "), limit);
  if (Array.isArray(value)) return previewOfList(value, limit);
  return previewOfObject(value as Record<string, unknown>, limit);
}

/** The beginning of a question, which is Markdown, as one line of text. */
export function previewOfQuestion(prompt: string, limit = 80): string {
  return shorten(plain(prompt.slice(0, MAX_INSPECTED_LENGTH)), limit);
}

/** What passes on a context edge: which context. */
export function previewOfContext(value: unknown, limit = 80): string {
  const handle = value as { contextId?: unknown } | null;
  if (typeof handle?.contextId !== "string") return previewOf(value, limit);
  return handle.contextId;
}

/** What passes on a tools edge: the tools' names. */
export function previewOfTools(value: unknown, limit = 80): string {
  if (!Array.isArray(value)) return previewOf(value, limit);
  const names = value
    .map((tool) => (tool as { name?: unknown } | null)?.name)
    .filter((name) => typeof name === "string");
  return names.length === 0 ? "no tools" : shorten(names.join(", "), limit);
}

function previewOfList(list: readonly unknown[], limit: number): string {
  if (list.length === 0) return "[]";
  const count = `${list.length} ${list.length === 1 ? "item" : "items"}`;
  if (list.every((item) => typeof item !== "object" || item === null || isLargeInteger(item)) && list.length <= 8) {
    return shorten(`[${list.map((item) => previewOf(item, 24)).join(", ")}]`, limit);
  }
  return count;
}

function previewOfObject(object: Record<string, unknown>, limit: number): string {
  const keys = Object.keys(object);
  if (keys.length === 0) return "{}";
  const parts: string[] = [];
  let length = 0;
  for (const key of keys) {
    const inner = object[key];
    const preview =
      typeof inner === "object" && inner !== null && !isLargeInteger(inner)
        ? Array.isArray(inner)
          ? "[…]"
          : "{…}"
        : previewOf(inner, 32);
    parts.push(`${key}: ${preview}`);
    length += key.length + preview.length + 4;
    if (length > limit) break;
  }
  return shorten(`{${parts.join(", ")}${parts.length < keys.length ? ", …" : ""}}`, limit);
}

/** Markdown without its commonest marks: for places too small to draw it. */
export function plainText(markdown: string): string {
  return markdown
    .replace(/^\s{0,3}(#{1,6}|>|[-*+])\s+/gm, "")
    .replace(/(\*\*|__|`+|~~)/g, "")
    .replace(/\*(\S[^*\n]*)\*/g, "$1");
}

export function oneLine(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}

export function shorten(text: string, limit: number): string {
  return text.length <= limit ? text : `${text.slice(0, limit - 1).trimEnd()}…`;
}

/** The beginning of a text, cut between words. */
export function headOf(text: string, limit: number): string {
  const line = oneLine(text.slice(0, limit * 2 + 40));
  if (line.length <= limit) return line;
  const cut = line.lastIndexOf(" ", limit);
  return `${line.slice(0, cut > limit / 2 ? cut : limit)}…`;
}

/** The end of a text, cut between words. */
export function tailOf(text: string, limit: number): string {
  const line = oneLine(text.slice(-(limit * 2 + 40)));
  if (line.length <= limit) return line;
  const cut = line.indexOf(" ", line.length - limit);
  return `…${line.slice(cut >= 0 && cut < line.length - limit / 2 ? cut + 1 : line.length - limit)}`;
}
