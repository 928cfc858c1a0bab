/** Which form a pause's schema asks for. */

export type AnswerForm =
  | { kind: "text" }
  | { kind: "number"; integer: boolean }
  | { kind: "yesNo" }
  | { kind: "choice"; options: (string | number | boolean | null)[] }
  /** Approve or reject, with room for a comment. */
  | { kind: "approval"; flag: string; comment?: string }
  | { kind: "json" };

type Schema = Record<string, unknown>;

const APPROVAL_FLAGS = ["approved", "approve", "allowed", "ok"];

export function answerForm(schema: Schema): AnswerForm {
  const options = choices(schema);
  if (options) return { kind: "choice", options };
  const type = typeOf(schema);
  if (type === "string") return { kind: "text" };
  if (type === "boolean") return { kind: "yesNo" };
  if (type === "number" || type === "integer") return { kind: "number", integer: type === "integer" };
  if (type === "object") return approval(schema) ?? { kind: "json" };
  // A schema that asks for nothing in particular takes a text.
  return type === undefined && !("$ref" in schema) && !hasBranches(schema) ? { kind: "text" } : { kind: "json" };
}

/** So many options take two rows of a narrow dock. */
const MAX_OPTIONS_OF_SHORT_FORM = 8;

/** Whether the form takes little room, so that it can stay in sight beside a long question. */
export function isShortForm(form: AnswerForm): boolean {
  if (form.kind === "choice") return form.options.length <= MAX_OPTIONS_OF_SHORT_FORM;
  return form.kind !== "json";
}

/** The skeleton a person fills in: what the schema says must be there, with its defaults. */
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

function choices(schema: Schema): (string | number | boolean | null)[] | undefined {
  if (!Array.isArray(schema.enum) || schema.enum.length === 0 || schema.enum.length > 12) return undefined;
  const simple = schema.enum.every((option) => typeof option !== "object" || option === null);
  return simple ? (schema.enum as (string | number | boolean | null)[]) : undefined;
}

function approval(schema: Schema): AnswerForm | undefined {
  const properties = Object.entries((schema.properties ?? {}) as Record<string, Schema>);
  const flag = properties.find(([name, inner]) => APPROVAL_FLAGS.includes(name) && typeOf(inner) === "boolean")?.[0];
  if (flag === undefined || properties.length > 2) return undefined;
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
