import { Check, Copy } from "lucide-react";
import { type ComponentProps, useRef, useState } from "react";
import ReactMarkdown, { type Components } from "react-markdown";
import remarkGfm from "remark-gfm";
import { IconButton } from "@/design/controls/Button";
import { headingAnchors } from "./heading-anchor";

/** How long the button says that the code was copied. */
const COPIED_MS = 1500;

/** The part of a Markdown tree that anchors need. */
type MarkdownNode = {
  type: string;
  value?: string;
  children?: MarkdownNode[];
  data?: { hName?: string; hProperties?: Record<string, unknown> };
};

const PLUGINS = [remarkGfm, anchorHeadings, readKeys];

type Props = {
  text: string;
  /** Where an image of the document is; nothing for one that is not there. */
  imageAddress: (src: string) => string | undefined;
  /** Links do nothing but call this, with what stands in the document. */
  onLink: (href: string) => void;
};

/** A page of a document: headings are anchors, links lead on, code can be copied, wide tables scroll. */
export default function DocumentText({ text, imageAddress, onLink }: Props) {
  const components: Components = {
    img: ({ alt = "", src = "" }) => {
      const address = imageAddress(String(src));
      return address ? <img src={address} alt={alt} /> : <span className="text-fg-3">[{alt || src}]</span>;
    },
    a: ({ children, href = "" }) => (
      <a
        href={href}
        className="document-link"
        title={isExternal(href) ? href : undefined}
        onClick={(event) => {
          event.preventDefault();
          onLink(href);
        }}
      >
        {children}
      </a>
    ),
    pre: ({ children }) => <CodeBlock>{children}</CodeBlock>,
    table: ({ children }) => (
      // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, also without a pointer.
      <div className="document-table" tabIndex={0}>
        <table>{children}</table>
      </div>
    ),
  };
  return (
    <ReactMarkdown remarkPlugins={PLUGINS} components={components}>
      {withoutComments(text)}
    </ReactMarkdown>
  );
}

/** Whether a link leaves the document. */
export function isExternal(href: string): boolean {
  return /^[a-z][a-z0-9+.-]*:/i.test(href);
}

/** Generated pages begin with a comment for who opens the file. */
function withoutComments(text: string): string {
  return text.replace(/^(?:<!--[\s\S]*?-->\s*)+/, "");
}

function CodeBlock({ children }: ComponentProps<"pre">) {
  const block = useRef<HTMLPreElement>(null);
  const [copied, setCopied] = useState(false);
  const copy = async () => {
    await navigator.clipboard.writeText(block.current?.textContent ?? "");
    setCopied(true);
    setTimeout(() => setCopied(false), COPIED_MS);
  };
  return (
    <div className="document-code">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, also without a pointer. */}
      <pre ref={block} tabIndex={0}>
        {children}
      </pre>
      <IconButton
        label={copied ? "Copied" : "Copy"}
        icon={copied ? <Check size={14} aria-hidden /> : <Copy size={14} aria-hidden />}
        className="document-copy"
        onClick={() => void copy()}
      />
    </div>
  );
}

function anchorHeadings() {
  return (root: MarkdownNode) => {
    const anchor = headingAnchors();
    for (const node of root.children ?? []) {
      if (node.type !== "heading") continue;
      node.data = { ...node.data, hProperties: { ...node.data?.hProperties, id: anchor(textOf(node)), tabIndex: -1 } };
    }
  };
}

/** Keys are the only HTML of a document: `<kbd>Ctrl</kbd>`, which Markdown reads as two tags with a text between them. */
function readKeys() {
  const visit = (node: MarkdownNode) => {
    const { children = [] } = node;
    for (let index = 0; index < children.length; index++) {
      const [open, text, close] = children.slice(index, index + 3);
      if (open?.value === "<kbd>" && text?.type === "text" && close?.value === "</kbd>")
        children.splice(index, 3, { type: "emphasis", children: [text], data: { hName: "kbd" } });
    }
    children.forEach(visit);
  };
  return visit;
}

function textOf(node: MarkdownNode): string {
  return node.value ?? (node.children ?? []).map(textOf).join("");
}
