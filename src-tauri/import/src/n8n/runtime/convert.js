// Values as a type. A value that is none of the type stops the workflow.
const describe = (value) => (value !== null && typeof value === "object" ? JSON.stringify(value) : String(value));
// Objects as JavaScript writes them: texts in single quotes, names without quotes, a comma at the end.
const LOOSE = /"(?:[^"\\]|\\.)*"|'((?:[^'\\]|\\.)*)'|([A-Za-z_$][\w$]*)(?=\s*:)|,(?=\s*[}\]])/g;
const parseJson = (text) => {
  try {
    return JSON.parse(text);
  } catch (error) {
    return JSON.parse(text.replace(LOOSE, (token, single, name) => (single !== undefined ? JSON.stringify(single.replace(/\\'/g, "'")) : name ? JSON.stringify(name) : token === "," ? "" : token)));
  }
};
const converters = {
  string: (value) => (typeof value === "object" ? JSON.stringify(value) : String(value)),
  number: (value) => (Number.isNaN(Number(value)) ? undefined : Number(value)),
  boolean: (value) => {
    if (typeof value === "boolean") return value;
    const text = String(value).toLowerCase();
    if (text === "true" || text === "false") return text === "true";
    const number = typeof value === "string" && value.trim() === "" ? NaN : Number(value);
    return number === 1 ? true : number === 0 ? false : undefined;
  },
  array: (value) => {
    const list = Array.isArray(value) ? value : parseJson(String(value));
    return Array.isArray(list) ? list : undefined;
  },
  object: (value) => {
    const object = value !== null && typeof value === "object" ? value : parseJson(String(value));
    return object !== null && typeof object === "object" && !Array.isArray(object) ? object : undefined;
  },
  dateTime: (value) => {
    const text = String(value).trim();
    const isDay = /^\d{4}-\d{2}-\d{2}$/.test(text);
    const time = Date.parse(isDay ? text : text.replace(/^(\d{4}-\d{2}-\d{2}) (\d{2}:)/, "$1T$2"));
    return Number.isNaN(time) ? undefined : time;
  },
};
const convert = (type, value) => {
  let converted;
  try {
    converted = (converters[type] ?? ((other) => other))(value);
  } catch (error) {
    converted = undefined;
  }
  if (converted === undefined) throw new Error(`The value ${describe(value)} is no ${type}.`);
  return converted;
};
