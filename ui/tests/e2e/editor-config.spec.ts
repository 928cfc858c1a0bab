import { CHAT_FLOW, expect, handle, node, openFlow, savedFlow, test } from "./fixture";

test("renders a form from the schema and writes the input into the flow, one undo step per field", async ({ page }) => {
  await openFlow(page);
  await node(page, "start").click();
  await page.getByLabel("Model", { exact: true }).fill("gpt-5");
  await page.getByLabel("System instructions").fill("Be brief.\nBe kind.");
  await expect(node(page, "start")).toContainText("gpt-5");
  const flow = await savedFlow(page);
  expect(flow.nodes.start?.config).toEqual({ model: "gpt-5", systemInstructions: "Be brief.\nBe kind." });
  await page
    .getByTestId("canvas")
    .focus()
    .catch(() => undefined);
  await page.getByTestId("undo-button").click();
  await expect(page.getByLabel("System instructions")).toHaveValue("");
  await expect(page.getByLabel("Model", { exact: true })).toHaveValue("gpt-5");
  await page.getByTestId("undo-button").click();
  await expect(page.getByTestId("undo-button")).toBeDisabled();
});

test("undo in a field that brings its text back leaves the flow as it was", async ({ page }) => {
  await openFlow(page);
  await node(page, "start").click();
  const field = page.getByLabel("System instructions");
  await field.click();
  await page.keyboard.type("Be brief.");
  await expect(page.getByTestId("flow-file")).toHaveAttribute("data-dirty", "true");
  for (let step = 0; step < 9 && (await field.inputValue()) !== ""; step++) await page.keyboard.press("Control+z");
  await expect(field).toHaveValue("");
  await expect(page.getByTestId("flow-file")).not.toHaveAttribute("data-dirty", "true");
  await expect(page.getByTestId("undo-button")).toBeDisabled();
});

test("adds an input for each template variable", async ({ page }) => {
  await openFlow(page, {
    ...CHAT_FLOW,
    nodes: { ...CHAT_FLOW.nodes, t: { type: "text" } },
    layout: { ...CHAT_FLOW.layout, t: { x: 548, y: 260 } },
  });
  await node(page, "t").click();
  const editor = page.locator("[data-field=template] .cm-content");
  await editor.click();
  await page.keyboard.type("Dear {{name}}, about {{topic}}");
  await expect(handle(page, "t", "in", "name")).toBeVisible();
  await expect(handle(page, "t", "in", "topic")).toBeVisible();
  await expect(page.getByTestId("problem-t")).toBeVisible();
  await expect(node(page, "t")).toContainText("Dear {{name}}");
});

test("edits a query and a condition in the code editor, over several lines", async ({ page }) => {
  await openFlow(page, {
    ...CHAT_FLOW,
    nodes: {
      ...CHAT_FLOW.nodes,
      q: { type: "json", config: { query: ".items" } },
      s: { type: "switch", config: { cases: [{ name: "urgent", when: "value.priority > 7" }] } },
    },
    layout: { ...CHAT_FLOW.layout, q: { x: 824, y: 0 }, s: { x: 824, y: 130 } },
  });
  await node(page, "q").click();
  const query = page.locator('[data-field=query] [data-language="jq"] .cm-content');
  await expect(query).toHaveText(".items");
  await query.click();
  await page.keyboard.press("Control+End");
  await page.keyboard.type("\n| length");
  await node(page, "s").click();
  const condition = page.locator('[data-language="cel"] .cm-content');
  await expect(condition).toHaveText("value.priority > 7");
  await condition.click();
  await page.keyboard.press("Control+End");
  await page.keyboard.type("\n  && value.open");
  const flow = await savedFlow(page);
  expect(flow.nodes.q?.config).toEqual({ query: ".items\n| length" });
  expect(flow.nodes.s?.config).toEqual({ cases: [{ name: "urgent", when: "value.priority > 7\n  && value.open" }] });
});

test("adds, moves and removes list items", async ({ page }) => {
  await openFlow(page, {
    ...CHAT_FLOW,
    nodes: { ...CHAT_FLOW.nodes, i: { type: "injectMessages" } },
    layout: { ...CHAT_FLOW.layout, i: { x: 548, y: 260 } },
  });
  await node(page, "i").click();
  await page.getByTestId("add-messages").click();
  await expect(page.locator("[data-field^='messages.0']").locator(":focus")).toHaveCount(1);
  await page.getByTestId("add-messages").click();
  await expect(page.locator("[data-field^='messages.1']").locator(":focus")).toHaveCount(1);
  const contents = page.locator("[data-field^='messages.'] .cm-content");
  await contents.nth(0).click();
  await page.keyboard.type("one");
  await contents.nth(1).click();
  await page.keyboard.type("two");
  await page.getByRole("button", { name: "Move message 2 up" }).click();
  await expect(contents.nth(0)).toHaveText("two");
  await page.getByRole("button", { name: "Remove message 2" }).click();
  const flow = await savedFlow(page);
  expect(flow.nodes.i?.config).toEqual({ messages: [{ role: "user", content: "two" }] });
});

test("keeps invalid JSON out of the flow and reports it", async ({ page }) => {
  await openFlow(page, {
    ...CHAT_FLOW,
    nodes: { ...CHAT_FLOW.nodes, v: { type: "value" } },
    layout: { ...CHAT_FLOW.layout, v: { x: 548, y: 260 } },
  });
  await node(page, "v").click();
  await page.locator("[data-field=value] .cm-content").click();
  await page.keyboard.type('{"a": [1, 2');
  await expect(page.getByText("Invalid JSON")).toBeVisible();
  await page.keyboard.type("]}");
  await expect(page.getByText("Invalid JSON")).toHaveCount(0);
  const flow = await savedFlow(page);
  expect(flow.nodes.v?.config).toEqual({ value: { a: [1, 2] } });
});

test("sets and removes limits and retries", async ({ page }) => {
  await openFlow(page);
  await node(page, "answer").click();
  await page.getByText("Limits and retries").click();
  await page.getByLabel("Max iterations").fill("5");
  await page.getByRole("switch", { name: "Retry on failure" }).click();
  await page.getByLabel("Max attempts").fill("7");
  let flow = await savedFlow(page);
  expect(flow.nodes.answer?.limits).toEqual({ maxEpochs: 5 });
  expect(flow.nodes.answer?.retry).toEqual({ attempts: 7, backoffMs: 500, maxBackoffMs: 30000, jitter: 0.5 });
  await page.getByLabel("Max iterations").fill("");
  await page.getByRole("switch", { name: "Retry on failure" }).click();
  flow = await savedFlow(page);
  expect(flow.nodes.answer).toEqual(CHAT_FLOW.nodes.answer);
});

test("edits a note on the canvas", async ({ page }) => {
  await openFlow(page);
  await node(page, "note").dblclick();
  await page.getByTestId("comment-text-note").fill("# Plan\n- first");
  await page.keyboard.press("Escape");
  await expect(node(page, "note").locator("h1")).toHaveText("Plan");
  const flow = await savedFlow(page);
  expect(flow.nodes.note?.config).toEqual({ text: "# Plan\n- first" });
});

test("sets the name and description of the flow", async ({ page }) => {
  await openFlow(page);
  await page.getByTestId("flow-settings-button").click();
  await page.getByRole("textbox", { name: "Name" }).fill("Triage");
  await expect(page.getByTestId("flow-name")).toHaveText("Triage");
  await page.getByLabel("Max concurrency").fill("4");
  const flow = await savedFlow(page);
  expect(flow).toMatchObject({ name: "Triage", settings: { maxConcurrency: 4 } });
});
