// What texts of Rivet do with a value, as in `{{name | trim | indent 2}}`.
const lines = (value, change) => value.split("\n").map(change).join("\n");
const dedent = (value) => {
  const indents = value.split("\n").filter((line) => line.trim()).map((line) => /^[ \t]*/.exec(line)[0].length);
  return lines(value, (line) => line.slice(Math.min(...indents, Infinity) || 0)).trim();
};
const wrap = (value, width) => {
  const wrapped = [""];
  for (const word of value.split(/\s+/)) {
    const last = wrapped[wrapped.length - 1];
    if (last.length + word.length + 1 <= width) wrapped[wrapped.length - 1] = last ? `${last} ${word}` : word;
    else wrapped.push(word);
  }
  return wrapped.filter(Boolean).join("\n");
};
const functions = {
  indent: (value, count = 0) => lines(value, (line) => " ".repeat(count) + line),
  quote: (value, level = 1) => lines(value, (line) => "> ".repeat(level) + line),
  list: (value, level = 1) => lines(value, (line) => `${"  ".repeat(level - 1)}- ${line}`),
  sort: (value) => value.split("\n").sort().join("\n"),
  truncate: (value, length = 50) => (value.length <= length ? value : `${value.slice(0, length)}...`),
  wrap: (value, width = 80) => wrap(value, width),
  uppercase: (value) => value.toUpperCase(),
  lowercase: (value) => value.toLowerCase(),
  trim: (value) => value.trim(),
  dedent,
};
const processed = (value, chain) =>
  chain.split("|").map((step) => step.trim().split(/\s+/)).reduce((rest, [name, count]) => functions[name]?.(rest, count === undefined ? undefined : parseInt(count, 10)) ?? rest, value);
