/** Before a retry, its button says what it reuses and what it buys. */
import { findViolations } from "./axe";
import { expect, FAILING_FLOW, openLatestRun, runToEnd, takePicture, test } from "./fixture";

for (const theme of ["dark", "light"] as const) {
  for (const [width, height] of [
    [1280, 800],
    [1000, 700],
  ] as const) {
    test.describe(`at ${width} × ${height}, ${theme}`, () => {
      test.use({ colorScheme: theme, viewport: { width, height } });

      test("the retry button says what is reused and what is bought", async ({ page, host }) => {
        await runToEnd(host, FAILING_FLOW);
        await openLatestRun(page);
        const button = page.getByTestId("retry-button");
        await expect(button).toHaveAccessibleDescription(/Reuses 2 replies and 1 result\./);
        if (width >= 1280) await expect(button).toHaveText("Retry · reuses 2, buys 1, at most $0");
        await button.hover();
        const tip = page.getByTestId("rerun-bill");
        await expect(tip).toContainText("Reuses 2 replies and 1 result.");
        await expect(tip).toContainText("Buys 1 model call (`check`): at most $0.");
        await takePicture(page, `retry-${theme}-${width}`);
        expect(await findViolations(page, { within: '[data-testid="retry-button"]' })).toEqual([]);
      });
    });
  }
}
