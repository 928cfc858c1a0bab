import { memo } from "react";
import ReactMarkdown from "react-markdown";
import remarkGfm from "remark-gfm";

const PLUGINS = [remarkGfm];

/** Markdown from a flow, a model or a node type. No raw HTML, and nothing is fetched: an image shows its text. */
export const Markdown = memo(function Markdown({ text, className = "" }: { text: string; className?: string }) {
  return (
    <div className={`markdown ${className}`}>
      <ReactMarkdown
        remarkPlugins={PLUGINS}
        components={{
          img: ({ alt, src }) => <span className="text-fg-3">[{alt || src}]</span>,
          a: ({ children, href }) => <span title={href}>{children}</span>,
        }}
      >
        {text}
      </ReactMarkdown>
    </div>
  );
});
