// Items of two inputs that are matched by their fields.
const isEqual = (one, other) =>
  one === other ||
  (isNested(one) && isNested(other) && Array.isArray(one) === Array.isArray(other) && Object.keys(one).length === Object.keys(other).length &&
    Object.keys(one).every((key) => key in other && isEqual(one[key], other[key])));
const isAlike = (one, other) => {
  const isEmpty = (value) => value === null || value === "" || (Array.isArray(value) && !value.length);
  if (one !== null && other !== null && typeof one === typeof other) return isEqual(one, other);
  if (isEmpty(one) && (isEmpty(other) || other === undefined)) return true;
  const [text, value] = typeof one === "string" ? [one, other] : [other, one];
  if (typeof value === "boolean") return ["number", "string"].includes(typeof text) && [String(value), String(Number(value))].includes(String(text).toLowerCase());
  if (typeof text === "string" && typeof value === "number") return text === String(value);
  if (typeof text !== "string" || !isNested(value)) return false;
  try {
    return isEqual(JSON.parse(text), value);
  } catch (error) {
    return false;
  }
};
const jsonOf = (items) => items.map(({ json }) => json);
const byFields = ([one, other = []], { pairs, join, from, isFuzzy, isFirst, hasDots, needsFields, ...how }) => {
  const fieldsOf = (json, side) => pairs.map((pair) => readField(json, pair[side], hasDots));
  const [left, right] = [jsonOf(one), jsonOf(other)];
  const isAbsent = (rows, side, at) => !rows.some((json) => fieldsOf(json, side)[at] !== undefined);
  [left, right].forEach((rows, side) => pairs.forEach((pair, at) => {
    if (needsFields && isAbsent(rows, side, at)) throw new Error(`No item of input ${side + 1} has the field "${pair[side]}".`);
  }));
  if (!left.length || !right.length) {
    const isNothing = join === "keepMatches" || (join === "enrichInput1" && !left.length) || (join === "enrichInput2" && !right.length);
    const isOther = join === "keepNonMatches" && ((from === "input1" && !left.length) || (from === "input2" && !right.length));
    return isNothing || isOther ? [] : [...left, ...right];
  }
  const isSame = isFuzzy ? isAlike : isEqual;
  const [matches, taken] = [[], new Set()];
  const alone = left.filter((json) => {
    const wanted = fieldsOf(json, 0);
    if (wanted.includes(undefined)) return true;
    const found = right.flatMap((row, at) => (fieldsOf(row, 1).every((value, field) => isSame(wanted[field], value)) ? [at] : []));
    if (isFirst) found.splice(1);
    found.forEach((at) => taken.add(at));
    if (found.length) matches.push([json, found.map((at) => right[at])]);
    return !found.length;
  });
  const others = right.filter((_, at) => !taken.has(at));
  const clash = how.clash ?? (join === "enrichInput2" ? "preferInput1" : "preferLast");
  const named = (rows, side) => (clash === "addSuffix" ? rows.map((json) => suffixed(json, side)) : rows);
  const merged = () => matches.flatMap(([json, rows]) => rows.map((row) => {
    const both = [named([json], 1)[0], named([row], 2)[0]];
    return mergeItems(clash === "preferInput1" ? both.reverse() : both, how);
  }));
  const marked = (rows, name) => rows.map((json) => ({ ...json, _source: name }));
  switch (join) {
    case "keepNonMatches":
      return from === "input1" ? alone : from === "input2" ? others : [...marked(alone, "input1"), ...marked(others, "input2")];
    case "keepEverything":
      return [...merged(), ...named(alone, 1), ...named(others, 2)];
    case "enrichInput1":
      return [...merged(), ...named(alone, 1)];
    case "enrichInput2":
      return [...merged(), ...named(others, 2)];
    default:
      return from === "input1" ? matches.map(([json]) => json) : from === "input2" ? right.filter((_, at) => taken.has(at)) : merged();
  }
};
// The first version: the text of one field decides, and the last item of the second input that has it.
const byKey = ([one, other = []], mode, names, overwrite) => {
  const rows = jsonOf(one);
  if (!names.every(Boolean)) return mode === "keepKeyMatches" ? [] : rows;
  const known = new Map(jsonOf(other).map((json) => [readField(json, names[1], true), json]).filter(([key]) => key).map(([key, json]) => [String(key), json]));
  return rows.flatMap((json) => {
    const key = readField(json, names[0], true);
    const isKey = typeof key === "string" || typeof key === "number";
    const match = isKey ? known.get(String(key)) : undefined;
    if (mode === "removeKeyMatches") return match ? [] : [json];
    if (mode === "keepKeyMatches") return match ? [json] : [];
    if (!isKey && key !== null) return [];
    const made = { ...json };
    for (const [name, value] of Object.entries(match ?? {})) {
      const isFree = overwrite === "undefined" ? !(name in json) : overwrite !== "blank" || isBlank(json[name]);
      if (name !== names[1] && isFree) made[name] = value;
    }
    return [made];
  });
};
