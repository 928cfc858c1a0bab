/** Which form a pause's schema asks for. */
import { parseJson } from "@/design/json/exact-json";

export type AnswerForm =
  | { kind: "text" }
  | { kind: "number"; integer: boolean }
  | { kind: "yesNo" }
  | { kind: "choice"; options: (string | number | boolean | null)[] }
  /** Approve or reject, with room for a comment. */
  | { kind: "approval"; flag: string; comment?: string }
  /** Accept a tool's request, or decline it. */
  | { kind: "acceptance" }
  /** Answer a tool's question, or decline. Without fields, the content is entered as JSON. */
  | { kind: "question"; content: Schema; fields: QuestionField[] | undefined }
  | { kind: "json" };

export type Schema = Record<string, unknown>;

type Option = { value: string; label: string };

/** One field of a tool's question. */
export type QuestionField = {
  name: string;
  label: string;
  description?: string;
  required: boolean;
  initial: unknown;
} & (
  | { kind: "text"; format?: string }
  | { kind: "number"; integer: boolean }
  | { kind: "flag" }
  | { kind: "choice"; options: Option[] }
  | { kind: "choices"; options: Option[] }
);

export function answerForm(schema: Schema): AnswerForm {
  const options = choices(schema);
  if (options) return { kind: "choice", options };
  const type = typeOf(schema);
  if (type === "string") return { kind: "text" };
  if (type === "boolean") return { kind: "yesNo" };
  if (type === "number" || type === "integer") return { kind: "number", integer: type === "integer" };
  if (type === "object") return question(schema) ?? approval(schema) ?? { kind: "json" };
  // A schema that asks for nothing in particular takes a text.
  return type === undefined && !("$ref" in schema) && !hasBranches(schema) ? { kind: "text" } : { kind: "json" };
}

/** The number of options that takes two rows of a narrow dock. */
const MAX_OPTIONS_OF_SHORT_FORM = 8;
/** More fields would cover the question that they belong to. */
const MAX_FIELDS_OF_SHORT_FORM = 1;

/** Whether the form takes little room, so that it can stay in sight beside a long question. */
export function isShortForm(form: AnswerForm): boolean {
  if (form.kind === "choice") return form.options.length <= MAX_OPTIONS_OF_SHORT_FORM;
  if (form.kind === "question") return form.fields !== undefined && form.fields.length <= MAX_FIELDS_OF_SHORT_FORM;
  return form.kind !== "json";
}

/** The skeleton that a person fills in: the required properties with their defaults. */
export function skeleton(schema: Schema): unknown {
  if (schema.default !== undefined) return schema.default;
  if (schema.const !== undefined) return schema.const;
  switch (typeOf(schema)) {
    case "object": {
      const properties = (schema.properties ?? {}) as Record<string, Schema>;
      const required = Array.isArray(schema.required) ? (schema.required as string[]) : Object.keys(properties);
      return Object.fromEntries(required.map((name) => [name, skeleton(properties[name] ?? {})]));
    }
    case "array":
      return [];
    case "string":
      return "";
    case "number":
    case "integer":
      return 0;
    case "boolean":
      return false;
    default:
      return null;
  }
}

/** The form of a tool's question: whether to accept, and the content if the question has any. */
function question(schema: Schema): AnswerForm | undefined {
  const properties = (schema.properties ?? {}) as Record<string, Schema>;
  const names = Object.keys(properties);
  if (typeOf(properties.accept ?? {}) !== "boolean") return undefined;
  if (names.length === 1) return { kind: "acceptance" };
  const { content } = properties;
  return names.length === 2 && content ? { kind: "question", content, fields: fieldsOf(content) } : undefined;
}

/** The fields of the content of a question; undefined if it is more than a flat object. */
function fieldsOf(content: Schema): QuestionField[] | undefined {
  if (typeOf(content) !== "object" || hasBranches(content)) return undefined;
  const required = Array.isArray(content.required) ? content.required : [];
  const fields: QuestionField[] = [];
  for (const [name, schema] of Object.entries((content.properties ?? {}) as Record<string, Schema>)) {
    const kind = fieldKind(schema);
    if (kind === undefined) return undefined;
    fields.push({
      name,
      label: text(schema.title) ?? name,
      ...(text(schema.description) !== undefined && { description: text(schema.description) }),
      required: required.includes(name),
      initial: schema.default,
      ...kind,
    } as QuestionField);
  }
  return fields;
}

function fieldKind(schema: Schema) {
  const single = fieldOptions(schema);
  if (single) return { kind: "choice" as const, options: single };
  switch (typeOf(schema)) {
    case "string":
      return { kind: "text" as const, ...(text(schema.format) !== undefined && { format: text(schema.format) }) };
    case "number":
    case "integer":
      return { kind: "number" as const, integer: typeOf(schema) === "integer" };
    case "boolean":
      return { kind: "flag" as const };
    case "array": {
      const options = fieldOptions((schema.items ?? {}) as Schema);
      return options && { kind: "choices" as const, options };
    }
    default:
      return undefined;
  }
}

/** The texts to choose from, as a list or as constants with titles. */
function fieldOptions(schema: Schema): Option[] | undefined {
  const { enum: values, enumNames } = schema;
  if (Array.isArray(values) && values.every((value) => typeof value === "string")) {
    const names = Array.isArray(enumNames) ? enumNames : [];
    return values.map((value, index) => ({ value, label: text(names[index]) ?? value }));
  }
  const titled = schema.oneOf ?? schema.anyOf;
  if (!Array.isArray(titled) || !titled.every((one) => typeof one?.const === "string")) return undefined;
  return titled.map((one) => ({ value: one.const, label: text(one.title) ?? one.const }));
}

function text(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

/** The number that a text is in JSON, exact where it is an integer; undefined for any other text. */
export function numberOf(text: string, integer: boolean): unknown {
  const typed = text.trim().replace(/^\+/, "");
  if (!(integer ? /^-?\d+$/ : /^-?\d/).test(typed)) return undefined;
  try {
    const parsed = parseJson(typed);
    // JSON has no infinity, which is what a number beyond the largest one is read as.
    return parsed === Number.POSITIVE_INFINITY || parsed === Number.NEGATIVE_INFINITY ? undefined : parsed;
  } catch {
    return undefined;
  }
}

/** The answer of a decision. A blank comment is left out. */
export function approvalAnswer(form: { flag: string; comment?: string }, approved: boolean, comment = ""): unknown {
  const withComment = form.comment !== undefined && comment.trim() !== "" ? { [form.comment]: comment } : {};
  return { [form.flag]: approved, ...withComment };
}

/** The answer to a question of a server: whether the person accepts, and what they filled in. */
export function acceptanceAnswer(accept: boolean, content?: unknown): unknown {
  return content === undefined ? { accept } : { accept, content };
}

function choices(schema: Schema): (string | number | boolean | null)[] | undefined {
  if (!Array.isArray(schema.enum) || schema.enum.length === 0 || schema.enum.length > 12) return undefined;
  const simple = schema.enum.every((option) => typeof option !== "object" || option === null);
  return simple ? (schema.enum as (string | number | boolean | null)[]) : undefined;
}

/** A decision is the only required field, a flag. A text beside it is a comment. */
function approval(schema: Schema): AnswerForm | undefined {
  const properties = Object.entries((schema.properties ?? {}) as Record<string, Schema>);
  const [flag, ...others] = Array.isArray(schema.required) ? (schema.required as string[]) : [];
  const isDecision = properties.some(([name, inner]) => name === flag && typeOf(inner) === "boolean");
  if (flag === undefined || others.length > 0 || !isDecision || properties.length > 2) return undefined;
  const comment = properties.find(([name, inner]) => name !== flag && typeOf(inner) === "string")?.[0];
  if (properties.length === 2 && comment === undefined) return undefined;
  return { kind: "approval", flag, comment };
}

function typeOf(schema: Schema): string | undefined {
  if (Array.isArray(schema.type)) {
    const real = schema.type.filter((type) => type !== "null");
    return real.length === 1 ? (real[0] as string) : undefined;
  }
  return typeof schema.type === "string" ? schema.type : undefined;
}

function hasBranches(schema: Schema): boolean {
  return "anyOf" in schema || "oneOf" in schema || "allOf" in schema || Array.isArray(schema.type);
}
