import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import nodeTypes from "@/bindings/nodes.json";
import { isExternal } from "@/design/markdown/DocumentText";
import { headingAnchor } from "@/design/markdown/heading-anchor";
import { FIRST_PAGE, NODE_REFERENCE } from "@/workspace/guide";
import { DOCUMENTS, IMAGE_ADDRESSES, PAGES, placeOfLink, readSections } from "./pages";

const LINK = /(?<!!)\[[^\]]*\]\(([^)\s]+)\)/g;

/** The text of a page without code. */
function withoutCode(text: string): string {
  return text.replace(/^\s*```[\s\S]*?^\s*```/gm, "").replace(/`[^`\n]*`/g, "");
}

describe("the pages of the guide", () => {
  it("are all in the summary, once", () => {
    const files = [...DOCUMENTS.keys()].filter((file) => file !== "SUMMARY.md").sort();
    expect(PAGES.map((page) => page.file).sort()).toEqual(files);
  });

  it("begin with a heading", () => {
    for (const page of PAGES) expect(page.sections[0]?.heading, page.file).toBeTruthy();
  });

  it("have links that lead to pages and headings which exist", () => {
    const broken = PAGES.flatMap(({ file, text }) =>
      [...withoutCode(text).matchAll(LINK)]
        .map(([, href = ""]) => href)
        .filter((href) => {
          if (isExternal(href)) return false;
          const place = placeOfLink(href, file);
          const target = PAGES.find((page) => page.file === place?.page);
          if (!place || !target) return true;
          return place.anchor !== undefined && !target.sections.some(({ anchor }) => anchor === place.anchor);
        })
        .map((href) => `${file}: ${href}`),
    );
    expect(broken).toEqual([]);
  });

  it("show every image that the tests of the window take, and no other", () => {
    const root = join(import.meta.dirname, "../../../..");
    const read = (path: string) => readFileSync(join(root, path), "utf8");
    const namesIn = (text: string, pattern: RegExp) => [...text.matchAll(pattern)].map(([, name = ""]) => name);
    const files = readdirSync(join(root, "tests/desktop/window"), { recursive: true, encoding: "utf8" });
    const tests = files.filter((file) => file.endsWith(".rs")).map((file) => read(`tests/desktop/window/${file}`));
    const taken = tests.flatMap((text) => namesIn(text, /guide_picture\("([^"]+)"\)/g)).map((name) => `${name}.png`);
    const shown = PAGES.flatMap(({ text }) => namesIn(text, /!\[[^\]]+\]\(images\/([^)\s]+)\)/g));
    const inReadme = namesIn(read("README.md"), /!\[[^\]]+\]\(docs\/images\/([^)\s]+)\)/g);
    expect([...new Set(taken)].sort()).toEqual([...IMAGE_ADDRESSES.keys()].sort());
    expect([...new Set([...shown, ...inReadme])].sort()).toEqual([...IMAGE_ADDRESSES.keys()].sort());
  });

  it("have a heading for each node type, and the page that the guide begins with", () => {
    const reference = PAGES.find((page) => page.file === NODE_REFERENCE);
    const anchors = reference?.sections.map(({ anchor }) => anchor) ?? [];
    for (const { title } of nodeTypes) expect(anchors).toContain(headingAnchor(title));
    expect(PAGES[0]?.file).toBe(FIRST_PAGE);
  });
});

describe("readSections", () => {
  it("takes no heading from code, and counts headings of the same text", () => {
    const sections = readSections("# One\n\n```\n# no heading\n```\n\n## Two `x`\n\ntext\n\n## Two x\n");
    expect(sections.map(({ heading, anchor }) => [heading, anchor])).toEqual([
      ["One", "one"],
      ["Two x", "two-x"],
      ["Two x", "two-x-1"],
    ]);
  });
});
