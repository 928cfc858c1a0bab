// Methods that n8n adds to values of JavaScript, as far as expressions of this workflow use them.
const isNothing = (value) => (value !== null && typeof value === "object" ? Object.keys(value).length === 0 : !value);
// The methods that no value of JavaScript has.
const EXTENDED = new Set();
const unique = (list) => [...new Map(list.map((item) => [typeof item === "object" ? JSON.stringify(item) : item, item])).values()];
const numbers = (list) => list.map(Number);
const total = (list) => numbers(list).reduce((sum, number) => sum + number, 0);
const extend = (type, methods) => {
  for (const [name, method] of Object.entries(methods)) {
    if (name in type.prototype) continue;
    EXTENDED.add(name);
    Object.defineProperty(type.prototype, name, { value: function (...rest) { return method(this.valueOf(), ...rest); } });
  }
};
const toBoolean = (value) => !["", "false", "0", "no", "null", "undefined"].includes(String(value).trim().toLowerCase());
extend(Object, {
  toJsonString: (value) => JSON.stringify(value),
  hasField: (value, name) => name in value,
  removeField: (value, name) => Object.fromEntries(Object.entries(value).filter(([key]) => key !== name)),
  keys: (value) => Object.keys(value),
  values: (value) => Object.values(value),
  compact: (value) => Object.fromEntries(Object.entries(value).filter(([, item]) => !isNothing(item))),
  merge: (value, other) => ({ ...other, ...value }),
});
extend(String, {
  first: (value) => value[0],
  toInt: (value, radix = 10) => parseInt(value, radix),
  toFloat: (value) => parseFloat(value),
  toNumber: (value) => Number(value),
  toBoolean,
  parseJson: (value) => JSON.parse(value),
  toTitleCase: (value) => value.replace(/\p{L}+/gu, (word) => word[0].toUpperCase() + word.slice(1).toLowerCase()),
  removeTags: (value) => value.replace(/<[^>]*>?/g, ""),
  isNumeric: (value) => value.trim() !== "" && !Number.isNaN(Number(value)),
  isEmail: (value) => /^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(value),
  extractEmail: (value) => /[^\s@<>"']+@[^\s@<>"']+\.[^\s@<>"']+/.exec(value)?.[0],
  urlEncode: (value) => encodeURIComponent(value),
  urlDecode: (value) => decodeURIComponent(value),
  quote: (value, mark = '"') => mark + value.replaceAll(mark, `\\${mark}`) + mark,
});
extend(Number, {
  round: (value, places = 0) => Math.round(value * 10 ** places) / 10 ** places,
  ceil: (value) => Math.ceil(value),
  floor: (value) => Math.floor(value),
  abs: (value) => Math.abs(value),
  isEven: (value) => value % 2 === 0,
  isOdd: (value) => Math.abs(value) % 2 === 1,
  isInteger: (value) => Number.isInteger(value),
  toInt: (value) => Math.round(value),
  toFloat: (value) => value,
  toNumber: (value) => value,
  toBoolean: (value) => value !== 0,
});
extend(Boolean, {
  toInt: (value) => Number(value),
  toNumber: (value) => Number(value),
  toBoolean: (value) => value,
});
extend(Array, {
  first: (value) => value[0],
  last: (value) => value[value.length - 1],
  unique: (value) => unique(value),
  removeDuplicates: (value) => unique(value),
  compact: (value) => value.filter((item) => !isNothing(item)),
  sum: (value) => total(value),
  average: (value) => total(value) / value.length,
  min: (value) => Math.min(...numbers(value)),
  max: (value) => Math.max(...numbers(value)),
  pluck: (value, ...names) => value.map((item) => (names.length === 1 ? item[names[0]] : Object.fromEntries(names.map((name) => [name, item[name]])))),
  chunk: (value, size) => Array.from({ length: Math.ceil(value.length / size) }, (_, at) => value.slice(at * size, at * size + size)),
  append: (value, ...items) => [...value, ...items],
  union: (value, other) => unique([...value, ...other]),
  intersection: (value, other) => unique(value.filter((item) => other.includes(item))),
  difference: (value, other) => value.filter((item) => !other.includes(item)),
});
