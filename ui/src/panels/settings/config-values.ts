/** Values of the settings that hold where flows leave them open, by key. */

/** The values with one changed, or removed. */
export function changeConfig(
  values: Readonly<Record<string, unknown>>,
  key: string,
  value: unknown,
): Record<string, unknown> {
  const { [key]: _, ...others } = values;
  return value === undefined ? others : { ...others, [key]: value };
}

/** What a text stands for in a field with this JSON Schema: a value, `null` for nothing, `undefined` if it is not valid. */
export function readConfig(text: string, schema: Readonly<Record<string, unknown>>): unknown {
  const typed = text.trim();
  if (typed === "") return null;
  if (schema.type === "string") {
    return Array.isArray(schema.enum) && !schema.enum.includes(typed) ? undefined : typed;
  }
  if (schema.type === "boolean") return typed === "true" ? true : typed === "false" ? false : undefined;
  const number = Number(typed);
  const within =
    Number.isFinite(number) &&
    (schema.type !== "integer" || Number.isSafeInteger(number)) &&
    (typeof schema.minimum !== "number" || number >= schema.minimum) &&
    (typeof schema.maximum !== "number" || number <= schema.maximum) &&
    (typeof schema.exclusiveMinimum !== "number" || number > schema.exclusiveMinimum) &&
    (typeof schema.exclusiveMaximum !== "number" || number < schema.exclusiveMaximum);
  return within ? number : undefined;
}
