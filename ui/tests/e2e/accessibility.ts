/** What axe finds on a page. */
import AxeBuilder from "@axe-core/playwright";
import type { Page } from "@playwright/test";

/** The rules that these parts of the page break, or the whole page without parts, each with its elements. */
export async function findViolations(page: Page, ...parts: string[]): Promise<string[]> {
  // The page has no frames, so axe can report from inside it; otherwise it opens another page for its report. Elements are
  // described for violations only: describing those that pass takes most of axe's time.
  const axe = new AxeBuilder({ page }).setLegacyMode().options({ resultTypes: ["violations"] });
  for (const part of parts) axe.include(part);
  const { violations } = await axe.analyze();
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map((one) => one.html.slice(0, 160)).join(" | ")}`);
}
