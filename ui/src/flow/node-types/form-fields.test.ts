import { expect, it } from "vitest";
import type { NodeDescriptor } from "@/bindings";
import nodes from "@/bindings/nodes.json";
import { isUsed, type Spec, specOf } from "./config-spec";
import { outsideOfConversation } from "./conversation-fields";

const types = nodes as unknown as NodeDescriptor[];

function fieldsOf(spec: Spec | undefined) {
  if (spec?.kind !== "object") throw new Error("It has fields.");
  return spec.fields;
}

function configOf(type: string) {
  const found = types.find((one) => one.type === type);
  if (!found) throw new Error("There is such a type.");
  return fieldsOf(specOf(found.configSchema));
}

/** The fields of a type that are shown with these values, in their order. */
function shown(type: string, values: Record<string, unknown>): string[] {
  const fields = configOf(type);
  return fields.filter((field) => isUsed(field, values, fields)).map(({ name }) => name);
}

it("a loop begins with its kind, and has the fields of that kind alone", () => {
  expect(shown("loop", {})).toEqual(["kind", "condition", "max_iterations", "conversation"]);
  expect(shown("loop", { kind: "times" })).toEqual(["kind", "times", "max_iterations", "conversation"]);
  expect(shown("loop", { kind: "forEach" })).toEqual([
    "kind",
    "concurrency",
    "on_error",
    "max_iterations",
    "conversation",
  ]);
});

it("the history of a loop is there for its conversation, and its bounds for their strategy", () => {
  expect(shown("loop", { conversation: true })).toContain("history_management");
  const fields = fieldsOf(configOf("loop").find(({ name }) => name === "history_management")?.spec);
  const names = (values: object) =>
    fields.filter((field) => isUsed(field, { ...values }, fields)).map(({ name }) => name);
  expect(names({}).sort()).toEqual(["max_tokens", "strategy"]);
  expect(names({ strategy: "truncate_turns" }).sort()).toEqual(["max_turns", "strategy"]);
  expect(names({ strategy: "summarize" })).toHaveLength(fields.length);
});

it("only a procedure has a name, and only the source of a sub-flow's input that is chosen has fields", () => {
  expect(shown("remember", {})).toEqual(["kind"]);
  expect(shown("remember", { kind: "procedure" })).toEqual(["kind", "name"]);
  expect(shown("subflow", { inputSource: "nodeOutput" })).toEqual([
    "file",
    "inputSource",
    "sourceNodeId",
    "sourceOutput",
    "flow",
  ]);
});

it("a name comes before a description, in every form", () => {
  let found = 0;
  const check = (spec: Spec): void => {
    if (spec.kind === "list") check(spec.item);
    if (spec.kind === "map") check(spec.value);
    if (spec.kind === "either") for (const { spec: one } of spec.alternatives) check(one);
    if (spec.kind !== "object") return;
    const names = spec.fields.map(({ name }) => name);
    if (names.includes("name") && names.includes("description")) {
      found += 1;
      expect(names.indexOf("name")).toBeLessThan(names.indexOf("description"));
    }
    for (const field of spec.fields) check(field.spec);
  };
  for (const type of types) check(specOf(type.configSchema));
  expect(found).toBeGreaterThan(0);
});

it("what is for the conversation of a loop is in the form of a node inside of one, or where it is set", () => {
  const chat = types.find(({ type }) => type === "chat");
  if (!chat) throw new Error("There is such a type.");
  const names = (spec: Spec) => fieldsOf(spec).map(({ name }) => name);
  const whole = specOf(chat.configSchema);
  expect(names(whole)).toEqual(expect.arrayContaining(["pinned", "use_history"]));
  expect(names(outsideOfConversation(whole, {})).filter((name) => /pinned|use_history/.test(name))).toEqual([]);
  expect(names(outsideOfConversation(whole, { pinned: true }))).toContain("pinned");
});
