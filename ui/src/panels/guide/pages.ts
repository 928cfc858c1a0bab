/** The pages of the guide, as `docs/` has them: their list, headings and links. */
import { headingAnchors } from "@/design/markdown/heading-anchor";
import type { GuidePlace } from "@/workspace/guide";

export type Page = { file: string; title: string; text: string; sections: readonly Section[] };

/** A part of a page below one heading. */
export type Section = { heading: string; anchor: string; text: string };

/** A chapter list of the guide: pages under a title. */
export type GuidePart = { title: string; pages: readonly Page[] };

const SUMMARY = "SUMMARY.md";
const HEADING = /^(#{1,6})\s+(.*?)\s*#*$/;
const FENCE = /^\s*(?:```|~~~)/;

const SOURCES: Readonly<Record<string, string>> = import.meta.glob<string>("../../../../docs/*.md", {
  query: "?raw",
  import: "default",
  eager: true,
});

/** The text of each file of `docs/`, by its name. */
export const DOCUMENTS: ReadonlyMap<string, string> = new Map(
  Object.entries(SOURCES).map(([path, text]) => [path.slice(path.lastIndexOf("/") + 1), text]),
);

const IMAGES: Readonly<Record<string, string>> = import.meta.glob<string>("../../../../docs/images/*.png", {
  query: "?url",
  import: "default",
  eager: true,
});

/** The address of each image of `docs/images/`, by its name. */
export const IMAGE_ADDRESSES: ReadonlyMap<string, string> = new Map(
  Object.entries(IMAGES).map(([path, address]) => [path.slice(path.lastIndexOf("/") + 1), address]),
);

/** Where the image is that a page names. */
export function imageAddress(src: string): string | undefined {
  const [, name] = /^images\/([^/]+)$/.exec(src) ?? [];
  return name === undefined ? undefined : IMAGE_ADDRESSES.get(name);
}

export const GUIDE: readonly GuidePart[] = readSummary(DOCUMENTS.get(SUMMARY) ?? "");
export const PAGES: readonly Page[] = GUIDE.flatMap((part) => part.pages);

/** The parts and pages that a summary lists, in its order. */
function readSummary(summary: string): GuidePart[] {
  const parts: { title: string; pages: Page[] }[] = [];
  for (const line of summary.split("\n")) {
    const [, title] = /^# (.+)$/.exec(line) ?? [];
    if (title !== undefined) parts.push({ title, pages: [] });
    const [, name, file] = /^\s*[-*] \[(.+?)\]\((?:\.\/)?(.+?\.md)\)/.exec(line) ?? [];
    if (name === undefined || file === undefined) continue;
    const text = DOCUMENTS.get(file) ?? "";
    parts.at(-1)?.pages.push({ file, title: name, text, sections: readSections(text) });
  }
  return parts.filter((part) => part.pages.length > 0);
}

/** The parts of a page between its headings. A line of code is never a heading. */
export function readSections(text: string): Section[] {
  const anchor = headingAnchors();
  const sections: { heading: string; anchor: string; lines: string[] }[] = [];
  let isCode = false;
  for (const line of text.split("\n")) {
    if (FENCE.test(line)) isCode = !isCode;
    const heading = isCode ? undefined : HEADING.exec(line)?.[2];
    if (heading === undefined) sections.at(-1)?.lines.push(line);
    else {
      const plain = withoutMarks(heading);
      sections.push({ heading: plain, anchor: anchor(plain), lines: [] });
    }
  }
  return sections.map(({ lines, ...section }) => ({ ...section, text: withoutMarks(lines.join("\n")) }));
}

/** Markdown as a person reads it, on one line. */
function withoutMarks(text: string): string {
  return text
    .replace(/^\s*(?:```|~~~).*$/gm, " ")
    .replace(/^[\s|:-]+$/gm, " ")
    .replace(/^\s*(?:[-*]|\d+\.) /gm, "")
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replace(/<\/?kbd>/g, "")
    .replace(/\*\*|`|\|/g, "")
    .replace(/(^|\s|\()\*(\S[^*]*)\*/g, "$1$2")
    .replace(/\s+/g, " ")
    .trim();
}

/** Where a link on a page leads within the guide; nothing for a file that is no page. */
export function placeOfLink(href: string, from: string): GuidePlace | undefined {
  const [path = "", anchor] = href.split("#");
  const page = path === "" ? from : path.replace(/^\.\//, "");
  if (!DOCUMENTS.has(page)) return undefined;
  return anchor === undefined ? { page } : { page, anchor: decodeURIComponent(anchor) };
}

/** The pages before and after one. */
export function neighborsOf(file: string): { previous?: Page; next?: Page } {
  const index = PAGES.findIndex((page) => page.file === file);
  return index < 0 ? {} : { previous: PAGES[index - 1], next: PAGES[index + 1] };
}
