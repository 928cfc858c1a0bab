import { expect, it } from "vitest";
import { type Page, readSections } from "./pages";
import { searchGuide } from "./search";

const PAGES: readonly Page[] = [
  ["a.md", "Contexts", "# Contexts\n\nA context has one writer.\n\n## Isolated\n\nIt has a history of its own."],
  ["b.md", "Debugging", "# Debugging\n\nLook at the context of a node."],
].map(([file = "", title = "", text = ""]) => ({ file, title, text, sections: readSections(text) }));

const found = (query: string) => searchGuide(PAGES, query).map(({ section }) => section.heading);

it("finds sections with all words, titles first", () => {
  expect(found("CONTEXT")).toEqual(["Contexts", "Debugging"]);
  expect(found("history own")).toEqual(["Isolated"]);
  expect(found("context history")).toEqual([]);
  expect(found(" ")).toEqual([]);
});

it("shows the text around the words", () => {
  const [first] = searchGuide(PAGES, "writer");
  expect(first?.excerpt).toBe("A context has one writer.");
});
