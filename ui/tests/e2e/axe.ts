/** What axe-core finds on a page. */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { expect, type Page } from "@playwright/test";
import type axe from "axe-core";
import { inThemes } from "./fixture";

const SCRIPT = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** The rules about colors, which are all that a theme can change. */
const COLOR_RULES = ["color-contrast", "link-in-text-block"];

type Options = {
  /** The selectors of the parts that are checked; the whole page without one. */
  within?: string | string[];
  /** The rules that are checked; all without them. */
  rules?: string[];
};

/**
 * The violations of a page, one a line. `AxeBuilder` would load axe-core into the page for each check, and open another page to
 * collect the results of frames.
 */
export async function findViolations(page: Page, options: Options = {}): Promise<string[]> {
  // Only the main frame is checked.
  expect(page.frames()).toHaveLength(1);
  if (!(await page.evaluate(() => "axe" in window))) await page.evaluate(SCRIPT);
  return page.evaluate(async ({ within, rules }) => {
    // Colors on their way to others have contrasts that nobody sees for long.
    for (const animation of document.getAnimations()) if (animation instanceof CSSTransition) animation.finish();
    const { run } = (window as unknown as { axe: typeof axe }).axe;
    const { violations } = await run(within ?? document, {
      resultTypes: ["violations"],
      // Shortcuts that buttons show are not in their accessible names.
      rules: { "label-content-name-mismatch": { enabled: false } },
      ...(rules && { runOnly: { type: "rule", values: rules } }),
    });
    return violations.map(({ id, nodes }) => `${id}: ${nodes.map((one) => one.html.slice(0, 160)).join(" | ")}`);
  }, options);
}

/**
 * The violations of a page in both themes, one a line. `onTheme` is called once each of them is shown. The page stays dark.
 */
export async function findViolationsInThemes(
  page: Page,
  onTheme: (theme: string) => Promise<void> = async () => undefined,
): Promise<string[]> {
  const found: string[] = [];
  await inThemes(page, async (theme) => {
    await onTheme(theme);
    const violations = await findViolations(page, theme === "light" ? { rules: COLOR_RULES } : {});
    found.push(...violations.map((violation) => `${theme}: ${violation}`));
  });
  return found;
}
