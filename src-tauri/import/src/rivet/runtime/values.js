// Values as Rivet converts them.
const text = (value) => {
  if (value === undefined || value === null) return "";
  if (Array.isArray(value)) return value.map(text).join("\n");
  return typeof value === "object" ? JSON.stringify(value) : String(value);
};
const ESCAPES = { n: "\n", t: "\t", r: "\r", f: "\f", b: "\b", v: "\v" };
const unescape = (value) =>
  Object.entries(ESCAPES).reduce((rest, [letter, character]) => rest.replace(new RegExp(`([^\\\\]|^)\\\\${letter}`, "g"), `$1${character}`), value);
const numbered = () =>
  Object.keys(input).filter((name) => /^input\d+$/.test(name)).sort((one, other) => one.slice(5) - other.slice(5)).map((name) => input[name]);
const isTrue = (value) => !(value === undefined || value === null || value === "" || value === false || (Array.isArray(value) && !value.length));
const toNumber = (value) =>
  typeof value === "string" ? parseFloat(value) : typeof value === "boolean" ? Number(value) : typeof value === "number" ? value : undefined;
const toBoolean = (value) => (Array.isArray(value) ? value.every(toBoolean) : typeof value === "string" ? value !== "" && value !== "false" : Boolean(value));
const as = (value, model) =>
  typeof model === "string" ? text(value)
  : typeof model === "number" ? toNumber(value)
  : typeof model === "boolean" ? toBoolean(value)
  : Array.isArray(model) && !Array.isArray(value) ? [value]
  : value;
// The values that a path such as `$.a[0].b` leads to.
const valuesAt = (root, path) => {
  const below = (value) => (value !== null && typeof value === "object" ? [value, ...Object.values(value).flatMap(below)] : []);
  let found = [root];
  for (const [, deep, one, other, index, name] of path.trim().replace(/^\$/, "").matchAll(/(\.(?=\.))|\.?(?:\[(?:'([^']*)'|"([^"]*)"|([^\]]+))\]|([^.[\]]+))/g)) {
    const key = one ?? other ?? (index ?? name)?.trim();
    const slice = index === undefined ? null : /^(-?\d*):(-?\d*)$/.exec(key);
    const step = (value) => {
      if (value === null || typeof value !== "object") return [];
      if (key === "*" && (index ?? name)) return Object.values(value);
      if (slice) return Array.isArray(value) ? value.slice(slice[1] || 0, slice[2] || undefined) : [];
      return Object.hasOwn(value, key) ? [value[key]] : [];
    };
    found = found.flatMap(deep ? below : step);
  }
  return found;
};
const isEqual = (one, other) => {
  if (one === null || other === null || typeof one !== "object" || typeof other !== "object") return one === other;
  const names = Object.keys(one);
  return Array.isArray(one) === Array.isArray(other) && names.length === Object.keys(other).length && names.every((name) => name in other && isEqual(one[name], other[name]));
};
