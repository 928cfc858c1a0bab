/** Anchors of headings, as mdBook and GitHub make them from the text: `Who remembers what?` is `who-remembers-what`. */
export function headingAnchor(text: string): string {
  return text
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{N}_\s-]/gu, "")
    .replace(/\s/g, "-");
}

/** Gives each heading of one page its anchor: a second heading with the same text gets `-1`, and so on. */
export function headingAnchors(): (text: string) => string {
  const seen = new Map<string, number>();
  return (text) => {
    const anchor = headingAnchor(text);
    const count = seen.get(anchor) ?? 0;
    seen.set(anchor, count + 1);
    return count === 0 ? anchor : `${anchor}-${count}`;
  };
}
