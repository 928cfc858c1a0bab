// Items as n8n has them: a value is one item, a list of objects is several.
const itemsOf = (value) => {
  // A loop whose iterations make several items has lists of them.
  const list = value === undefined ? [] : Array.isArray(value) ? value.flat() : [value];
  return list.map((json) => ({ json: json !== null && typeof json === "object" ? json : { data: json } }));
};
const valueOf = (items) => (items.length === 1 ? items[0].json : items.map((item) => item.json));
const nodeOf = (items, index) => ({
  isExecuted: true,
  item: items[index] ?? items[0],
  json: (items[index] ?? items[0])?.json,
  first: () => items[0],
  last: () => items[items.length - 1],
  all: () => items,
  itemMatching: (at) => items[at],
  pairedItem: (at = index) => items[at] ?? items[0],
});
class NotExecuted extends Error {}
const notExecuted = (name) => {
  throw new NotExecuted(`The node "${name}" has not been executed.`);
};
