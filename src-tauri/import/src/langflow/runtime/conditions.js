// Conditions of Langflow's If-Else, which compares texts.
const text = (value) => (value === undefined || value === null ? "" : typeof value === "object" ? JSON.stringify(value) : String(value));
// Numbers as Python reads them. A text that is none is neither smaller nor larger.
const NUMBER = /^\s*[+-]?(?:\d+(?:_\d+)*\.?(?:\d+(?:_\d+)*)?|\.\d+(?:_\d+)*)(?:e[+-]?\d+)?\s*$/i;
const compareNumbers = (one, other, compare) =>
  NUMBER.test(one) && NUMBER.test(other) && compare(...[one, other].map((text) => Number(text.replaceAll("_", ""))));
// Whether a text begins with what a pattern of Python matches. One that can't be read matches nothing.
const matches = (text, pattern) => {
  const [, flags = "", rest] = /^(?:\(\?([aimsu]+)\))?([^]*)$/.exec(pattern);
  try {
    return new RegExp(`^(?:${rest.replaceAll("(?P<", "(?<")})`, flags.replace(/[^ims]/g, "")).test(text);
  } catch (error) {
    return false;
  }
};
const holds = (operator, input, match, isCaseSensitive) => {
  const fold = (value) => (isCaseSensitive || operator === "regex" ? text(value) : text(value).toLowerCase());
  const [one, other] = [fold(input), fold(match)];
  switch (operator) {
    case "equals": return one === other;
    case "not equals": return one !== other;
    case "contains": return one.includes(other);
    case "starts with": return one.startsWith(other);
    case "ends with": return one.endsWith(other);
    case "regex": return matches(one, other);
    case "less than": return compareNumbers(one, other, (one, other) => one < other);
    case "less than or equal": return compareNumbers(one, other, (one, other) => one <= other);
    case "greater than": return compareNumbers(one, other, (one, other) => one > other);
    case "greater than or equal": return compareNumbers(one, other, (one, other) => one >= other);
  }
};
