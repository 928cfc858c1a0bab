/**
 * From a JSON Schema to what a form is drawn from. Reads what the engine's schemas use: references, optional values,
 * enums (documented or not), alternatives, lists, objects, maps. What it does not know it leaves to a JSON editor, so that
 * every config can be edited.
 */
import { TEXTS } from "@/flow/texts";

export type Schema = Record<string, unknown>;

type Base = {
  title?: string;
  help?: string;
  default?: unknown;
  /** Null is a value too: the field may be left out. */
  optional: boolean;
  /** What an empty field means, in words, where that is no value. */
  unset?: string;
  example?: string;
  /** Its place among the fields beside it, where its kind says too little. */
  rank?: number;
  /** Shown only while one of the fields beside it has this value, one of these, or is set at all (null). */
  shownIf?: Readonly<Record<string, unknown>>;
  /** It has a use only in a loop with a conversation. */
  ofConversation?: boolean;
};

export type Choice = { value: unknown; label: string; help?: string };
export type Field = { name: string; label: string; required: boolean; spec: Spec };
export type Alternative = { label: string; spec: Spec };

export type TextWidget =
  | "line"
  | "multiline"
  | "markdown"
  | "template"
  | "code"
  | "jq"
  | "cel"
  | "provider"
  | "model"
  | "node"
  | "nodeOutput"
  | "tool";

export type Spec = Base &
  (
    | {
        kind: "text";
        widget: TextWidget;
        pattern?: string;
        minLength?: number;
        maxLength?: number;
        /** For `node`: the type of the nodes to choose from. */
        nodeType?: string;
        /** For `nodeOutput`: the field beside it that names the node. */
        nodeField?: string;
      }
    | { kind: "number"; integer: boolean; min?: number; max?: number }
    | { kind: "boolean" }
    | { kind: "choice"; choices: Choice[] }
    | { kind: "constant"; value: unknown }
    | { kind: "list"; item: Spec }
    | { kind: "object"; fields: Field[] }
    | { kind: "map"; value: Spec }
    | { kind: "either"; alternatives: Alternative[] }
    | { kind: "json" }
  );

const MAX_DEPTH = 12;
const read = new WeakMap<Schema, Spec>();

/** The form of a whole config. Worked out once for each schema. */
export function specOf(schema: Schema): Spec {
  let spec = read.get(schema);
  if (!spec) {
    spec = parse(schema, schema, 0);
    read.set(schema, spec);
  }
  return spec;
}

/** `systemInstructions` as people write it: `System instructions`; `timeoutMs`: `Timeout (ms)`. */
export function humanize(name: string): string {
  if (name === "ms") return TEXTS.durationMs;
  // Such as the methods of HTTP.
  if (/^[A-Z]{2,}$/.test(name)) return name;
  const words = name
    .replace(/([a-z0-9])([A-Z])/g, "$1 $2")
    .replace(/[_-]+/g, " ")
    .toLowerCase()
    .replace(/\b(id|url|json|api|http)\b/g, (word) => word.toUpperCase())
    .replace(/\bopenapi\b/g, "OpenAPI")
    .replace(/ ms$/, " (ms)");
  return capitalize(words);
}

function capitalize(words: string): string {
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** An initial value: the default, or the emptiest valid value. */
export function blankOf(spec: Spec): unknown {
  if (spec.default !== undefined) return spec.default;
  switch (spec.kind) {
    case "text":
      return "";
    case "number":
      return spec.min ?? 0;
    case "boolean":
      return false;
    case "choice":
      return spec.choices[0]?.value;
    case "constant":
      return spec.value;
    case "list":
      return [];
    case "object":
      return Object.fromEntries(
        spec.fields
          .filter((field) => field.required && !field.spec.optional)
          .map((field) => [field.name, blankOf(field.spec)]),
      );
    case "map":
      return {};
    case "either":
      return spec.alternatives[0] ? blankOf(spec.alternatives[0].spec) : null;
    case "json":
      return null;
  }
}

/** Whether a value has the shape of a spec. Only precise enough to choose among alternatives. */
export function fits(spec: Spec, value: unknown): boolean {
  if (value === null || value === undefined) return spec.optional;
  switch (spec.kind) {
    case "text":
      return typeof value === "string";
    case "number":
      return typeof value === "number";
    case "boolean":
      return typeof value === "boolean";
    case "choice":
      return spec.choices.some((choice) => choice.value === value);
    case "constant":
      return spec.value === value;
    case "list":
      return Array.isArray(value) && value.every((item) => fits(spec.item, item));
    case "object":
      return (
        isSchema(value) &&
        spec.fields.every((field) => (field.name in value ? fits(field.spec, value[field.name]) : !field.required))
      );
    case "map":
      return isSchema(value);
    case "either":
      return spec.alternatives.some((one) => fits(one.spec, value));
    case "json":
      return true;
  }
}

/** Whether a field has a use beside these values of the fields around it. One that is not set has the default of its field. */
export function isUsed(
  { spec: { shownIf } }: Field,
  values: Readonly<Record<string, unknown>>,
  beside: readonly Field[] = [],
): boolean {
  const conditions = Object.entries(shownIf ?? {});
  const holds = ([name, wanted]: [string, unknown]) => {
    if (wanted === null) return values[name] !== undefined;
    const value = values[name] ?? beside.find((field) => field.name === name)?.spec.default;
    return Array.isArray(wanted) ? wanted.includes(value) : value === wanted;
  };
  return conditions.length === 0 || conditions.some(holds);
}

function parse(source: unknown, root: Schema, depth: number): Spec {
  const schema = resolve(source, root);
  const base: Base = {
    title: text(schema.title),
    help: text(schema.description),
    default: schema.default ?? undefined,
    optional: false,
    unset: capitalize(text(schema["x-unset"]) ?? "") || undefined,
    example: Array.isArray(schema.examples) ? text(schema.examples[0]) : undefined,
    rank: number(schema["x-rank"]),
    shownIf: isSchema(schema["x-shown-if"]) ? schema["x-shown-if"] : undefined,
    ofConversation: schema["x-of-conversation"] === true || undefined,
  };
  if (depth > MAX_DEPTH) return { ...base, kind: "json" };

  const variants = alternativesOf(schema);
  if (variants) return parseVariants(variants, base, root, depth);
  if ("const" in schema) return { ...base, kind: "constant", value: schema.const };
  if (Array.isArray(schema.enum)) return parseEnum(schema.enum, base);

  const { types, optional } = typesOf(schema);
  const [type] = types;
  const common = { ...base, optional };
  if (types.length !== 1)
    return types.length === 0 && isSchema(schema.properties)
      ? object(schema, common, root, depth)
      : { ...common, optional: optional || schema.default === null, kind: "json" };
  switch (type) {
    case "string":
      return {
        ...common,
        kind: "text",
        widget: widgetOf(schema),
        pattern: text(schema.pattern),
        minLength: number(schema.minLength),
        maxLength: number(schema.maxLength),
        nodeType: text(schema["x-node-type"]),
        nodeField: text(schema["x-node-field"]),
      };
    case "integer":
    case "number":
      return {
        ...common,
        kind: "number",
        integer: type === "integer",
        min: number(schema.minimum),
        max: number(schema.maximum),
      };
    case "boolean":
      return { ...common, kind: "boolean" };
    case "array":
      return isSchema(schema.items)
        ? { ...common, kind: "list", item: parse(schema.items, root, depth + 1) }
        : { ...common, kind: "json" };
    case "object":
      return object(schema, common, root, depth);
    default:
      return { ...common, kind: "json" };
  }
}

function object(schema: Schema, base: Base, root: Schema, depth: number): Spec {
  const properties = isSchema(schema.properties) ? schema.properties : {};
  const required = new Set(Array.isArray(schema.required) ? schema.required : []);
  const names = Object.keys(properties);
  if (names.length === 0) {
    return isSchema(schema.additionalProperties)
      ? { ...base, kind: "map", value: parse(schema.additionalProperties, root, depth + 1) }
      : schema.additionalProperties === false
        ? { ...base, kind: "object", fields: [] }
        : { ...base, kind: "json" };
  }
  const fields = names.map((name) => {
    const spec = parse(properties[name], root, depth + 1);
    return { name, label: spec.title ?? humanize(labeledName(name, spec)), required: required.has(name), spec };
  });
  const alphabetical = fields.every((field, index) => index === 0 || (fields[index - 1]?.name ?? "") <= field.name);
  return { ...base, kind: "object", fields: alphabetical ? inOrder(fields) : fields };
}

/** A field with a list of nodes to choose from has no ID for people. */
function labeledName(name: string, spec: Spec): string {
  return spec.kind === "text" && spec.widget === "node" ? name.replace(/Id$/, "") : name;
}

/** What a node is about first, its fine tuning last: schemas from the engine come in alphabetical order, which says nothing. */
function inOrder(fields: readonly Field[]): Field[] {
  return fields.toSorted((a, b) => rankOf(a) - rankOf(b));
}

/** What names the object comes before what describes it. */
function rankOf({ name, spec }: Field): number {
  return spec.rank ?? (name === "name" ? NAME_RANK : rank(spec));
}

const NAME_RANK = -1;

const TEXT_RANKS: Record<TextWidget, number> = {
  template: 0,
  jq: 0,
  provider: 1,
  model: 2,
  tool: 2,
  node: 5.1,
  nodeOutput: 5.2,
  markdown: 3,
  multiline: 3,
  line: 4,
  cel: 4,
  code: 8,
};

function rank(spec: Spec): number {
  switch (spec.kind) {
    case "text":
      return TEXT_RANKS[spec.widget];
    case "list":
    case "either":
    case "choice":
    case "constant":
      return 5;
    case "number":
      return 6;
    case "boolean":
      return 7;
    case "object":
    case "map":
    case "json":
      return 8;
  }
}

/** `oneOf` and `anyOf`: a value or null, an enum with documented values, or true alternatives. */
function parseVariants(variants: readonly unknown[], base: Base, root: Schema, depth: number): Spec {
  const real = variants.filter((variant) => !isNull(resolve(variant, root)));
  const optional = real.length < variants.length;
  const own = withoutUndefined({ ...base, optional });
  if (real.length === 1) {
    const inner = parse(real[0], root, depth + 1);
    return { ...inner, ...own, optional: true };
  }
  const choices = real.flatMap((variant) => choicesOf(resolve(variant, root)));
  if (choices.length > 0 && choices.every((choice) => choice !== undefined))
    return { ...own, optional, kind: "choice", choices };
  const alternatives = real.map((variant) => {
    const spec = parse(variant, root, depth + 1);
    return { label: labelOf(spec), spec };
  });
  return { ...own, optional, kind: "either", alternatives };
}

function parseEnum(values: readonly unknown[], base: Base): Spec {
  const real = values.filter((value) => value !== null);
  const choices = real.map((value) => ({ value, label: typeof value === "string" ? humanize(value) : String(value) }));
  return { ...base, optional: real.length < values.length, kind: "choice", choices };
}

/** The choices of a variant; contains `undefined` if it is more than a few fixed values. */
function choicesOf(schema: Schema): (Choice | undefined)[] {
  const help = text(schema.description);
  const choice = (value: unknown): Choice => ({
    value,
    label: text(schema.title) ?? (typeof value === "string" ? humanize(value) : String(value)),
    help,
  });
  if ("const" in schema) return [choice(schema.const)];
  return Array.isArray(schema.enum) ? schema.enum.map(choice) : [undefined];
}

function labelOf(spec: Spec): string {
  if (spec.title) return spec.title;
  switch (spec.kind) {
    case "constant":
      return typeof spec.value === "string" ? humanize(spec.value) : String(spec.value);
    case "choice":
      return spec.choices.map((choice) => choice.label).join(" or ");
    case "object": {
      const tag = spec.fields.find((field) => field.spec.kind === "constant")?.spec;
      return tag?.kind === "constant" ? humanize(String(tag.value)) : (spec.help ?? "Fields");
    }
    case "list":
      if (spec.item.kind !== "text") return "List";
      return spec.item.widget === "tool" ? TEXTS.chosenTools : "List of texts";
    case "text":
      return "Text";
    case "number":
      return "Number";
    case "boolean":
      return "Yes or no";
    default:
      return spec.help ?? "Other";
  }
}

const TEXT_WIDGETS: ReadonlySet<string> = new Set<string>([
  "tool",
  "multiline",
  "markdown",
  "template",
  "code",
  "jq",
  "cel",
  "provider",
  "model",
  "node",
  "nodeOutput",
]);

function widgetOf(schema: Schema): TextWidget {
  const named = text(schema["x-widget"]) ?? text(schema.format) ?? "";
  return TEXT_WIDGETS.has(named) ? (named as TextWidget) : named === "json" ? "code" : "line";
}

function typesOf(schema: Schema): { types: string[]; optional: boolean } {
  const named = Array.isArray(schema.type) ? schema.type : schema.type === undefined ? [] : [schema.type];
  const types = named.filter((type): type is string => typeof type === "string" && type !== "null");
  return { types, optional: types.length < named.length };
}

function alternativesOf(schema: Schema): readonly unknown[] | undefined {
  if (Array.isArray(schema.oneOf)) return schema.oneOf;
  return Array.isArray(schema.anyOf) ? schema.anyOf : undefined;
}

/** Follows `$ref`. Siblings of a reference, such as a description or a default, override its target. */
function resolve(source: unknown, root: Schema): Schema {
  let schema = isSchema(source) ? source : {};
  for (let hops = 0; typeof schema.$ref === "string" && hops < MAX_DEPTH; hops += 1) {
    const { $ref, ...beside } = schema;
    schema = { ...lookUp(root, $ref as string), ...beside };
  }
  // An `allOf` with one item is a reference with siblings, as in older schemas.
  if (Array.isArray(schema.allOf) && schema.allOf.length === 1) {
    const { allOf, ...beside } = schema;
    return { ...resolve((allOf as unknown[])[0], root), ...beside };
  }
  return schema;
}

function lookUp(root: Schema, ref: string): Schema {
  let here: unknown = root;
  for (const part of ref.replace(/^#\/?/, "").split("/").filter(Boolean)) {
    const key = decodeURIComponent(part).replace(/~1/g, "/").replace(/~0/g, "~");
    here = isSchema(here) ? here[key] : undefined;
  }
  return isSchema(here) ? here : {};
}

function withoutUndefined(base: Base): Base {
  return Object.fromEntries(Object.entries(base).filter(([, value]) => value !== undefined)) as Base;
}

function isNull(schema: Schema): boolean {
  return schema.type === "null" || schema.const === null;
}

function isSchema(value: unknown): value is Schema {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function text(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

function number(value: unknown): number | undefined {
  return typeof value === "number" ? value : undefined;
}
