import { windowText } from "./window-text";

/** A text with `code` in backticks, as in errors, hints and descriptions. Nothing without one. */
export function InlineCode({ text }: { text: string | undefined }) {
  if (text === undefined) return null;
  const shown = windowText(text);
  const parts = shown.split("`");
  // A backtick without its partner is no mark.
  if (parts.length < 3 || parts.length % 2 === 0) return shown;
  return parts.map((part, index) =>
    index % 2 === 1 ? (
      // biome-ignore lint/suspicious/noArrayIndexKey: the parts of one text, which never change places.
      <code key={index} className="inline-code">
        {part}
      </code>
    ) : (
      part
    ),
  );
}
