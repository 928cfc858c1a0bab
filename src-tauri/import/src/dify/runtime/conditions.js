// Conditions of Dify. A value of the wrong type stops the flow.
const wrongType = (value, types) => {
  throw new Error(`The value ${JSON.stringify(value)} is no ${types}.`);
};
const isMissing = (value) => value === undefined || value === null;
const isEmpty = (value) => !value || (typeof value === "object" && Object.keys(value).length === 0);
const truth = (value) => {
  const word = String(value).toLowerCase();
  return word === "true" || word === "1" ? true : word === "false" || word === "0" ? false : wrongType(value, "truth value");
};
const holds = (operator, value, expected) => {
  const ofText = (compare) => (isEmpty(value) ? false : typeof value === "string" ? compare(value) : wrongType(value, "text"));
  const within = () => (typeof value === "string" ? value.includes(expected) : Array.isArray(value) ? value.some((item) => item === (typeof item === "boolean" ? truth(expected) : expected)) : wrongType(value, "text or list"));
  const same = () => (typeof value === "boolean" ? value === truth(expected) : typeof value === "string" ? value === expected : wrongType(value, "text or truth value"));
  const number = () => {
    const other = typeof value === "boolean" ? truth(expected) : typeof expected === "string" && expected.trim() === "" ? NaN : Number(expected);
    return Number.isNaN(other) ? wrongType(expected, "number") : other;
  };
  const ofNumber = (compare) => (isMissing(value) ? false : ["number", "boolean"].includes(typeof value) ? compare(number()) : wrongType(value, "number"));
  const listed = () => (Array.isArray(expected) ? expected.includes(value) : wrongType(expected, "list"));
  switch (operator) {
    case "contains": return isEmpty(value) ? false : within();
    case "not contains": return isEmpty(value) ? true : !within();
    case "start with": return ofText((value) => value.startsWith(expected));
    case "end with": return ofText((value) => value.endsWith(expected));
    case "is": return isMissing(value) ? false : same();
    case "is not": return isMissing(value) ? false : !same();
    case "empty": return isEmpty(value);
    case "not empty": return !isEmpty(value);
    case "null": case "not exists": return isMissing(value);
    case "not null": case "exists": return !isMissing(value);
    case "in": return isEmpty(value) ? false : listed();
    case "not in": return isEmpty(value) ? true : !listed();
    case "all of": return isEmpty(value) ? false : expected.every((item) => value.includes(item));
    case "=": return ofNumber((other) => value === other);
    case "≠": return ofNumber((other) => value !== other);
    case ">": return ofNumber((other) => value > other);
    case "<": return ofNumber((other) => value < other);
    case "≥": return ofNumber((other) => value >= other);
    case "≤": return ofNumber((other) => value <= other);
  }
};
