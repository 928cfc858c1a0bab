// Items of several inputs. Of equal fields, those of the later input are kept.
const deepMerge = (one, other) => {
  const result = { ...one };
  for (const [name, value] of Object.entries(other)) {
    const known = result[name];
    const isNested = [known, value].every((side) => side !== null && typeof side === "object");
    result[name] = value === undefined ? known : isNested ? nestedMerge(known, value) : value;
  }
  return result;
};
const nestedMerge = (one, other) => {
  if (!Array.isArray(one) || !Array.isArray(other)) return Array.isArray(one) === Array.isArray(other) ? deepMerge(one, other) : other;
  return Array.from({ length: Math.max(one.length, other.length) }, (_, at) =>
    at in other && at in one ? deepMerge({ at: one[at] }, { at: other[at] }).at : at in other ? other[at] : one[at]);
};
const mergeItems = (lists, isDeep) =>
  lists.reduce((one, other) => (isDeep ? deepMerge(one, other) : { ...one, ...other }), {});
const byPosition = (inputs, count, isDeep) =>
  Array.from({ length: count }, (_, at) => mergeItems(inputs.filter((items) => at in items).map((items) => items[at].json), isDeep));
const combinations = (inputs, isDeep) =>
  inputs.reduce((rows, items) => rows.flatMap((row) => items.map((item) => [...row, item.json])), [[]]).map((row) => mergeItems(row, isDeep));
