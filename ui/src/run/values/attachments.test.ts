import { expect, it } from "vitest";
import { attachmentsIn, attachmentsOf, attachmentsWithin, formatBytes, takesAttachments } from "./attachments";

const photo = { type: "attachment", hash: "00", mediaType: "image/png", name: "photo.png", bytes: 68 } as const;

it("finds the attachments of a message", () => {
  expect(attachmentsOf("Hello")).toEqual([]);
  expect(attachmentsOf([{ type: "text", text: "See" }, photo])).toEqual([photo]);
});

it("takes a value for attachments only if it is nothing else", () => {
  expect(attachmentsIn(photo)).toEqual([photo]);
  expect(attachmentsIn([photo, photo])).toEqual([photo, photo]);
  for (const value of [null, "x", [], [photo, 1], { type: "text" }]) expect(attachmentsIn(value)).toEqual([]);
});

it("finds the attachments anywhere in a value, each once and in order", () => {
  const other = { ...photo, hash: "01" };
  const value = { outputs: { data: [{ picture: photo }, "x", null], more: { deep: [other, photo] } } };
  expect(attachmentsWithin(value)).toEqual([photo, other]);
  expect(attachmentsWithin(photo)).toEqual([photo]);
  expect(attachmentsWithin({ type: "text", hash: "00" })).toEqual([]);
});

it("knows from its schema whether a question takes attachments", () => {
  expect(takesAttachments({ type: "string", "x-attachments": true })).toBe(true);
  expect(takesAttachments({ type: "string" })).toBe(false);
});

it("formats sizes", () => {
  expect([68, 1_500, 2_340_000].map(formatBytes)).toEqual(["68 bytes", "2 KB", "2.3 MB"]);
});
