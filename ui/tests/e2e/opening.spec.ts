/** What a person sees while the host reads a large data directory, and when it can't be opened. */

import type { Page } from "@playwright/test";
import { findViolations } from "./axe";
import { expect, takePicture, test } from "./fixture";

/** The host of this page opens in these steps, each a line of its reply to `opened`. */
async function openSlowly(page: Page, lines: readonly object[]): Promise<void> {
  await page.addInitScript((parts) => {
    const { fetch } = window;
    window.fetch = (input, init) => {
      if (input !== "opened") return fetch(input, init);
      const encoder = new TextEncoder();
      const body = new ReadableStream<Uint8Array>({
        async start(controller) {
          for (const part of parts) {
            controller.enqueue(encoder.encode(`${JSON.stringify(part)}\n`));
            await new Promise((resolve) => setTimeout(resolve, 120));
          }
          controller.close();
        },
      });
      return Promise.resolve(new Response(body));
    };
  }, lines);
}

for (const theme of ["dark", "light"] as const) {
  test.describe(`in the ${theme} theme`, () => {
    test.use({ colorScheme: theme });

    test("the window says how many journals have been read, then shows the editor", async ({ page }) => {
      await openSlowly(
        page,
        Array.from({ length: 41 }, (_, step) => ({ done: step * 100, total: 4000 })),
      );
      await page.goto("/");
      const opening = page.getByTestId("opening");
      await expect(opening.getByRole("heading")).toHaveText("Rebuilding the list of runs");
      await expect(opening.getByRole("status")).toHaveText(/^[\d,]+ of 4,000 journals read$/);
      await takePicture(page, `opening-${theme}`);
      const before = Number(await opening.getByRole("progressbar").getAttribute("value"));
      await expect
        .poll(async () => Number(await opening.getByRole("progressbar").getAttribute("value")))
        .toBeGreaterThan(before);
      expect(await findViolations(page, { within: '[data-testid="opening"]' })).toEqual([]);
      await expect(page.getByTestId("run-button")).toBeVisible();
      await expect(opening).toHaveCount(0);
    });
  });
}

test("a small data directory is opened without a word", async ({ page }) => {
  await page.addInitScript(() => {
    new MutationObserver(() => {
      if (document.querySelector("[data-testid=opening]")) document.title = "announced";
    }).observe(document, { childList: true, subtree: true });
  });
  await openSlowly(page, [{ done: 0, total: 0 }]);
  await page.goto("/");
  await expect(page.getByTestId("run-button")).toBeVisible();
  expect(await page.title()).not.toBe("announced");
});

test("a data directory that can't be opened is explained", async ({ page }) => {
  const error = {
    code: "store.locked",
    message: "Another process writes the data directory.",
    hint: "Close the other window, then start Plait again.",
  };
  await openSlowly(page, [{ error }]);
  await page.goto("/");
  await expect(page.getByRole("alert")).toContainText("Another process writes the data directory.");
  await expect(page.getByRole("alert")).toContainText("Close the other window");
  await takePicture(page, "opening-refused");
});
