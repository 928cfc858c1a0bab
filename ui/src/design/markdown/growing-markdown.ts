/**
 * When Markdown that grows has to be parsed again. Most added text is plain: at the end of the parsed part it looks the
 * same without parsing.
 */
import { createContext } from "react";

/** Characters that can begin or end markup inside of a line, and the ends of lines. */
const MARKUP = /[\n*_`~[\]()<>|&\\]/;
/** Inside a fence, everything is text but its end. */
const FENCE_MARKUP = /[`~]/;
/** The beginning of a line that can still become a list item, a heading, a quote, a table or a rule. */
const LINE_START = /^[\s\d.)#>*_`~+=|:-]*$/;
/** The end of a heading's line can close it (`# Title #`), and HTML is a block only where it has its line for itself. */
const HEADING_OR_HTML = /^[\s\d.)>*+-]*[#<]/;
/** The line of a fence goes on with the language of the code. */
const FENCE_LINE = /^[\s\d.)>*+-]*(?:```|~~~)/;

/** Whether `text` may look different from its beginning up to `parsed` with the rest put behind it as plain text. */
export function changesMarkup(text: string, parsed: number): boolean {
  const added = text.slice(parsed);
  if (added === "") return false;
  const before = text.slice(0, parsed);
  const line = lastLine(before);
  if (FENCE_LINE.test(lastLine(before.trimEnd()))) return true;
  if (endsInFence(before)) return FENCE_MARKUP.test(added);
  if (LINE_START.test(line) || HEADING_OR_HTML.test(line)) return true;
  // What comes right after a backslash or an asterisk or in an entity (`&amp;`) can change what was there.
  return /(?:[\\*_~`]|&\w*)$/.test(line) || MARKUP.test(added);
}

function lastLine(text: string): string {
  return text.slice(text.lastIndexOf("\n") + 1);
}

/** Whether a text ends inside of a fenced block of code. */
function endsInFence(text: string): boolean {
  if (!text.includes("```") && !text.includes("~~~")) return false;
  let fence: string | undefined;
  for (const line of text.split("\n")) fence = fenceAfter(line, fence);
  return fence !== undefined;
}

/** The fence that is open after a line, if `fence` is open before it. */
export function fenceAfter(line: string, fence: string | undefined): string | undefined {
  const [, mark, rest = ""] = /^ {0,3}(```+|~~~+)(.*)$/.exec(line) ?? [];
  if (mark === undefined) return fence;
  // The language of a block of code has no backticks: that would be code inside of a line.
  if (fence === undefined) return mark[0] === "`" && rest.includes("`") ? undefined : mark;
  const closes = mark[0] === fence[0] && mark.length >= fence.length && rest.trim() === "";
  return closes ? undefined : fence;
}

type Tree = { type: string; tagName?: string; value?: string; properties?: object; children?: Tree[] };

/** Elements with text that can go on. */
const BLOCKS: ReadonlySet<string> = new Set(
  "p h1 h2 h3 h4 h5 h6 ul ol li blockquote pre table thead tbody tr th td".split(" "),
);

/** For rehype: puts an empty `span` at the end of the last text, for added text. */
export function markEnd() {
  return (tree: Tree): void => {
    let end = tree;
    for (;;) {
      const { children = [] } = end;
      // Spaces between elements, and the last line break of a block of code, which the parser adds.
      const last = children.findLast((child) => child.type !== "text" || child.value?.trim() !== "");
      const isCode = end.tagName === "pre" && last?.tagName === "code";
      if (!last?.tagName || !(BLOCKS.has(last.tagName) || isCode)) break;
      end = last;
    }
    const children = [...(end.children ?? [])];
    while (children.at(-1)?.type === "text") {
      const text = children.pop()?.value?.trimEnd();
      if (!text) continue;
      children.push({ type: "text", value: text });
      break;
    }
    end.children = [...children, { type: "element", tagName: "span", properties: {}, children: [] }];
  };
}

/** What was added to Markdown since it was parsed. Only the element at its end reads it, so that growth draws nothing else. */
export const MarkdownTail = createContext("");
