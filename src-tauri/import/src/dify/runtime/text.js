// Values as Dify writes them into a text: lists as Python does, objects as JSON, nothing for what is missing.
const dumps = (value) => {
  if (Array.isArray(value)) return `[${value.map(dumps).join(", ")}]`;
  if (value === null || typeof value !== "object") return JSON.stringify(value);
  return `{${Object.entries(value).map(([name, item]) => `${JSON.stringify(name)}: ${dumps(item)}`).join(", ")}}`;
};
const quoted = (text) => {
  const mark = text.includes("'") && !text.includes('"') ? '"' : "'";
  return mark + text.replaceAll("\\", "\\\\").replaceAll("\n", "\\n").replaceAll(mark, `\\${mark}`) + mark;
};
const repr = (value) => {
  if (value === null) return "None";
  if (typeof value === "boolean") return value ? "True" : "False";
  if (typeof value === "string") return quoted(value);
  if (Array.isArray(value)) return `[${value.map(repr).join(", ")}]`;
  if (typeof value !== "object") return String(value);
  return `{${Object.entries(value).map(([name, item]) => `${quoted(name)}: ${repr(item)}`).join(", ")}}`;
};
const text = (value) => {
  if (value === undefined || value === null || (Array.isArray(value) && !value.length)) return "";
  if (typeof value === "string") return value;
  return typeof value === "object" && !Array.isArray(value) ? dumps(value) : repr(value);
};
