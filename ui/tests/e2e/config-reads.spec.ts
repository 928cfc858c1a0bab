/** What a node reads from another one without an edge: seen on the canvas, and chosen from a list. */
import type { Flow } from "../../src/bindings";
import { expect, middle, node, openFlow, savedFlow, test } from "./fixture";

const FLOW: Flow = {
  version: 1,
  name: "Summaries",
  nodes: {
    ask: { type: "userInput", title: "Question" },
    other: { type: "value", title: "Notes" },
    between: { type: "text", title: "Between" },
    child: {
      type: "subflow",
      title: "Summarize",
      config: { file: "summarize.flow.json", inputSource: "nodeOutput", sourceNodeId: "ask" },
    },
  },
  edges: {},
  layout: {
    ask: { x: 0, y: 0 },
    other: { x: 0, y: 190 },
    between: { x: 290, y: 0 },
    child: { x: 580, y: 40 },
  },
};

test("a node that a config names is drawn as read, and is chosen from a list", async ({ page }) => {
  await openFlow(page, FLOW);
  const wire = page.getByTestId("reads-child/sourceNodeId");
  await expect(wire).toHaveAccessibleName("reads Question.message");
  await expect(wire.locator("path")).toHaveCSS("stroke-dasharray", "2px, 4px");
  // It is no edge: nothing of it can be connected, selected or deleted.
  await expect(page.locator(".react-flow__edge")).toHaveCount(0);

  await page.getByRole("button", { name: "reads Question.message" }).click();
  await expect(node(page, "child")).toHaveAttribute("data-selected", "true");
  const source = page.locator("[data-field=sourceNodeId]").getByRole("combobox");
  await expect(source.locator("option")).toHaveText(["No node", "Question", "Between", "Notes"]);
  await source.selectOption({ label: "Notes" });
  await expect(wire).toHaveAccessibleName("reads Notes.value");
  const output = page.locator("[data-field=sourceOutput]").getByRole("combobox");
  await expect(output.locator("option")).toHaveText(["First data output (value)", "value"]);
  expect((await savedFlow(page)).nodes.child?.config).toMatchObject({ sourceNodeId: "other" });
});

test("the line of what is read goes around a card that comes into its way", async ({ page }) => {
  await openFlow(page, FLOW);
  const line = page.getByTestId("reads-child/sourceNodeId").locator("path");
  const lane = async () => Number(/V([\d.]+) Q/.exec((await line.getAttribute("d")) ?? "")?.[1]);
  const before = await lane();
  const { x, y } = await middle(node(page, "between").locator(".summary"));
  await page.mouse.move(x, y);
  await page.mouse.down();
  await page.mouse.move(x, y + 290, { steps: 8 });
  // While it is dragged, too: each step, and not only once the next one is drawn.
  await expect.poll(lane).toBeGreaterThan(before);
  const dragged = await lane();
  await page.mouse.up();
  await expect(node(page, "between").locator("xpath=..")).not.toHaveClass(/dragging/);
  expect(Math.abs((await lane()) - dragged)).toBeLessThanOrEqual(1);
});
