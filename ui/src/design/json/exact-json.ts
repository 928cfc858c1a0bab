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

const [MIN_INTEGER, MAX_INTEGER] = [-(2n ** 63n), 2n ** 64n - 1n];

/** Parses a JSON text. Throws a `SyntaxError`, also for an integer of more than 64 bits. */
export function parseJson(text: string): unknown {
  if (!MIN_UNSAFE_DIGITS.test(text)) return JSON.parse(text);
  // For the error message of a text that is not JSON.
  JSON.parse(text);
  return JSON.parse(text.replace(TOKEN, exactToken));
}

function exactToken(token: string): string {
  if (!/^-?\d{16,}$/.test(token) || Number.isSafeInteger(Number(token))) return token;
  const integer = BigInt(token);
  if (integer < MIN_INTEGER || integer > MAX_INTEGER) {
    throw new SyntaxError(`The integer ${token} has more than 64 bits. Write it as text, in quotes.`);
  }
  return `{"$int":"${token}"}`;
}

/** A value as JSON text; undefined for none. */
export function formatJson(value: unknown, indent?: number): string | undefined {
  // The type of `JSON.stringify` leaves out that it returns nothing for `undefined`.
  const text = JSON.stringify(value, null, indent) as string | undefined;
  return text?.replace(WRITTEN, "$1");
}
