/**
 * A text of the engine without the commands of the terminal that it names. Messages, hints and descriptions are written for
 * window and terminal. Where they name several ways, the ways of the window stay.
 */
export function windowText(text: string): string {
  if (!COMMAND.test(text)) return text;
  const kept = text
    .replace(/\b(with|by) `(?:plait |--)[^`]*` or /g, "")
    .replace(/,? or [^,;.`]*`(?:plait |--)[^`]*`[^,;.]*/g, "")
    .replace(/, (?:with|by) `(?:plait |--)[^`]*`(?=[,.;])/g, "")
    .split(CLAUSE_END)
    .filter((clause) => !COMMAND.test(clause))
    .map((clause) => clause.charAt(0).toUpperCase() + clause.slice(1))
    .join(" ");
  // A clause that lost its continuation ends the sentence.
  return kept.replace(/;$/, ".").replace(/; (?=\p{Lu})/gu, ". ");
}

const COMMAND = /`plait /;
const CLAUSE_END = /(?<=[.;])\s+/;
