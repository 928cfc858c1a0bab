/**
 * A text of the engine as the window says it: without what names a command of the terminal. Messages, hints and descriptions
 * are written for both; of several ways that they name, those that the window has stay.
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
  // A clause whose continuation has gone ends the sentence.
  return kept.replace(/;$/, ".").replace(/; (?=\p{Lu})/gu, ". ");
}

const COMMAND = /`plait /;
const CLAUSE_END = /(?<=[.;])\s+/;
