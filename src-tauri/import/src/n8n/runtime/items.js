// Items as n8n has them: a value is one item, a list of objects is several.
const itemsOf = (value) => {
  // A loop whose iterations make several items has lists of them.
  const list = value === undefined ? [] : Array.isArray(value) ? value.flat() : [value];
  // What begins a run without a text has no fields.
  return list.map((json) => ({ json: json !== null && typeof json === "object" ? json : json === "" ? {} : { data: json } }));
};
const valueOf = (items) => (items.length === 1 ? items[0].json : items.map((item) => item.json));
// What stops the workflow, also in an expression.
class Stopped extends Error {}
const nodeOf = (items, index, isUnpaired) => {
  // Which of several items an item came from is known only where each makes one.
  const paired = (at) => {
    if (isUnpaired && items.length > 1) throw new Stopped("Which of several items it came from is not known here.");
    return items[at] ?? items[0];
  };
  const json = () => {
    if (index >= items.length) throw new Stopped(`There is no item ${index}.`);
    return items[index].json;
  };
  return {
    isExecuted: true,
    get item() { return paired(index); },
    get json() { return json(); },
    get data() { return json(); },
    first: () => items[0],
    last: () => items[items.length - 1],
    all: () => items,
    itemMatching: paired,
    pairedItem: (at = index) => paired(at),
  };
};
const notExecuted = (name) => new Proxy({}, {
  get: (_, property) => {
    if (property === "isExecuted") return false;
    throw new Stopped(`The node "${name}" has not been executed.`);
  },
});
