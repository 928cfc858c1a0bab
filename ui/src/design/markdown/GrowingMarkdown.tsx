import { useLayoutEffect, useRef, useState } from "react";
import { changesMarkup, MarkdownTail } from "./growing-markdown";
import { Markdown } from "./Markdown";

/** The least time between two parsings of a text that grows, in milliseconds. */
const PARSE_INTERVAL_MS = 120;
/** What looks like plain text is parsed that seldom while it grows. */
const PLAIN_INTERVAL_MS = 1_000;

/**
 * Markdown that is still being written. Added text is put behind the parsed part, as one text node that grows; the
 * whole is parsed again only when markup was added, and not for each token. With `complete`, it is parsed once and for
 * all.
 */
export function GrowingMarkdown({ text, complete }: { text: string; complete: boolean }) {
  const [length, setLength] = useState(text.length);
  const parsedAt = useRef(performance.now());
  const isParsed = complete || length === text.length;
  const needsParsing = !isParsed && changesMarkup(text, length);
  // Before the frame is painted, so that markup which comes slowly is never seen as its source.
  useLayoutEffect(() => {
    if (isParsed) return;
    const parse = () => {
      parsedAt.current = performance.now();
      setLength(text.length);
    };
    const interval = needsParsing ? PARSE_INTERVAL_MS : PLAIN_INTERVAL_MS;
    const wait = parsedAt.current + interval - performance.now();
    if (wait <= 0) return parse();
    const timer = setTimeout(parse, wait);
    return () => clearTimeout(timer);
  }, [text, isParsed, needsParsing]);
  if (complete) return <Markdown text={text} />;
  // Spaces at the end belong to what follows: parsed, they would be gone.
  const parsed = text.slice(0, length).trimEnd();
  return (
    <MarkdownTail value={text.slice(parsed.length)}>
      <Markdown text={parsed} grows />
    </MarkdownTail>
  );
}
