/** A reply that streams: the end of it stays in view, until the person scrolls up. */
import type { Page } from "@playwright/test";
import type { Flow } from "../../src/bindings";
import { expect, openFlow, SCRIPTED, test } from "./fixture";

const PARAGRAPH = `The **parcel** left the depot this morning and the carrier was asked to hold it until Thursday.

- \`7731\`: on hold
- 7732: *delivered*

`;

/** A reply that takes about 20 seconds. */
const FLOW: Flow = {
  version: 1,
  name: "Long replies",
  nodes: {
    start: SCRIPTED,
    first: {
      type: "chat",
      title: "First",
      config: {
        prompt: "Where are my parcels?",
        options: { replies: [{ text: PARAGRAPH.repeat(150) }], tokensPerSecond: 300 },
      },
    },
  },
  edges: { a: { source: "start", sourceOutput: "context", target: "first", targetInput: "context" } },
  layout: { start: { x: 0, y: 0 }, first: { x: 0, y: 200 } },
};

/** How far below the visible part the end of the reply was, in each frame of a second. */
function watchEnd(page: Page): Promise<number[]> {
  return page.evaluate(async () => {
    const below: number[] = [];
    const box = document.querySelector("[data-testid=messages]") as HTMLElement;
    const measure = () => {
      const words = document.createTreeWalker(box, NodeFilter.SHOW_TEXT);
      const last = document.createRange();
      while (words.nextNode()) if (words.currentNode.nodeValue?.trim()) last.selectNodeContents(words.currentNode);
      below.push(last.getBoundingClientRect().bottom - box.getBoundingClientRect().bottom);
    };
    const until = performance.now() + 1_000;
    while (performance.now() < until) {
      await new Promise<void>((resolve) => {
        requestAnimationFrame(() => {
          // A new observer is called in this frame, after those of the window and before anything is painted.
          const observer = new ResizeObserver(() => {
            observer.disconnect();
            measure();
            resolve();
          });
          observer.observe(box);
        });
      });
    }
    return below;
  });
}

test("the end of a reply stays in view while it streams", async ({ page }) => {
  await openFlow(page, FLOW);
  await page.getByTestId("run-button").click();
  const messages = page.getByTestId("messages");
  await expect(messages.getByTestId("streaming")).toBeVisible();
  await expect.poll(() => messages.evaluate((box) => box.scrollTop)).toBeGreaterThan(100);
  await expect.poll(() => messages.evaluate((box) => box.textContent?.length ?? 0)).toBeGreaterThan(1_000);
  const below = await watchEnd(page);
  expect(below.length).toBeGreaterThan(5);
  expect(Math.max(...below)).toBeLessThanOrEqual(0);
  // Nothing but the padding is below it, but where only the cursor is in the last line.
  const median = below.toSorted((a, b) => a - b)[below.length >> 1];
  expect(median).toBeGreaterThan(-22);
  await expect(messages.locator(".markdown strong").first()).toBeAttached();

  await messages.hover();
  await page.mouse.wheel(0, -200);
  await expect(page.getByRole("button", { name: "Latest" })).toBeVisible();
  const top = await messages.evaluate((box) => box.scrollTop);
  await watchEnd(page);
  expect(await messages.evaluate((box) => box.scrollTop)).toBe(top);
  await page.getByRole("button", { name: "Latest" }).click();
  expect(Math.max(...(await watchEnd(page)))).toBeLessThanOrEqual(0);
});
