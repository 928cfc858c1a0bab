// Conditions of the nodes If 2, Switch 3 and Filter 2.
const isMissing = (value) => value === undefined || value === null || Number.isNaN(value);
const typeOf = (value) => (Array.isArray(value) ? "array" : typeof value);
const operand = (value, type, { typeValidation, version }) => {
  const isStrict = typeValidation === "strict";
  if (type === "any" || value === null || value === undefined) return value;
  if (type === "boolean" && !isStrict) {
    const known = version >= 2 ? converters.boolean(value) : undefined;
    return known ?? Boolean(value);
  }
  if (type === "number" && Number.isNaN(value)) return value;
  const isBlank = (typeof value === "string" && value.trim() === "") || (Array.isArray(value) && !value.length);
  if (type === "number" && isBlank && version >= 3) return null;
  const expected = type === "object" && Array.isArray(value) ? "array" : type;
  if (isStrict && type !== "dateTime" && typeOf(value) !== expected) {
    throw new Error(`Wrong type: ${describe(value)} is a ${typeOf(value)}, and a ${type} is expected.`);
  }
  return convert(type, value);
};
const pattern = (source, ignoresCase) => {
  const literal = /^\/(.*?)\/([gimusy]*)$/.exec(source);
  const flags = new Set((literal ? literal[2] : "") + (ignoresCase ? "i" : ""));
  return new RegExp(literal ? literal[1] : source, [...flags].join(""));
};
const orders = {
  equals: (one, other) => one === other,
  notEquals: (one, other) => one !== other,
  gt: (one, other) => one > other,
  gte: (one, other) => one >= other,
  lt: (one, other) => one < other,
  lte: (one, other) => one <= other,
  after: (one, other) => one > other,
  afterOrEquals: (one, other) => one >= other,
  before: (one, other) => one < other,
  beforeOrEquals: (one, other) => one <= other,
};
const operations = {
  string: (one, other, { caseSensitive }) => {
    const fold = (text) => (caseSensitive ? text : text.toLowerCase());
    const [left, right] = [fold(one ?? ""), fold(other ?? "")];
    return {
      empty: () => left.length === 0,
      equals: () => left === right,
      contains: () => left.includes(right),
      startsWith: () => left.startsWith(right),
      endsWith: () => left.endsWith(right),
      regex: () => pattern(other ?? "", !caseSensitive).test(one ?? ""),
    };
  },
  array: (one, other, { caseSensitive }) => {
    const list = one ?? [];
    const ignoresCase = !caseSensitive && typeof other === "string";
    const isOther = (item) => typeof item === "string" && item.toLowerCase() === other.toLowerCase();
    const order = (name) => () => orders[name](list.length, other);
    return {
      empty: () => list.length === 0,
      contains: () => (ignoresCase ? list.some(isOther) : list.includes(other)),
      lengthEquals: order("equals"),
      lengthNotEquals: order("notEquals"),
      lengthGt: order("gt"),
      lengthGte: order("gte"),
      lengthLt: order("lt"),
      lengthLte: order("lte"),
    };
  },
  object: (one) => ({ empty: () => !one || Object.keys(one).length === 0 }),
  boolean: (one, other) => ({
    true: () => Boolean(one),
    false: () => !one,
    empty: () => isMissing(one),
    equals: () => one === other,
  }),
  number: (one, other) => ({ empty: () => isMissing(one), ...ordered(one, other) }),
  dateTime: (one, other) => {
    const isOpen = isMissing(one) || isMissing(other);
    const never = Object.fromEntries(Object.keys(orders).map((name) => [name, () => false]));
    return { empty: () => isMissing(one), ...(isOpen ? never : ordered(one, other)) };
  },
};
const ordered = (one, other) =>
  Object.fromEntries(Object.entries(orders).map(([name, holds]) => [name, () => holds(one, other)]));
const holds = ({ left, right, type, rightType, operation, hasRight }, options) => {
  const one = operand(left, type, options);
  if (operation === "exists" || operation === "notExists") return isMissing(one) !== (operation === "exists");
  const other = hasRight ? operand(right, rightType ?? type, options) : undefined;
  const known = operations[type]?.(one, other, options) ?? {};
  if (known[operation]) return known[operation]();
  // The other operations are the opposites of these: notContains, notEmpty.
  const positive = operation.replace(/^not(.)/, (_, letter) => letter.toLowerCase());
  return positive !== operation && known[positive] ? !known[positive]() : false;
};
const filter = (options, combinator, conditions) =>
  combinator === "or"
    ? conditions.some((condition) => holds(condition(), options))
    : conditions.every((condition) => holds(condition(), options));
