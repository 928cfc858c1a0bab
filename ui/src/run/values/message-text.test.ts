import { expect, it } from "vitest";
import { messageText } from "./message-text";

it("has placeholders for media", () => {
  expect(messageText("Hello")).toBe("Hello");
  const image = { type: "image", media_type: "image/png", data: "AAAA" } as const;
  expect(messageText([{ type: "text", text: "See" }, image])).toBe("See\n[Image, image/png]");
});
