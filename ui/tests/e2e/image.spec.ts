/** A flow as an image. */
import { readFile } from "node:fs/promises";
import { expect, openFlow, test } from "./fixture";

for (const theme of ["dark", "light"] as const) {
  test(`a flow is exported as SVG in the ${theme} theme, and drawn as the canvas has it`, async ({ page }) => {
    await page.emulateMedia({ colorScheme: theme });
    await openFlow(page);
    await page.getByTestId("canvas").click({ button: "right", position: { x: 20, y: 20 } });
    await page.getByTestId("menu-image.exportSvg").click();
    await expect(page.getByTestId("file-dialog-path")).toHaveValue("Support triage.svg");
    const downloading = page.waitForEvent("download");
    await page.getByTestId("file-dialog-ok").click();
    const download = await downloading;
    await expect(page.getByText("Saved as Support triage.svg")).toBeVisible();
    expect(download.suggestedFilename()).toBe("Support triage.svg");
    const svg = await readFile(await download.path(), "utf8");
    expect(svg).toContain("Ask the customer");
    const image = await page.evaluate(async (text) => {
      const drawn = new Image();
      drawn.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}`;
      await drawn.decode();
      return { width: drawn.width, height: drawn.height };
    }, svg);
    expect(image.width).toBeGreaterThan(700);
    expect(image.height).toBeGreaterThan(300);
  });
}

test("a flow is copied as an image, and saved where the clipboard takes none", async ({ page }) => {
  await openFlow(page);
  const copy = async () => {
    await page.keyboard.press("Control+k");
    await page.keyboard.type("copy as image");
    await page.keyboard.press("Enter");
  };
  await copy();
  await expect(page.getByText("Copied as image")).toBeVisible();
  const size = await page.evaluate(async () => {
    const [item] = await navigator.clipboard.read();
    const blob = await item?.getType("image/png");
    return blob?.size ?? 0;
  });
  expect(size).toBeGreaterThan(5_000);
  await page.evaluate(() => {
    navigator.clipboard.write = () => Promise.reject(new DOMException("No.", "NotAllowedError"));
  });
  await copy();
  const downloading = page.waitForEvent("download");
  await page.getByTestId("file-dialog-ok").click();
  expect((await downloading).suggestedFilename()).toBe("Support triage.png");
  await expect(page.getByText("Saved as Support triage.png")).toBeVisible();
});

test("a canceled export saves nothing and says nothing", async ({ page }) => {
  await openFlow(page);
  await page.getByTestId("canvas").click({ button: "right", position: { x: 20, y: 20 } });
  await page.getByTestId("menu-image.exportSvg").click();
  await page.getByTestId("file-dialog-cancel").click();
  await expect(page.getByTestId("file-dialog")).toHaveCount(0);
  await expect(page.locator("[data-sonner-toast]")).toHaveCount(0);
});
