/** Search over the titles, headings and texts of the guide. */
import type { Page, Section } from "./pages";

export type SearchResult = { page: Page; section: Section; excerpt: string };

const MAX_RESULTS = 60;
const EXCERPT_BEFORE = 40;
const EXCERPT_LENGTH = 150;

const TITLE_SCORE = 4;
const HEADING_SCORE = 3;
const TEXT_SCORE = 1;

/** The sections that have all words, in any case: first the sections with the words in titles and headings. */
export function searchGuide(pages: readonly Page[], query: string): SearchResult[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return [];
  const found = pages.flatMap((page) =>
    page.sections.flatMap((section, index) => {
      // The title counts for the beginning of its page only, or each of its sections would be found.
      const score = scoreOf(words, index === 0 ? page.title : "", section);
      return score === 0 ? [] : [{ score, page, section, excerpt: excerptOf(section.text, words) }];
    }),
  );
  return found
    .sort((one, other) => other.score - one.score)
    .slice(0, MAX_RESULTS)
    .map(({ score: _, ...result }) => result);
}

function scoreOf(words: readonly string[], title: string, { heading, text }: Section): number {
  let sum = 0;
  for (const word of words) {
    const score = title.toLowerCase().includes(word)
      ? TITLE_SCORE
      : heading.toLowerCase().includes(word)
        ? HEADING_SCORE
        : text.toLowerCase().includes(word)
          ? TEXT_SCORE
          : 0;
    if (score === 0) return 0;
    sum += score;
  }
  return sum;
}

function excerptOf(text: string, words: readonly string[]): string {
  const lower = text.toLowerCase();
  const places = words.map((word) => lower.indexOf(word)).filter((place) => place >= 0);
  const start = Math.max(0, Math.min(...places, text.length) - EXCERPT_BEFORE);
  const begin = places.length === 0 || start === 0 ? 0 : lower.indexOf(" ", start) + 1;
  const end = begin + EXCERPT_LENGTH;
  return `${begin > 0 ? "…" : ""}${text.slice(begin, end)}${end < text.length ? "…" : ""}`;
}
