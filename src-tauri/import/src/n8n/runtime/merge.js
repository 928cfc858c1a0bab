// Items of several inputs. Of equal fields, those of the later input are kept; with `keepsFilled`, unless they are empty.
const isBlank = (value) => value === undefined || value === null || value === "";
const isNested = (value) => value !== null && typeof value === "object";
const mergeFields = (one, other, how) => {
  const result = Array.isArray(one) ? [...one] : { ...one };
  for (const [name, value] of Object.entries(other)) {
    const known = result[name];
    if (how.keepsFilled && known !== undefined && isBlank(value)) continue;
    const nests = how.isDeep && isNested(known) && isNested(value) && Array.isArray(known) === Array.isArray(value);
    result[name] = nests ? mergeFields(known, value, how) : value;
  }
  return result;
};
const mergeItems = (rows, how) => rows.reduce((one, other) => mergeFields(one, other, how), {});
const suffixed = (json, suffix) => Object.fromEntries(Object.entries(json).map(([name, value]) => [`${name}_${suffix}`, value]));
// The inputs as lists of JSON, in the order in which later ones take the place of earlier ones.
const ordered = (inputs, how) => {
  const lists = inputs.map((items, at) => items.map(({ json }) => (how.clash === "addSuffix" ? suffixed(json, at + 1) : json)));
  return how.clash === "preferInput1" ? [...lists.slice(1), lists[0]] : lists;
};
const byPosition = (inputs, count, how) =>
  Array.from({ length: count }, (_, at) => mergeItems(ordered(inputs, how).filter((rows) => at in rows).map((rows) => rows[at]), how));
const combinations = (inputs, how) =>
  ordered(inputs, how).reduce((made, rows) => made.flatMap((row) => rows.map((json) => [...row, json])), [[]]).map((row) => mergeItems(row, how));
