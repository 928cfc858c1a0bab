/** JSON merge patches (RFC 7396): members replace those of the same name, null removes one. */
import { equalJson } from "./equal-json";

type Members = Record<string, unknown>;

/** The patch that makes `after` of `before`. Null in `after` counts as missing: a patch can't tell the two apart. */
export function mergePatch(before: Members, after: Members): Members {
  const patch: Members = {};
  for (const name of new Set([...Object.keys(before), ...Object.keys(after)])) {
    const [old, value] = [before[name] ?? undefined, after[name] ?? undefined];
    if (value === undefined) {
      if (old !== undefined) patch[name] = null;
    } else if (isObject(old) && isObject(value)) {
      const inner = mergePatch(old, value);
      if (Object.keys(inner).length > 0) patch[name] = inner;
    } else if (!equalJson(old, value)) {
      patch[name] = value;
    }
  }
  return patch;
}

/** What a patch makes of a document. */
export function applyMergePatch(document: Members, patch: Members): Members {
  const changed = { ...document };
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) delete changed[name];
    else if (isObject(value)) changed[name] = applyMergePatch(asObject(changed[name]), value);
    else changed[name] = value;
  }
  return changed;
}

function asObject(value: unknown): Members {
  return isObject(value) ? value : {};
}

function isObject(value: unknown): value is Members {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
