import { Markdown } from "@/design/markdown/Markdown";

/** What a model reasoned before it answered, folded. */
export function Reasoning({ text }: { text: string }) {
  return (
    <details className="mb-1 text-fg-3 text-sm">
      <summary className="w-fit">Reasoning</summary>
      <Markdown text={text} />
    </details>
  );
}
