// Conditions of Langflow's If-Else, which compares texts.
const text = (value) => (value === undefined || value === null ? "" : typeof value === "object" ? JSON.stringify(value) : String(value));
const compareNumbers = (one, other, compare) => {
  const numbers = [Number(one), Number(other)];
  return numbers.some(Number.isNaN) || !one.trim() || !other.trim() ? false : compare(...numbers);
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
    case "regex": return new RegExp(`^(?:${other})`).test(one);
    case "less than": return compareNumbers(one, other, (one, other) => one < other);
    case "less than or equal": return compareNumbers(one, other, (one, other) => one <= other);
    case "greater than": return compareNumbers(one, other, (one, other) => one > other);
    case "greater than or equal": return compareNumbers(one, other, (one, other) => one >= other);
  }
};
