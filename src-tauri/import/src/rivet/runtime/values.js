// Values as Rivet converts them.
const text = (value) => {
  if (value === undefined || value === null) return "";
  if (Array.isArray(value)) return value.map(text).join("\n");
  return typeof value === "object" ? JSON.stringify(value) : String(value);
};
const escapes = { "\\n": "\n", "\\t": "\t", "\\r": "\r", "\\\\": "\\" };
const unescape = (value) => value.replace(/\\[ntr\\]/g, (escape) => escapes[escape]);
const numbered = () =>
  Object.keys(input).filter((name) => /^input\d+$/.test(name)).sort((one, other) => one.slice(5) - other.slice(5)).map((name) => input[name]);
const isTrue = (value) => !(value === undefined || value === null || value === "" || value === false || (Array.isArray(value) && !value.length));
const as = (value, model) =>
  typeof model === "string" ? text(value)
  : typeof model === "number" ? Number(value)
  : typeof model === "boolean" ? (typeof value === "string" ? value === "true" || (value !== "" && value !== "false") : Boolean(value))
  : value;
const isEqual = (one, other) => {
  if (one === null || other === null || typeof one !== "object" || typeof other !== "object") return one === other;
  const names = Object.keys(one);
  return Array.isArray(one) === Array.isArray(other) && names.length === Object.keys(other).length && names.every((name) => name in other && isEqual(one[name], other[name]));
};
