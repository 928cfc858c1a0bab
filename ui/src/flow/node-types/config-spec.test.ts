import { describe, expect, it } from "vitest";
import nodes from "@/bindings/nodes.json";
import { blankOf, fits, humanize, isUsed, type Schema, type Spec, specOf } from "./config-spec";

const field = (schema: Schema, name: string): Spec | undefined => {
  const spec = specOf(schema);
  return spec.kind === "object" ? spec.fields.find((one) => one.name === name)?.spec : undefined;
};
const of = (property: unknown, root: Schema = {}) =>
  field({ ...root, type: "object", properties: { x: property } }, "x");

describe("a form field from a schema", () => {
  it.each([
    ["line", { type: "string" }],
    ["multiline", { type: "string", format: "multiline" }],
    ["template", { type: "string", format: "template" }],
    ["markdown", { type: "string", "x-widget": "markdown" }],
    ["code", { type: "string", format: "json" }],
  ])("is a text of the kind %s", (widget, schema) => {
    expect(of(schema)).toMatchObject({ kind: "text", widget, optional: false });
  });

  it("is a number with its bounds", () => {
    expect(of({ type: "integer", format: "uint32", minimum: 1, maximum: 9, default: 3 })).toMatchObject({
      kind: "number",
      integer: true,
      min: 1,
      max: 9,
      default: 3,
    });
  });

  it("is optional in every notation of the schema", () => {
    expect(of({ type: ["string", "null"], default: null })).toMatchObject({
      kind: "text",
      optional: true,
      default: undefined,
    });
    const root = { $defs: { T: { type: "string", format: "template" } } };
    expect(of({ anyOf: [{ $ref: "#/$defs/T" }, { type: "null" }], description: "InlineCode" }, root)).toMatchObject({
      kind: "text",
      widget: "template",
      optional: true,
      help: "InlineCode",
    });
  });

  it("is a choice, with or without descriptions", () => {
    expect(of({ type: "string", enum: ["asText", "json"], default: "json" })).toMatchObject({
      kind: "choice",
      default: "json",
      choices: [
        { value: "asText", label: "As text" },
        { value: "json", label: "JSON" },
      ],
    });
    expect(
      of({ oneOf: [{ const: "a", description: "One" }, { type: "string", enum: ["b", "c"] }, { type: "null" }] }),
    ).toMatchObject({
      kind: "choice",
      optional: true,
      choices: [{ value: "a", help: "One" }, { value: "b" }, { value: "c" }],
    });
  });

  it("has the label, the place and the conditions that the schema gives it", () => {
    const spec = specOf({
      type: "object",
      properties: {
        action: { oneOf: [{ const: "ask", title: "Ask me" }, { const: "stop" }], title: "When exceeded" },
        model: { type: "string", "x-shown-if": { action: "ask" }, "x-unset": "that of the call", examples: ["small"] },
        usd: { type: "number", title: "US dollars", "x-rank": 1 },
      },
    });
    const fields = spec.kind === "object" ? spec.fields : [];
    expect(fields.map((one) => one.label)).toEqual(["US dollars", "Model", "When exceeded"]);
    const [, model, action] = fields;
    expect(action?.spec).toMatchObject({ choices: [{ label: "Ask me" }, { label: "Stop" }] });
    expect(model?.spec).toMatchObject({ unset: "That of the call", example: "small" });
    expect(model && [isUsed(model, {}), isUsed(model, { action: "ask" })]).toEqual([false, true]);
  });

  it("is a tagged union", () => {
    const spec = of({
      oneOf: [
        {
          type: "object",
          properties: { kind: { const: "equals" }, value: { type: "string" } },
          required: ["kind", "value"],
        },
        { type: "object", properties: { kind: { const: "exists" } }, required: ["kind"] },
      ],
    });
    expect(spec).toMatchObject({ kind: "either", alternatives: [{ label: "Equals" }, { label: "Exists" }] });
    if (spec?.kind !== "either") throw new Error("It is.");
    const [equals, exists] = spec.alternatives.map((one) => one.spec);
    if (!equals || !exists) throw new Error("There are two.");
    expect(blankOf(equals)).toEqual({ kind: "equals", value: "" });
    expect(fits(equals, { kind: "exists" })).toBe(false);
    expect(fits(exists, { kind: "exists" })).toBe(true);
  });

  it("is a list, a map, an object in an object", () => {
    expect(of({ type: "array", items: { type: "string" } })).toMatchObject({ kind: "list", item: { kind: "text" } });
    expect(of({ type: "object", additionalProperties: { type: "number" } })).toMatchObject({
      kind: "map",
      value: { kind: "number" },
    });
    expect(of({ type: "object", properties: { inner: { type: "boolean" } } })).toMatchObject({
      kind: "object",
      fields: [{ name: "inner", spec: { kind: "boolean" } }],
    });
  });

  it.each([[true], [{}], [{ type: "object" }], [{ type: ["string", "number"] }], [{ type: "array" }]])(
    "is left to a JSON editor where the schema is %j",
    (schema) => {
      expect(of(schema)).toMatchObject({ kind: "json" });
    },
  );

  it("ends on circular references", () => {
    const root = {
      $defs: {
        Tree: { type: "object", properties: { child: { $ref: "#/$defs/Tree" } } },
        Self: { $ref: "#/$defs/Self" },
      },
    };
    expect(of({ $ref: "#/$defs/Tree" }, root)).toMatchObject({ kind: "object" });
    expect(of({ $ref: "#/$defs/Self" }, root)).toMatchObject({ kind: "json" });
    expect(of({ $ref: "#/$defs/None" }, root)).toMatchObject({ kind: "json" });
  });
});

describe("the order of fields", () => {
  it("puts main fields first if the schema's order is alphabetical", () => {
    const properties = {
      alpha: { type: "boolean" },
      model: { type: "string", format: "model" },
      prompt: { type: "string", format: "template" },
    };
    const spec = specOf({ type: "object", properties });
    expect(spec.kind === "object" && spec.fields.map((one) => one.name)).toEqual(["prompt", "model", "alpha"]);
  });

  it("keeps an explicit order", () => {
    const properties = { zebra: { type: "boolean" }, apple: { type: "string", format: "template" } };
    const spec = specOf({ type: "object", properties });
    expect(spec.kind === "object" && spec.fields.map((one) => one.name)).toEqual(["zebra", "apple"]);
  });
});

describe("every node type", () => {
  it.each(nodes.map((type) => [type.type, type.configSchema as Schema] as const))(
    "%s has a form, and its examples fit it",
    (name, schema) => {
      const spec = specOf(schema);
      expect(spec.kind).toBe("object");
      const type = nodes.find((one) => one.type === name);
      for (const example of type?.examples ?? [])
        expect([example.title, fits(spec, example.config)]).toEqual([example.title, true]);
    },
  );
});

it("humanizes field names", () => {
  expect(["systemInstructions", "maxEpochs", "context_id", "baseUrl", "text", "ms", "timeoutMs"].map(humanize)).toEqual(
    ["System instructions", "Max epochs", "Context ID", "Base URL", "Text", "Duration (ms)", "Timeout (ms)"],
  );
});
