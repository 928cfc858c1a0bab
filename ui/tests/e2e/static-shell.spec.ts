/** What a person sees before any script has run: the window's frame, which the app then replaces where it stands. */
import { expect, takePicture, test } from "./fixture";

const COLORS = { dark: "rgb(16, 18, 25)", light: "rgb(245, 246, 250)" };

for (const theme of ["dark", "light"] as const) {
  test.describe(`in the ${theme} theme`, () => {
    test.use({ colorScheme: theme });

    test("the shell stands while no script has arrived, and the app replaces it", async ({ page }) => {
      let release = () => {};
      const released = new Promise<void>((resolve) => {
        release = resolve;
      });
      await page.route(/\.(js|css)$/, async (route) => {
        await released;
        await route.continue();
      });
      await page.setViewportSize({ width: 1440, height: 900 });
      await page.goto("/", { waitUntil: "commit" });
      const shell = page.getByTestId("static-shell");
      await expect(shell.getByText("Plait")).toBeVisible();
      await expect(shell).toHaveCSS("background-color", COLORS[theme]);
      const bar = await shell.locator(".static-shell-bar").boundingBox();
      const rail = await shell.locator(".static-shell-rail").boundingBox();
      const panel = await shell.locator(".static-shell-panel").boundingBox();
      await takePicture(page, `static-shell-${theme}`);
      release();
      await expect(page.getByTestId("start-page")).toBeVisible();
      await expect(shell).toHaveCount(0);
      await expect(page.locator("body")).toHaveCSS("background-color", COLORS[theme]);
      expect(await page.getByRole("banner").boundingBox()).toEqual(bar);
      expect(await page.getByRole("navigation", { name: "Panels" }).boundingBox()).toEqual(rail);
      const left = await page.locator("#part-left").boundingBox();
      expect(Math.abs((left?.width ?? 0) - (panel?.width ?? 0))).toBeLessThanOrEqual(1);
      await takePicture(page, `static-shell-replaced-${theme}`);
    });
  });
}

test("the shell is painted without waiting for a stylesheet", async ({ page }) => {
  await page.route(/\.css$/, () => {});
  await page.goto("/", { waitUntil: "commit" });
  const painted = page.evaluate(
    () =>
      new Promise<string>((resolve) => {
        new PerformanceObserver((list) => {
          for (const { name } of list.getEntriesByName("first-contentful-paint")) resolve(name);
        }).observe({ type: "paint", buffered: true });
      }),
  );
  expect(await painted).toBe("first-contentful-paint");
});
