// Fields by their paths, such as `a.b[0]`. Without dots, the path is the name of one field.
const stepsOf = (path, hasDots) =>
  hasDots ? path.replace(/\[(?:"([^"]*)"|'([^']*)'|([^\]]*))\]/g, (_, one, other, index) => `.${one ?? other ?? index}`).split(".").filter((step) => step !== "") : [path];
const readField = (json, path, hasDots) => stepsOf(path, hasDots).reduce((value, step) => value?.[step], json);
const writeField = (json, path, value, hasDots) => {
  const steps = stepsOf(path, hasDots);
  const last = steps.pop();
  let at = json;
  steps.forEach((step, index) => {
    const next = steps[index + 1] ?? last;
    if (at[step] === null || typeof at[step] !== "object") at[step] = /^\d+$/.test(next) ? [] : {};
    at = at[step];
  });
  if (last !== undefined) at[last] = value;
};
const removeField = (json, path, hasDots) => {
  const steps = stepsOf(path, hasDots);
  const last = steps.pop();
  const at = steps.reduce((value, step) => value?.[step], json);
  if (at !== null && typeof at === "object") delete at[last];
};
const copy = (json) => JSON.parse(JSON.stringify(json));
// What of the fields of an item is kept: "all", "none", or by a list of names.
const included = (json, mode, names, hasDots) => {
  const kept = mode === "all" || mode === "except" ? copy(json) : {};
  if (mode === "except") names.forEach((name) => removeField(kept, name, hasDots));
  if (mode === "selected") {
    names.forEach((name) => writeField(kept, hasDots ? name.split(".").pop() : name, readField(json, name, hasDots), hasDots));
  }
  return kept;
};
