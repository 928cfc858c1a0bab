// Conditions of Flowise.
const text = (value) => (value === undefined || value === null ? "" : typeof value === "object" ? JSON.stringify(value) : String(value));
const isEmpty = (value) => value === undefined || value === null || value === "";
const number = (value) => Number(value) || 0;
// Texts are compared without their Markdown.
const MARKDOWN = [
  // Rules, and the marks of lists, headings and quotes at the beginning of a line.
  [/^ {0,3}(?:(?:-[ \t]*){3,}|(?:_[ \t]*){3,}|(?:\*[ \t]*){3,})(?:\n+|$)/gm, ""],
  [/^(\s*)(?:[*+-]|\d+\.)\s+/gm, "$1"],
  [/\n={2,}/g, "\n"],
  [/~{3}.*\n/g, ""],
  [/~~/g, ""],
  [/`{3}.*\n/g, ""],
  [/<[^>]*>/g, ""],
  [/^[=-]{2,}\s*$/g, ""],
  // Footnotes, images and links.
  [/\[\^.+?\](?:: .*?$)?/g, ""],
  [/\s{0,2}\[.*?\]: .*?$/g, ""],
  [/!\[(.*?)\][[(].*?[\])]/g, "$1"],
  [/\[([^\]]*?)\][[(].*?[\])]/g, "$1"],
  [/^\n?\s{0,3}>\s?/gm, ""],
  [/^\s*#{1,6}\s*(.*?)\s*#*$/gm, "$1"],
  // Emphasis and code.
  [/(\*+)(\S)(.*?\S)??\1/g, "$2$3"],
  [/(^|\W)(_+)(\S)(.*?\S)??\2($|\W)/g, "$1$3$4$5"],
  [/(`{3,})(.*?)\1/gm, "$2"],
  [/`(.+?)`/g, "$1"],
  [/~(.*?)~/g, "$1"],
];
const plain = (value) => MARKDOWN.reduce((rest, [mark, kept]) => rest.replace(mark, kept), text(value));
const read = (type, value) => (type === "boolean" ? value : type === "number" ? parseFloat(value) || 0 : plain(value));
const matches = (value, pattern) => {
  try {
    // Flowise's editor escapes backslashes, brackets and stars.
    return new RegExp(text(pattern).replace(/\\([\\[\]*])/g, "$1")).test(text(value || ""));
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
