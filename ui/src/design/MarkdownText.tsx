import ReactMarkdown from "react-markdown";
import remarkGfm from "remark-gfm";

const PLUGINS = [remarkGfm];

/** Markdown drawn: see `Markdown`, which loads this when it is first needed. */
export default function MarkdownText({ text }: { text: string }) {
  return (
    <ReactMarkdown
      remarkPlugins={PLUGINS}
      components={{
        img: ({ alt, src }) => <span className="text-fg-3">[{alt || src}]</span>,
        a: ({ children, href }) => <span title={href}>{children}</span>,
      }}
    >
      {text}
    </ReactMarkdown>
  );
}
