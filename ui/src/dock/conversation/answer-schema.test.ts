import { describe, expect, it } from "vitest";
import { answerForm, isShortForm, skeleton } from "./answer-schema";

describe("the form of an answer", () => {
  it.each([
    [{ type: "string" }, "text"],
    [{ type: ["string", "null"] }, "text"],
    [{}, "text"],
    [{ type: "boolean" }, "yesNo"],
    [{ type: "integer" }, "number"],
    [{ enum: ["red", "green"] }, "choice"],
    [{ type: "object", properties: { approved: { type: "boolean" }, comment: { type: "string" } } }, "approval"],
    [{ type: "object", properties: { approved: { type: "boolean" } } }, "approval"],
    [{ type: "object", properties: { approved: { type: "boolean" }, a: { type: "number" } } }, "json"],
    [{ type: "object", properties: { name: { type: "string" } } }, "json"],
    [{ anyOf: [{ type: "string" }, { type: "number" }] }, "json"],
    [{ $ref: "#/$defs/x" }, "json"],
    [{ type: "array" }, "json"],
  ])("%j asks for %s", (schema, kind) => {
    expect(answerForm(schema).kind).toBe(kind);
  });

  it("starts from the required fields", () => {
    expect(
      skeleton({
        type: "object",
        required: ["name", "tags", "age"],
        properties: {
          name: { type: "string" },
          tags: { type: "array" },
          age: { type: "integer", default: 7 },
          extra: {},
        },
      }),
    ).toEqual({ name: "", tags: [], age: 7 });
  });
});

it.each([
  [{ type: "boolean" }, true],
  [{ enum: ["a", "b"] }, true],
  [{ enum: Array.from({ length: 12 }, (_, index) => index) }, false],
  [{ type: "object", properties: { a: { type: "string" }, b: { type: "number" } } }, false],
])("keeps short forms alone in sight: %j", (schema, short) => {
  expect(isShortForm(answerForm(schema))).toBe(short);
});
