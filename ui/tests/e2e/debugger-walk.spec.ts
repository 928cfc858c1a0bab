/**
 * One walk through the debugger by keys alone, in both sizes and themes: a conditional breakpoint is set and hit, a prompt is edited for
 * this run, the run goes on, is looked at in its past, and forked there once the bill is seen. A picture is taken at each station.
 */
import type { Locator, Page } from "@playwright/test";
import type { Flow } from "@/bindings";
import { findViolationsInThemes } from "./axe";
import { expect, node, openFlow, SCRIPTED, takePicture, test } from "./fixture";

const chat = (title: string, prompt: string, ...replies: string[]) => ({
  type: "chat",
  title,
  config: { prompt, skipHistory: true, options: { replies: replies.map((text) => ({ text })) } },
});

const FLOW: Flow = {
  version: 1,
  name: "Support triage",
  nodes: {
    main: { ...SCRIPTED, title: "main" },
    ticket: { type: "value", title: "Ticket", config: { value: "Where is parcel 7731? It was due on Monday." } },
    answer: chat("Answer", "Answer the customer: {{ticket}}", "Parcel 7731 is at the depot in Lyon."),
    review: chat("Review", "Is this polite? {{answer}}", "Yes, and it is short."),
    reply: { type: "output", title: "Reply" },
  },
  edges: {
    a: { source: "main", sourceOutput: "context", target: "answer", targetInput: "context" },
    b: { source: "ticket", sourceOutput: "value", target: "answer", targetInput: "ticket" },
    c: { source: "answer", sourceOutput: "context", target: "review", targetInput: "context" },
    d: { source: "answer", sourceOutput: "response", target: "review", targetInput: "answer" },
    e: { source: "review", sourceOutput: "response", target: "reply", targetInput: "value" },
  },
  layout: {
    main: { x: 0, y: 0 },
    ticket: { x: 0, y: 140 },
    answer: { x: 280, y: 0 },
    review: { x: 560, y: 0 },
    reply: { x: 840, y: 0 },
  },
};

const SIZES = [
  { name: "1280×800", viewport: { width: 1280, height: 800 } },
  { name: "1000×700", viewport: { width: 1000, height: 700 } },
];

const bar = (page: Page) => page.getByTestId("stop-bar");
const status = (page: Page) => page.getByTestId("run-status");

/** Presses Tab until something has the focus. */
async function tabTo(page: Page, wanted: Locator, key = "Tab"): Promise<void> {
  await expect(wanted).toBeAttached();
  for (let presses = 0; presses < 120; presses++) {
    if (await wanted.evaluate((element) => element === document.activeElement)) return;
    await page.keyboard.press(key);
  }
  throw new Error("No number of tabs leads there.");
}

async function select(page: Page, name: string, id: string): Promise<void> {
  await page.keyboard.press("Control+f");
  await page.keyboard.type(name);
  await page.keyboard.press("Enter");
  await expect(node(page, id)).toHaveAttribute("data-selected", "true");
}

async function command(page: Page, words: string): Promise<void> {
  await page.keyboard.press("Control+k");
  await page.keyboard.type(words);
  await page.keyboard.press("Enter");
  await expect(page.getByTestId("command-palette")).toHaveCount(0);
}

for (const { name, viewport } of SIZES) {
  test.describe(name, () => {
    test.use({ viewport });

    test("a run is paused, changed, looked back at and forked by keys alone", async ({ page, host }) => {
      const station = async (what: string) => {
        // What the Tab key has passed says its name for a moment.
        await expect(page.locator("[data-base-ui-portal] .shadow-pop.text-xs")).toHaveCount(0);
        const found = await findViolationsInThemes(page, (theme) =>
          takePicture(page, `debugger-walk/${name}-${theme}-${what}`),
        );
        expect.soft(found, what).toEqual([]);
      };
      await openFlow(page, FLOW);

      await select(page, "Review", "review");
      await page.keyboard.press("F9");
      await page.keyboard.press("Alt+Shift+5");
      const row = page.getByTestId("breakpoint-review-before");
      const condition = row.getByRole("textbox", { name: /^Condition/ });
      await tabTo(page, condition);
      await page.keyboard.type("inputs.answer.contains('Lyon')");
      await page.keyboard.press("Enter");
      await station("1-breakpoint");

      await page.keyboard.press("Control+Enter");
      await expect(bar(page)).toContainText("Paused before Review");
      await expect(row).toHaveAttribute("aria-current", "step");
      for (const verb of ["continue", "over", "into", "out", "all"]) {
        await expect(page.getByTestId(`go-${verb}`)).toBeInViewport({ ratio: 1 });
      }
      await tabTo(page, bar(page).getByRole("button", { name: "Paused before Review" }));
      await page.keyboard.press("Enter");
      await expect(node(page, "review")).toHaveAttribute("data-selected", "true");
      await station("2-hit");

      await command(page, "Try another config");
      const form = page.getByTestId("trial-form");
      await expect(form).toBeVisible();
      await page.keyboard.press("Tab");
      await expect(form.getByLabel("Prompt")).toBeFocused();
      await page.keyboard.press("Control+a");
      await page.keyboard.type("Is this polite and short? {{answer}}");
      await station("3-edit");
      await tabTo(page, form.getByRole("button", { name: "Try in this run" }), "Shift+Tab");
      await page.keyboard.press("Enter");
      await expect(page.getByTestId("trial-badge")).toHaveText("Trial");
      await station("4-trial");

      await page.keyboard.press("F8");
      await expect(status(page)).toHaveAttribute("data-status", "finished");
      await station("5-finished");
      const [run] = await host.call("runs.list", {});
      const prompts = await host.call("lens.show", { run: run?.run ?? "", node: "review" });
      expect(JSON.stringify(prompts)).toContain("Is this polite and short?");

      const slider = page.getByTestId("time-slider");
      await tabTo(page, slider);
      const position = page.getByTestId("time-position");
      while (!(await position.textContent())?.includes("debug.stopped")) await page.keyboard.press("ArrowLeft");
      await expect(bar(page)).toContainText("Paused before Review");
      await expect(page.getByTestId("go-continue")).toHaveCount(0);
      await station("6-past");

      await page.keyboard.press("Alt+F7");
      await expect(page.getByTestId("bill-start")).toBeFocused();
      await expect(page.getByTestId("bill-summary")).toContainText("reuses 1, buys 1");
      await expect(page.getByTestId("bill-start")).toBeInViewport({ ratio: 1 });
      await station("7-bill");
      await page.keyboard.press("Enter");
      await expect(status(page)).toHaveAttribute("data-status", "stopped");
      await expect(bar(page)).toContainText("Paused before Review");
      await page.keyboard.press("F8");
      await expect(status(page)).toHaveAttribute("data-status", "finished");
      await station("8-forked");
      expect(await host.call("runs.list", {})).toHaveLength(2);
    });
  });
}
