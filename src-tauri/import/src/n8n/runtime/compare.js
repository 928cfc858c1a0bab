// Conditions of the nodes If 1, Switch 1 and 2, and Filter 1.
const instant = (value) => {
  const time = typeof value === "number" ? value : typeof value === "string" ? new Date(value).getTime() : NaN;
  if (Number.isNaN(time)) throw new Error(`The value "${value}" is no date.`);
  return time;
};
const isEmpty = (value) =>
  value === undefined || value === null || value === "" || Number.isNaN(value) ||
  (typeof value === "object" && Object.keys(value).length === 0);
const text = (value) => String(value || "");
const matches = (value, source) => {
  const literal = /^\/(.*?)\/([gimusy]*)$/.exec(text(source));
  return text(value).match(literal ? new RegExp(literal[1], literal[2]) : new RegExp(text(source))) !== null;
};
const comparisons = {
  after: (one, other) => (one || 0) > (other || 0),
  before: (one, other) => (one || 0) < (other || 0),
  contains: (one, other) => text(one).includes(text(other)),
  notContains: (one, other) => !text(one).includes(text(other)),
  startsWith: (one, other) => one.startsWith(other),
  notStartsWith: (one, other) => !one.startsWith(other),
  endsWith: (one, other) => one.endsWith(other),
  notEndsWith: (one, other) => !one.endsWith(other),
  equal: (one, other) => one === other,
  notEqual: (one, other) => one !== other,
  larger: (one, other) => (one || 0) > (other || 0),
  largerEqual: (one, other) => (one || 0) >= (other || 0),
  smaller: (one, other) => (one || 0) < (other || 0),
  smallerEqual: (one, other) => (one || 0) <= (other || 0),
  isEmpty: (one) => isEmpty(one),
  isNotEmpty: (one) => !isEmpty(one),
  regex: (one, other) => matches(one, other),
  notRegex: (one, other) => !matches(one, other),
};
const compare = (type, operation, one, other) =>
  type === "dateTime" ? comparisons[operation](instant(one), instant(other)) : comparisons[operation](one, other);
