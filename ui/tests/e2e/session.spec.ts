/** The window begins where it was left. */
import { renameSync } from "node:fs";
import { CHAT_FLOW, expect, filePath, node, openFlow, putFile, test } from "./fixture";

test("opens the last flow again, with its view, its dock tab and its panels", async ({ page, host }) => {
  await openFlow(page);
  await page.getByTestId("dock-tab-events").click();
  await node(page, "answer").click();
  for (let press = 0; press < 4; press += 1) await page.keyboard.press("Control+ArrowRight");
  const view = () =>
    page.locator(".react-flow__viewport").evaluate((element) => (element as HTMLElement).style.transform);
  const left = await view();
  // A style is rounded, and what is stored is not.
  const moved = (text: string, pattern: RegExp) => Math.round(Number(pattern.exec(text)?.[1]) * 10);
  const shown = moved(left, /translate\((-?[\d.]+)px/);
  await expect.poll(async () => moved(await host.settings(), /"viewport":\{"x":(-?[\d.]+)/)).toBe(shown);
  await page.goto("/");
  await expect(page.getByTestId("flow-name")).toHaveText("Support triage");
  await expect.poll(view).toBe(left);
  await expect(page.getByTestId("dock-tab-events")).toHaveAttribute("aria-selected", "true");
});

test("begins empty when the last flow was closed", async ({ page, host }) => {
  await openFlow(page);
  const settings = () => host.settings();
  await expect.poll(settings).toContain("test.flow.json");
  await page.keyboard.press("Control+w");
  await expect(page.getByTestId("start-page")).toBeVisible();
  await expect.poll(settings).not.toContain("test.flow.json");
  await page.goto("/");
  await expect(page.getByTestId("start-page")).toBeVisible();
});

test("opens all tabs again in their order, and a requested flow in front of them", async ({ page, host }) => {
  for (const name of ["one", "two", "three"]) putFile(filePath(`${name}.flow.json`), { ...CHAT_FLOW, name });
  await page.goto(`/?open=${filePath("one.flow.json")}`);
  await expect(page.getByTestId("flow-name")).toHaveText("one");
  for (const name of ["two", "three"]) {
    await page.getByTestId("open-button").click();
    await page.getByTestId("file-dialog-path").fill(filePath(`${name}.flow.json`));
    await page.keyboard.press("Enter");
    await expect(page.getByTestId("flow-name")).toHaveText(name);
  }
  await page.getByTestId("tab-two").click();
  await expect(page.getByTestId("flow-name")).toHaveText("two");
  const settings = () => host.settings();
  await expect.poll(settings).toContain("three");
  await expect.poll(settings).toMatch(/shown[^,}]*two/);
  await page.goto("/");
  const names = page.getByTestId("tab-bar").getByRole("listitem");
  await expect(names).toHaveText(["one", "two", "three"]);
  await expect(page.getByTestId("flow-name")).toHaveText("two");
  await page.goto("/?example=hello");
  await expect(names).toHaveCount(4);
  await expect(page.getByTestId("flow-name")).not.toHaveText("two");
});

test("a file of the last session that is missing is not forgotten: it is asked for, kept, located or removed", async ({
  page,
  host,
}) => {
  putFile(filePath("there.flow.json"), { ...CHAT_FLOW, name: "there" });
  await openFlow(page, { ...CHAT_FLOW, name: "moved" }, filePath("moved.flow.json"));
  await expect.poll(() => host.settings()).toContain("moved.flow.json");
  // Another program moves the file away.
  renameSync(filePath("moved.flow.json"), filePath("elsewhere.flow.json"));
  const question = page.getByRole("alertdialog", { name: "“moved.flow.json” could not be opened again" });
  await page.goto("/");
  await expect(question).toContainText(filePath("moved.flow.json"));
  await question.getByRole("button", { name: "Cancel" }).click();

  // Opening another file does not push it out of the session.
  await page.goto(`/?open=${filePath("there.flow.json")}`);
  await question.getByRole("button", { name: "Cancel" }).click();
  await expect.poll(() => host.settings()).toContain("there.flow.json");
  expect(await host.settings()).toContain("moved.flow.json");

  await page.goto("/");
  await question.getByRole("button", { name: "Locate…" }).click();
  await page.getByTestId("file-dialog-path").fill(filePath("elsewhere.flow.json"));
  await page.getByTestId("file-dialog-ok").click();
  await expect(page.getByTestId("flow-name")).toHaveText("moved");
  await expect.poll(() => host.settings()).not.toContain(filePath("moved.flow.json"));
  await page.goto("/");
  await expect(page.getByTestId("flow-name")).toHaveText("moved");
  await expect(question).toHaveCount(0);
});
