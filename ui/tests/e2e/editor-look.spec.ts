import type { Locator, Page } from "@playwright/test";
import { findViolationsInThemes } from "./axe";
import { drag, expect, handle, intoView, middle, node, openEmpty, openFlow, test } from "./fixture";

async function expectAccessible(page: Page): Promise<void> {
  expect(await findViolationsInThemes(page)).toEqual([]);
}

/** Nothing sticks out of the window, and no bar of the shell is cut off. */
async function expectNoOverflow(page: Page): Promise<void> {
  const wide = await page.evaluate(() => {
    const { scrollWidth, scrollHeight, clientWidth, clientHeight } = document.documentElement;
    const cut = [...document.querySelectorAll("header, nav")].filter((bar) => bar.scrollWidth > bar.clientWidth + 1);
    return {
      window: scrollWidth > clientWidth || scrollHeight > clientHeight,
      cut: cut.map((bar) => bar.outerHTML.slice(0, 120)),
    };
  });
  expect(wide).toEqual({ window: false, cut: [] });
}

test("has no accessibility violations: empty, with a flow, a selection and overlays", async ({ page }) => {
  // A check of a whole page takes seconds, and much longer on a busy machine.
  test.setTimeout(300_000);
  await openEmpty(page);
  await expectAccessible(page);
  await openFlow(page);
  await expectAccessible(page);
  for (const id of ["ask", "answer", "tools", "note"]) {
    await (await intoView(page, node(page, id))).click();
    await expectAccessible(page);
  }
  await page.keyboard.press("Control+k");
  await expect(page.getByTestId("command-palette")).toBeVisible();
  await expectAccessible(page);
  await page.keyboard.press("Escape");
  await page.keyboard.press("?");
  await expect(page.getByTestId("shortcuts-help")).toBeVisible();
  await expectAccessible(page);
  await page.keyboard.press("Escape");
  for (const panel of ["flows", "runs", "settings"]) {
    await page.getByTestId(`rail-${panel}`).click();
    await expectAccessible(page);
  }
});

for (const theme of ["dark", "light"] as const) {
  test.describe(theme, () => {
    test.use({ colorScheme: theme });

    test("fits into 1280 × 800 with a long name and everything open", async ({ page }) => {
      await openFlow(page);
      await expectNoOverflow(page);
      await page.getByTestId("flow-settings-button").click();
      await page
        .getByRole("textbox", { name: "Name" })
        .fill("A flow whose name is far too long to be displayed whole in a bar of this width");
      await expectNoOverflow(page);
      await page.setViewportSize({ width: 1024, height: 700 });
      await expectNoOverflow(page);
    });
  });
}

test("remembers collapsed panels and their widths", async ({ page, host }) => {
  await openFlow(page);
  const seam = page.getByRole("separator", { name: "Resize left panel" });
  const at = await middle(seam);
  await drag(page, seam, { x: at.x + 90, y: at.y });
  const wide = (await page.getByTestId("palette-search").boundingBox())?.width ?? 0;
  await page.keyboard.press("Control+j");
  await expect(page.getByTestId("part-dock")).toHaveCSS("flex-grow", "0");
  await expect.poll(() => host.settings()).toContain('"dock":false');
  await page.reload();
  await expect(node(page, "ask")).toBeVisible();
  await expect.poll(async () => (await page.getByTestId("part-dock").boundingBox())?.height ?? 0).toBeLessThan(2);
  expect(Math.abs(((await page.getByTestId("palette-search").boundingBox())?.width ?? 0) - wide)).toBeLessThan(3);
});

test("switches the theme at once and keeps it", async ({ page, host }) => {
  await openEmpty(page);
  await page.getByTestId("rail-settings").click();
  await page.getByTestId("setting-theme").getByRole("combobox").selectOption({ label: "Light" });
  await expect(page.locator("html")).toHaveAttribute("data-theme", "light");
  await page.getByTestId("setting-theme").getByRole("combobox").selectOption({ label: "Dark" });
  await expect(page.locator("html")).toHaveAttribute("data-theme", "dark");
  await expect.poll(() => host.settings()).toContain('"theme":"dark"');
  await page.reload();
  await expect(page.locator("html")).toHaveAttribute("data-theme", "dark");
});

test("colors the nodes of each context", async ({ page }) => {
  await openFlow(page, {
    version: 1,
    name: "Two contexts",
    nodes: {
      start: { type: "contextStart" },
      apart: { type: "newContext" },
      one: { type: "chat" },
      two: { type: "chat" },
    },
    edges: {
      a: { source: "start", sourceOutput: "context", target: "one", targetInput: "context" },
      b: { source: "apart", sourceOutput: "context", target: "two", targetInput: "context" },
    },
    layout: { start: { x: 0, y: 0 }, apart: { x: 0, y: 160 }, one: { x: 300, y: 0 }, two: { x: 300, y: 160 } },
  });
  const shade = (id: string) => node(page, id).evaluate((card) => getComputedStyle(card).borderLeftColor);
  await expect.poll(() => shade("one")).toBe(await shade("start"));
  await expect.poll(() => shade("two")).toBe(await shade("apart"));
  expect(await shade("one")).not.toBe(await shade("two"));
});

test("draws notes above the dots and ports on the edges of their cards", async ({ page }) => {
  await openFlow(page);
  const note = node(page, "note");
  const clip = (await note.boundingBox()) ?? undefined;
  const seen = await page.screenshot({ clip });
  await note.evaluate((element) => {
    element.style.visibility = "hidden";
  });
  expect(seen.equals(await page.screenshot({ clip }))).toBe(false);
  const [left, right] = await Promise.all([node(page, "answer").boundingBox(), node(page, "start").boundingBox()]);
  const input = await middle(handle(page, "answer", "in", "context"));
  const output = await middle(handle(page, "start", "out", "context"));
  expect(Math.abs(input.x - (left?.x ?? 0))).toBeLessThan(2);
  expect(Math.abs(output.x - (right?.x ?? 0) - (right?.width ?? 0))).toBeLessThan(2);
});

test("opens the command palette on a double-click on empty canvas", async ({ page }) => {
  await openFlow(page);
  const canvas = await page.getByTestId("canvas").boundingBox();
  if (!canvas) throw new Error("There is no canvas.");
  // With room for a note around it: it would be moved into view and off other nodes.
  const at = { x: canvas.x + 490, y: canvas.y + 85 };
  await page.mouse.dblclick(at.x, at.y);
  await page.keyboard.type("add note");
  await page.keyboard.press("Enter");
  const added = page.getByTestId("node-note-2");
  await expect(added).toBeVisible();
  const center = await middle(added);
  expect(Math.hypot(center.x - at.x, center.y - at.y)).toBeLessThan(8);
});

test("opens a context menu on a node", async ({ page }) => {
  await openFlow(page);
  await node(page, "ask").click({ button: "right" });
  await expect(page.getByTestId("canvas-menu")).toBeVisible();
  await page.getByTestId("menu-edit.duplicate").click();
  await expect(node(page, "ask-2")).toBeVisible();
});

test("names ports inside of their cards, without pointing at them", async ({ page }) => {
  await openFlow(page);
  for (const [side, port] of [
    ["in", "message"],
    ["out", "response"],
  ] as const) {
    const label = await handle(page, "answer", side, port).evaluate((element) => {
      const style = getComputedStyle(element, "::after");
      return {
        text: style.content,
        inset: Number.parseFloat(element.dataset.side === "in" ? style.left : style.right),
      };
    });
    expect(label.text).toBe(`"${port}"`);
    expect(label.inset).toBeGreaterThan(0);
  }
});

test("keeps messages over the canvas, away from the bars and the dock", async ({ page }) => {
  await openFlow(page);
  await drag(page, handle(page, "tools", "out", "tools"), handle(page, "answer", "in", "tools"));
  const message = page.locator("[data-sonner-toast]");
  await expect(message).toContainText("already connected");
  const fontOf = (part: Locator) => part.evaluate((element) => getComputedStyle(element).fontFamily);
  expect(await fontOf(message)).toBe(await fontOf(page.getByTestId("flow-name")));
  const canvas = await page.getByTestId("canvas").boundingBox();
  if (!canvas) throw new Error("There is no canvas.");
  await expect
    .poll(async () => {
      const box = await message.boundingBox();
      return box && box.x >= canvas.x && box.y >= canvas.y && box.y + box.height <= canvas.y + canvas.height;
    })
    .toBe(true);
});
