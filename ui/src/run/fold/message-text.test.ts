import { expect, it } from "vitest";
import { messageText, plainMessageText } from "./message-text";

const image = { type: "attachment", hash: "00", mediaType: "image/png", name: "photo.png", bytes: 68 } as const;

it("names what is attached in its place", () => {
  expect(messageText("Hello")).toBe("Hello");
  expect(messageText([{ type: "text", text: "See" }, image])).toBe("See\n[photo.png]");
});

it("leaves out what is attached where it is shown beside the text", () => {
  expect(plainMessageText("Hello")).toBe("Hello");
  expect(plainMessageText([{ type: "text", text: "See" }, image])).toBe("See");
});
