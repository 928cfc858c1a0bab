/** Markdown without its marks, for places too small to draw it. */
export function plain(markdown: string): string {
  return markdown
    .replace(/^\s*(?:```|~~~).*$/gm, "")
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replace(/^\s*(?:[#>]+|[-*+]|\d+\.)\s+/gm, "")
    .replace(/(\*\*|__|~~|`+)(.*?)\1/g, "$2")
    .replace(/(^|\W)[*_](\S[^*_]*)[*_](?=\W|$)/g, "$1$2")
    .replace(/\s+/g, " ")
    .trim();
}
