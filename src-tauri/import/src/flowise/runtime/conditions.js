// Conditions of Flowise.
const text = (value) => (value === undefined || value === null ? "" : typeof value === "object" ? JSON.stringify(value) : String(value));
const isEmpty = (value) => value === undefined || value === null || value === "";
const number = (value) => Number(value) || 0;
const read = (type, value) => (type === "boolean" ? value : type === "number" ? parseFloat(value) || 0 : text(value));
const matches = (value, pattern) => {
  try {
    return new RegExp(pattern).test(text(value || ""));
  } catch (error) {
    return false;
  }
};
const comparisons = {
  contains: (one, other) => text(one || "").includes(text(other || "")),
  notContains: (one, other) => !text(one || "").includes(text(other || "")),
  startsWith: (one, other) => one.startsWith(other),
  endsWith: (one, other) => one.endsWith(other),
  equal: (one, other) => one === other,
  notEqual: (one, other) => one !== other,
  larger: (one, other) => number(one) > number(other),
  largerEqual: (one, other) => number(one) >= number(other),
  smaller: (one, other) => number(one) < number(other),
  smallerEqual: (one, other) => number(one) <= number(other),
  regex: matches,
  isEmpty: (one) => isEmpty(one),
  notEmpty: (one) => !isEmpty(one),
};
const holds = (type, operation, one, other) => comparisons[operation](read(type, one), read(type, other));
