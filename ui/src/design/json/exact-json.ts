/**
 * JSON without losing digits. JavaScript holds integers up to 2^53 - 1 exactly; the host sends a larger one as
 * `{"$int": "9007199254740993"}` and takes it back in that form. Texts that people read and write have plain digits.
 */
export type LargeInteger = { $int: string };

export function isLargeInteger(value: unknown): value is LargeInteger {
  return (
    typeof value === "object" &&
    value !== null &&
    typeof (value as LargeInteger).$int === "string" &&
    Object.keys(value).length === 1
  );
}

/** A string or a number of a JSON text. Strings are matched so that the digits in them are left alone. */
const TOKEN = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;
const WRITTEN = /\{\s*"\$int":\s*"(-?\d+)"\s*\}/g;
/** Shorter integers are always exact. */
const MIN_UNSAFE_DIGITS = /\d{16}/;

/** Parses a JSON text. Throws a `SyntaxError`. */
export function parseJson(text: string): unknown {
  if (!MIN_UNSAFE_DIGITS.test(text)) return JSON.parse(text);
  // For the error message of a text that is not JSON.
  JSON.parse(text);
  const exact = text.replace(TOKEN, (token) =>
    /^-?\d{16,}$/.test(token) && !Number.isSafeInteger(Number(token)) ? `{"$int":"${token}"}` : token,
  );
  return JSON.parse(exact);
}

/** A value as JSON text; undefined for none. */
export function formatJson(value: unknown, indent?: number): string | undefined {
  // The type of `JSON.stringify` leaves out that it returns nothing for `undefined`.
  const text = JSON.stringify(value, null, indent) as string | undefined;
  return text?.replace(WRITTEN, "$1");
}
