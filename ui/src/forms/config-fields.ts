/** The values that can be set in several places, as the engine's table has them: forms are drawn from it. */
import type { ConfigField, ConfigForms } from "@/bindings";
import CONFIG from "@/bindings/config.json";
import { setAt } from "@/flow/edits/edits";
import { type Spec, specOf } from "@/flow/node-types/config-spec";
import type { Path } from "./findings";

export const {
  sections: CONFIG_SECTIONS,
  fields: CONFIG_FIELDS,
  limits: NODE_LIMITS,
  retry: NODE_RETRY,
} = CONFIG as unknown as ConfigForms;

/** The form of a value that may be left open. */
export function specOfField({ schema }: ConfigField): Spec {
  return { ...specOf(schema), optional: true };
}

/** The value of a key that holds if nothing is set. */
export function builtIn(key: string): unknown {
  return CONFIG_FIELDS.find((field) => field.key === key)?.schema.default;
}

/** The path that a JSON pointer names. */
export function pathOf(pointer: string): string[] {
  return pointer.split("/").slice(1);
}

export function valueAt(root: unknown, path: Path): unknown {
  return path.reduce((at: unknown, key) => (isObject(at) ? at[key] : undefined), root);
}

/** The object with the value at a path set, or removed. Empty parents are removed, too; undefined if all is empty. */
export function setOrRemove(root: unknown, [key, ...rest]: Path, value: unknown): unknown {
  if (key === undefined) return isEmpty(value) ? undefined : value;
  const next = setAt(root, [key], setOrRemove(isObject(root) ? root[key] : undefined, rest, value));
  return isEmpty(next) ? undefined : next;
}

function isEmpty(value: unknown): boolean {
  return isObject(value) && Object.keys(value).length === 0;
}

function isObject(value: unknown): value is Record<string | number, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
