import { expect, it } from "vitest";
import { saidIn } from "./message-text";

it("tells of what is no text where it stands", () => {
  expect(saidIn("Hello")).toBe("Hello");
  const image = { type: "image", media_type: "image/png", data: "AAAA" } as const;
  expect(saidIn([{ type: "text", text: "See" }, image])).toBe("See\n[Image, image/png]");
});
