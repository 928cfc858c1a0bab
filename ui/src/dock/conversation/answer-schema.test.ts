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
    [{ type: "object", properties: { ok: { type: "boolean" }, a: { type: "number" } }, required: ["ok"] }, "json"],
    [{ type: "object", properties: { name: { type: "string" } } }, "json"],
    [{ anyOf: [{ type: "string" }, { type: "number" }] }, "json"],
    [{ $ref: "#/$defs/x" }, "json"],
    [{ type: "array" }, "json"],
  ])("%j asks for %s", (schema, kind) => {
    expect(answerForm(schema).kind).toBe(kind);
  });

  const question = (content: unknown) => ({
    type: "object",
    properties: { accept: { type: "boolean" }, content },
    required: ["accept"],
  });

  it("asks whether to accept what a tool requests", () => {
    expect(answerForm({ type: "object", properties: { accept: { type: "boolean" } } })).toEqual({ kind: "acceptance" });
  });

  it("has a field for each thing that a tool asks", () => {
    const content = {
      type: "object",
      required: ["name"],
      properties: {
        name: { type: "string", title: "Your name", description: "As on the passport" },
        mail: { type: "string", format: "email" },
        age: { type: "integer", default: 42 },
        agree: { type: "boolean" },
        pet: { type: "string", enum: ["cat", "dog"], enumNames: ["A cat", "A dog"] },
        hero: { oneOf: [{ const: "h1", title: "Ada" }] },
        fish: { type: "array", items: { anyOf: [{ const: "f1", title: "Tuna" }] } },
      },
    };
    const form = answerForm(question(content));
    expect(form.kind === "question" && form.fields).toEqual([
      { name: "name", label: "Your name", description: "As on the passport", required: true, kind: "text" },
      { name: "mail", label: "mail", required: false, kind: "text", format: "email" },
      { name: "age", label: "age", required: false, initial: 42, kind: "number", integer: true },
      { name: "agree", label: "agree", required: false, kind: "flag" },
      {
        name: "pet",
        label: "pet",
        required: false,
        kind: "choice",
        options: [
          { value: "cat", label: "A cat" },
          { value: "dog", label: "A dog" },
        ],
      },
      { name: "hero", label: "hero", required: false, kind: "choice", options: [{ value: "h1", label: "Ada" }] },
      { name: "fish", label: "fish", required: false, kind: "choices", options: [{ value: "f1", label: "Tuna" }] },
    ]);
  });

  it("takes JSON for what is more than a flat object", () => {
    for (const content of [
      { type: "object", properties: { inner: { type: "object" } } },
      { type: "object", anyOf: [{}] },
      { type: "string" },
    ]) {
      expect(answerForm(question(content))).toEqual({ kind: "question", content, fields: undefined });
    }
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
