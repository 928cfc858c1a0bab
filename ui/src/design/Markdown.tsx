import { lazy, memo, Suspense } from "react";

const load = () => import("./MarkdownText");
const Text = lazy(load);

/** Loads the Markdown renderer in the background, after the first paint. */
export function preloadMarkdown(): void {
  void load();
}

/**
 * Markdown from a flow, a model or a node type. No raw HTML, and nothing is fetched: an image shows its alt text. Shows the
 * source text until the renderer is loaded.
 */
export const Markdown = memo(function Markdown({ text, className = "" }: { text: string; className?: string }) {
  return (
    <div className={`markdown ${className}`}>
      <Suspense fallback={<p className="whitespace-pre-wrap">{text}</p>}>
        <Text text={text} />
      </Suspense>
    </div>
  );
});
