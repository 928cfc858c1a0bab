/** The window begins where it was left. */
import { CHAT_FLOW, expect, node, openFlow, putFile, test } from "./fixture";

test("opens the last flow again, with its view, its dock tab and its panels", async ({ page }) => {
  await openFlow(page);
  await page.getByTestId("dock-tab-events").click();
  await node(page, "answer").click();
  for (let press = 0; press < 4; press += 1) await page.keyboard.press("Control+ArrowRight");
  const view = () =>
    page.locator(".react-flow__viewport").evaluate((element) => (element as HTMLElement).style.transform);
  const left = await view();
  const stored = () => page.evaluate(() => JSON.stringify({ ...localStorage }));
  const [, x = ""] = /translate\((-?[\d.]+)px/.exec(left) ?? [];
  await expect.poll(stored).toContain(x);
  await page.goto("/");
  await expect(page.getByTestId("flow-name")).toHaveText("Support triage");
  await expect.poll(view).toBe(left);
  await expect(page.getByTestId("dock-tab-events")).toHaveAttribute("aria-selected", "true");
});

test("begins empty when the last flow was closed", async ({ page }) => {
  await openFlow(page);
  const settings = () => page.evaluate(() => localStorage.getItem("plait.mock-host.settings"));
  await expect.poll(settings).toContain("test.flow.json");
  await page.keyboard.press("Control+w");
  await expect(page.getByTestId("start-page")).toBeVisible();
  await expect.poll(settings).not.toContain("test.flow.json");
  await page.goto("/");
  await expect(page.getByTestId("start-page")).toBeVisible();
});

test("opens all tabs again in their order, and a requested flow in front of them", async ({ page }) => {
  for (const name of ["one", "two", "three"]) await putFile(page, `/flows/${name}.flow.json`, { ...CHAT_FLOW, name });
  await page.goto("/?open=/flows/one.flow.json");
  await expect(page.getByTestId("flow-name")).toHaveText("one");
  for (const name of ["two", "three"]) {
    await page.getByTestId("open-button").click();
    await page.getByTestId("file-dialog-path").fill(`/flows/${name}.flow.json`);
    await page.keyboard.press("Enter");
    await expect(page.getByTestId("flow-name")).toHaveText(name);
  }
  await page.getByTestId("tab-two").click();
  await expect(page.getByTestId("flow-name")).toHaveText("two");
  const settings = () => page.evaluate(() => localStorage.getItem("plait.mock-host.settings"));
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
}) => {
  await putFile(page, "/flows/there.flow.json", { ...CHAT_FLOW, name: "there" });
  await openFlow(page, { ...CHAT_FLOW, name: "moved" }, "/flows/moved.flow.json");
  const stored = (name: string) => page.evaluate((key) => localStorage.getItem(`plait.mock-host.${key}`) ?? "", name);
  await expect.poll(() => stored("settings")).toContain("moved.flow.json");
  // Another program moves the file away.
  await page.addInitScript(() => {
    const key = "plait.mock-host.files";
    const { "/flows/moved.flow.json": gone, ...others } = JSON.parse(localStorage.getItem(key) ?? "{}");
    localStorage.setItem(key, JSON.stringify({ ...others, "/flows/elsewhere.flow.json": gone }));
  });
  const question = page.getByRole("alertdialog", { name: "“moved.flow.json” could not be opened again" });
  await page.goto("/");
  await expect(question).toContainText("/flows/moved.flow.json");
  await question.getByRole("button", { name: "Cancel" }).click();

  // Opening another file does not push it out of the session.
  await page.goto("/?open=/flows/there.flow.json");
  await question.getByRole("button", { name: "Cancel" }).click();
  await expect.poll(() => stored("settings")).toContain("there.flow.json");
  expect(await stored("settings")).toContain("moved.flow.json");

  await page.goto("/");
  await question.getByRole("button", { name: "Locate…" }).click();
  await page.getByTestId("file-dialog-path").fill("/flows/elsewhere.flow.json");
  await page.getByTestId("file-dialog-ok").click();
  await expect(page.getByTestId("flow-name")).toHaveText("moved");
  await expect.poll(() => stored("settings")).not.toContain("/flows/moved.flow.json");
  await page.goto("/");
  await expect(page.getByTestId("flow-name")).toHaveText("moved");
  await expect(question).toHaveCount(0);
});
