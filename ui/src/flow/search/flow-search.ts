/** Searching the nodes of a flow: their titles, types, and all texts of their configuration. */
import type { Flow, Node, NodeId } from "@/bindings";
import { INNER_FLOW_FIELD, innerFlowOf } from "@/flow/document/inner-flow";
import { humanize } from "@/flow/node-types/config-spec";

/** A part of a text, which was searched for or stands between what was. */
export type TextPart = { text: string; isMatch: boolean };

export type NodeMatch = {
  node: NodeId;
  /** The nodes with the inner flows around it, the outermost first. */
  inside: readonly NodeId[];
  type: string;
  title: TextPart[];
  typeTitle: TextPart[];
  /** The text of the configuration with the most words, if any has one. */
  excerpt?: { field: string; parts: TextPart[] };
};

export type FlowQuery = {
  /** One pattern for each word; all must match. */
  words: readonly RegExp[];
  /** Matches any of the words. */
  any: RegExp;
};

type Text = { field: string; text: string };
type TitleOf = (type: string) => string;

/** How much of a text is shown, and how much of that stands before the first match. */
const EXCERPT_LENGTH = 160;
const LENGTH_BEFORE_MATCH = 32;

// Nodes are never changed, only replaced.
const knownTexts = new WeakMap<Node, Text[]>();

/** What was typed, as words; nothing if there are none. */
export function flowQuery(search: string): FlowQuery | undefined {
  const words = search
    .trim()
    .split(/\s+/)
    .filter(Boolean)
    .map((word) => word.replace(/[.*+?^${}()|[\]\\/]/g, "\\$&"));
  if (words.length === 0) return undefined;
  // Of words that begin alike, the longest is marked.
  const longestFirst = words.toSorted((a, b) => b.length - a.length);
  return { words: words.map((word) => new RegExp(word, "iu")), any: new RegExp(longestFirst.join("|"), "giu") };
}

/** The nodes in which each word is found somewhere, in the flow's order; after each the ones of its inner flow. */
export function searchFlow(
  flow: Flow,
  query: FlowQuery,
  typeTitle: TitleOf,
  inside: readonly NodeId[] = [],
): NodeMatch[] {
  return Object.entries(flow.nodes).flatMap(([id, node]) => {
    const found = searchNode(node, query, typeTitle(node.type));
    const inner = node.config?.[INNER_FLOW_FIELD] === undefined ? undefined : innerFlowOf(node);
    return [
      ...(found ? [{ node: id, inside, ...found }] : []),
      ...(inner ? searchFlow(inner, query, typeTitle, [...inside, id]) : []),
    ];
  });
}

function searchNode(node: Node, query: FlowQuery, typeTitle: string): Omit<NodeMatch, "node" | "inside"> | undefined {
  const title = node.title || typeTitle;
  const texts = textsOf(node);
  const searched = [title, typeTitle, node.type, ...texts.map(({ text }) => text)];
  if (!query.words.every((word) => searched.some((text) => word.test(text)))) return undefined;
  const best = bestOf(texts, query);
  return {
    type: node.type,
    title: partsOf(title, query),
    typeTitle: partsOf(typeTitle, query),
    ...(best && { excerpt: { field: best.field, parts: partsOf(excerptOf(best.text, query), query) } }),
  };
}

/** The text with the most of the words; the first of several. */
function bestOf(texts: readonly Text[], { words }: FlowQuery): Text | undefined {
  let best: { text: Text; count: number } | undefined;
  for (const text of texts) {
    const count = words.filter((word) => word.test(text.text)).length;
    if (count > (best?.count ?? 0)) best = { text, count };
  }
  return best?.text;
}

/** The texts of a configuration, each with the name of the field that it is in. Inner flows are searched separately. */
function textsOf(node: Node): Text[] {
  let texts = knownTexts.get(node);
  if (!texts) {
    texts = Object.entries(node.config ?? {}).flatMap(([name, value]) =>
      name === INNER_FLOW_FIELD && innerFlowOf(node)
        ? []
        : stringsIn(value).map((text) => ({ field: humanize(name), text })),
    );
    knownTexts.set(node, texts);
  }
  return texts;
}

function stringsIn(value: unknown): string[] {
  if (typeof value === "string") return [value];
  if (typeof value !== "object" || value === null) return [];
  return Object.values(value).flatMap(stringsIn);
}

/** One line of a text, around the first match. */
function excerptOf(text: string, { any }: FlowQuery): string {
  const at = Math.max(0, text.search(any));
  const start = at <= LENGTH_BEFORE_MATCH ? 0 : at - LENGTH_BEFORE_MATCH;
  const end = start + EXCERPT_LENGTH;
  const line = text.slice(start, end).replace(/\s+/g, " ").trim();
  return `${start > 0 ? "…" : ""}${line}${end < text.length ? "…" : ""}`;
}

function partsOf(text: string, { any }: FlowQuery): TextPart[] {
  const parts: TextPart[] = [];
  let end = 0;
  for (const match of text.matchAll(any)) {
    if (match.index > end) parts.push({ text: text.slice(end, match.index), isMatch: false });
    end = match.index + match[0].length;
    parts.push({ text: match[0], isMatch: true });
  }
  if (end < text.length) parts.push({ text: text.slice(end), isMatch: false });
  return parts;
}
