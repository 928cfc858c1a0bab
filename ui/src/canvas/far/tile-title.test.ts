import { expect, it } from "vitest";
import { fitTitle } from "./tile-title";

/** Each character is as wide as its font is high. */
const widthOf = (text: string) => text.length;
const titleIn = (title: string, width: number, height: number, icon = 0) =>
  fitTitle(title, { width, height, icon }, widthOf);

it("writes a title as large as it fits on one line, and never below eleven pixels", () => {
  expect(titleIn("Answer", 200, 40)).toMatchObject({ lines: ["Answer"], size: 13 });
  expect(titleIn("Answer", 6 * 12, 40)).toMatchObject({ lines: ["Answer"], size: 12 });
  expect(titleIn("Answer", 6 * 11, 40)).toMatchObject({ lines: ["Answer"], size: 11 });
});

it("writes a longer title on two lines, divided between words", () => {
  expect(titleIn("Ask the customer", 11 * 8, 40).lines).toEqual(["Ask the", "customer"]);
});

it("leaves the icon out where the title fits in its place", () => {
  expect(titleIn("Classify", 11 * 10, 20, 22)).toMatchObject({ lines: ["Classify"], withIcon: true });
  expect(titleIn("Classify", 11 * 9, 20, 22)).toMatchObject({ lines: ["Classify"], withIcon: false });
});

it("writes a title on three lines where its card is high", () => {
  expect(titleIn("Ask the customer again", 11 * 8, 40)).toMatchObject({ lines: ["Ask the", "customer", "again"] });
  expect(titleIn("Ask the customer again", 11 * 8, 40, 11)).toMatchObject({ withIcon: false });
});

it("shortens what fits on no lines while enough of it is seen", () => {
  expect(titleIn("Ask the customer again", 11 * 8, 30).lines).toEqual(["Ask the", "custome…"]);
  expect(titleIn("Summarization", 11 * 8, 40, 22)).toMatchObject({ lines: ["Summari…"], withIcon: false });
});

it("uses one line where there is no height for two", () => {
  expect(titleIn("Ask the customer", 11 * 8, 20).lines).toEqual(["Ask the…"]);
});

it("writes initials beside the icon where less could be read", () => {
  expect(titleIn("Ask the customer", 11 * 5, 20, 22)).toMatchObject({ lines: ["ATC"], withIcon: true });
  expect(titleIn("Ask the customer", 11 * 4, 20, 22).lines).toEqual(["AT"]);
  expect(titleIn("Summarization", 11 * 5, 20, 22).lines).toEqual(["Su"]);
});

it("writes nothing where no letter fits", () => {
  expect(titleIn("Answer", 8, 40).lines).toEqual([]);
  expect(titleIn("Answer", 200, 10).lines).toEqual([]);
});
