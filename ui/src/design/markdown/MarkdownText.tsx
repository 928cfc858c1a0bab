import { useContext } from "react";
import ReactMarkdown, { type Components } from "react-markdown";
import remarkGfm from "remark-gfm";
import { MarkdownTail, markEnd } from "./growing-markdown";

const PLUGINS = [remarkGfm];
const END = [markEnd];
const COMPONENTS: Components = {
  img: ({ alt, src }) => <span className="text-fg-3">[{alt || src}]</span>,
  a: ({ children, href }) => <span title={href}>{children}</span>,
};
/** Markdown has no `span` of its own: the only one is where the text ends. */
const GROWING: Components = { ...COMPONENTS, span: Tail };

/** Markdown drawn: see `Markdown`, which loads this when it is first needed. */
export default function MarkdownText({ text, grows }: { text: string; grows: boolean }) {
  return (
    <ReactMarkdown
      remarkPlugins={PLUGINS}
      rehypePlugins={grows ? END : undefined}
      components={grows ? GROWING : COMPONENTS}
    >
      {text}
    </ReactMarkdown>
  );
}

function Tail() {
  return <span className="growing-end">{useContext(MarkdownTail)}</span>;
}
