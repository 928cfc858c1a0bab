import { lazy, memo, Suspense } from "react";

const load = () => import("./MarkdownText");
const Text = lazy(load);

/** Loads the Markdown renderer in the background, after the first paint. */
export function preloadMarkdown(): void {
  void load();
}

type Props = {
  text: string;
  className?: string;
  /** Whether the text goes on with a `MarkdownTail`: see `GrowingMarkdown`. */
  grows?: boolean;
};

/**
 * Markdown from a flow, a model or a node type. No raw HTML, and nothing is fetched: an image shows its alt text. Shows the
 * source text until the renderer is loaded.
 */
export const Markdown = memo(function Markdown({ text, className = "", grows = false }: Props) {
  return (
    <div className={`markdown ${className}`}>
      <Suspense fallback={<p className="whitespace-pre-wrap">{text}</p>}>
        <Text text={text} grows={grows} />
      </Suspense>
    </div>
  );
});
