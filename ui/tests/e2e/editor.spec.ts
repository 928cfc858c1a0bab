import {
  CHAT_FLOW,
  drag,
  expect,
  filePath,
  handle,
  intoView,
  middle,
  node,
  openEmpty,
  openFlow,
  savedFlow,
  takePicture,
  test,
} from "./fixture";

test.describe("an empty canvas", () => {
  test("leads to the start page, which its first node closes", async ({ page }) => {
    await openEmpty(page);
    await page.getByTestId("start-button-empty").click();
    await expect(page.getByTestId("start-page")).toBeVisible();
    await page.getByTestId("palette-text").dblclick();
    await expect(node(page, "text")).toBeVisible();
    await expect(page.getByTestId("start-page")).toHaveCount(0);
    await page.getByTestId("undo-button").click();
    await expect(page.getByTestId("empty-canvas")).toBeVisible();
  });

  test("adds a node where it is dropped from the palette", async ({ page }) => {
    await openEmpty(page);
    const canvas = await page.getByTestId("canvas").boundingBox();
    if (!canvas) throw new Error("There is no canvas.");
    const target = { x: canvas.x + 420, y: canvas.y + 90 };
    await drag(page, page.getByTestId("palette-text"), target);
    const box = await node(page, "text").boundingBox();
    expect(Math.abs((box?.x ?? 0) + (box?.width ?? 0) / 2 - target.x)).toBeLessThan(4);
    await expect(page.getByTestId("node-title")).toBeVisible();
  });

  test("ignores a drag that ends elsewhere or is canceled", async ({ page }) => {
    await openEmpty(page);
    await drag(page, page.getByTestId("palette-text"), page.getByTestId("dock-tab-events"));
    const start = await middle(page.getByTestId("palette-value"));
    await page.mouse.move(start.x, start.y);
    await page.mouse.down();
    await page.mouse.move(600, 300, { steps: 4 });
    await page.keyboard.press("Escape");
    await page.mouse.up();
    await expect(page.locator(".card")).toHaveCount(0);
  });
});

test.describe("a new node", () => {
  test("opens on its config with the first field focused, and undo takes it away", async ({ page }) => {
    await openFlow(page);
    await node(page, "answer").click();
    await page.getByTestId("inspector-tab-context").click();
    await page.getByTestId("palette-text").dblclick();
    await expect(page.getByTestId("inspector-tab-config")).toHaveAttribute("aria-selected", "true");
    const focused = page.locator("[data-config-of=text]").locator(":focus");
    await expect(focused).toHaveCount(1);
    await page.keyboard.type("hello");
    expect((await savedFlow(page)).nodes.text?.config).toEqual({ template: "hello" });
    await page.getByTestId("palette-text").dblclick();
    await expect(page.locator("[data-config-of=text-2]").locator(":focus")).toHaveCount(1);
    await page.keyboard.press("Control+z");
    await expect(node(page, "text-2")).toHaveCount(0);
    await expect(node(page, "text")).toBeVisible();
  });
});

test.describe("the palette", () => {
  test("finds node types by title, term and summary", async ({ page }) => {
    await openEmpty(page);
    await page.keyboard.press("/");
    await expect(page.getByTestId("palette-search")).toBeFocused();
    await page.keyboard.type("ask");
    await expect(page.getByTestId("palette-userInput")).toBeVisible();
    await expect(page.getByTestId("palette-note")).toHaveCount(0);
    await page.keyboard.press("Enter");
    await expect(node(page, "userInput")).toBeVisible();
  });

  test("shows an empty state when nothing matches", async ({ page }) => {
    await openEmpty(page);
    await page.getByTestId("palette-search").fill("zzz");
    await expect(page.getByText("No node type matches")).toBeVisible();
  });
});

test.describe("connecting", () => {
  test("draws an edge between ports that fit", async ({ page }) => {
    await openFlow(page, { ...CHAT_FLOW, edges: {} });
    await drag(page, handle(page, "start", "out", "context"), handle(page, "ask", "in", "context"));
    await drag(page, handle(page, "tools", "out", "tools"), handle(page, "answer", "in", "tools"));
    await expect(page.locator(".react-flow__edge")).toHaveCount(2);
    const flow = await savedFlow(page);
    expect(Object.values(flow.edges)).toContainEqual({
      source: "start",
      sourceOutput: "context",
      target: "ask",
      targetInput: "context",
    });
  });

  test("refuses ports of different strands and says why", async ({ page }) => {
    await openFlow(page, { ...CHAT_FLOW, edges: {} });
    const from = await middle(handle(page, "tools", "out", "tools"));
    const to = await middle(handle(page, "ask", "in", "context"));
    await page.mouse.move(from.x, from.y);
    await page.mouse.down();
    await page.mouse.move(to.x, to.y, { steps: 8 });
    const why = "“tools” provides tools, but “context” accepts a context.";
    await expect(page.getByTestId("refusal")).toHaveText(why);
    await page.mouse.up();
    await expect(page.locator("[data-sonner-toast]")).toContainText(why);
    await expect(page.locator(".react-flow__edge")).toHaveCount(0);
  });

  test("refuses a value of the wrong type, a second edge of the same kind, and two outputs", async ({ page }) => {
    await openFlow(page);
    await drag(page, handle(page, "tools", "out", "tools"), handle(page, "answer", "in", "tools"));
    await expect(page.locator("[data-sonner-toast]")).toContainText("already connected");
    await drag(page, handle(page, "ask", "out", "message"), handle(page, "start", "out", "context"));
    await expect(page.locator("[data-sonner-toast]").first()).toContainText("Both are outputs");
    await expect(page.locator(".react-flow__edge")).toHaveCount(5);
  });

  test("an edge let go over empty canvas asks what comes next and connects it", async ({ page }) => {
    await openFlow(page);
    const canvas = await page.getByTestId("canvas").boundingBox();
    if (!canvas) throw new Error("There is no canvas.");
    await drag(page, handle(page, "answer", "out", "response"), {
      x: canvas.x + 420,
      y: canvas.y + 40,
    });
    await expect(page.getByTestId("quick-add")).toBeVisible();
    await expect(page.getByTestId("quick-add-tools")).toHaveCount(0);
    await page.keyboard.type("output");
    await page.keyboard.press("Enter");
    await expect(node(page, "output")).toBeVisible();
    const flow = await savedFlow(page);
    expect(Object.values(flow.edges)).toContainEqual({
      source: "answer",
      sourceOutput: "response",
      target: "output",
      targetInput: "value",
    });
    await page.keyboard.press("Control+z");
    await expect(node(page, "output")).toHaveCount(0);
  });

  for (const [choice, type, field] of [
    ["quick-add-text", "text", "template"],
    ["quick-add-chat-template", "chat", "prompt"],
  ] as const) {
    test(`a data edge let go over empty canvas offers a ${type} whose template takes it`, async ({ page }) => {
      await openFlow(page);
      const canvas = await page.getByTestId("canvas").boundingBox();
      if (!canvas) throw new Error("There is no canvas.");
      await drag(page, handle(page, "answer", "out", "response"), { x: canvas.x + 420, y: canvas.y + 40 });
      await page.getByTestId(choice).click();
      const flow = await savedFlow(page);
      const [id, added] = Object.entries(flow.nodes).find(([name]) => !(name in CHAT_FLOW.nodes)) ?? [];
      expect(added).toMatchObject({ type, config: { [field]: "{{value}}" } });
      expect(Object.values(flow.edges)).toContainEqual({
        source: "answer",
        sourceOutput: "response",
        target: id,
        targetInput: "value",
      });
      await expect(handle(page, id ?? "", "in", "value")).toBeVisible();
    });
  }

  test("an edge let go over a card goes to the port that fits", async ({ page }) => {
    await openFlow(page, { ...CHAT_FLOW, edges: {} });
    await drag(page, handle(page, "tools", "out", "tools"), node(page, "answer").locator("header"));
    await expect(page.locator(".react-flow__edge")).toHaveCount(1);
  });
});

test.describe("editing", () => {
  test("undoes and redoes by gesture", async ({ page }) => {
    await openFlow(page);
    // On the canvas, not on the screen: the view follows the node that the inspector opens for.
    const place = () =>
      node(page, "note").evaluate((card) => card.closest<HTMLElement>(".react-flow__node")?.style.transform);
    const before = await place();
    const box = await node(page, "note").boundingBox();
    await drag(page, node(page, "note"), { x: (box?.x ?? 0) + 180, y: (box?.y ?? 0) + 90 });
    const after = await place();
    expect(after).not.toBe(before);
    await page.keyboard.press("Control+z");
    await expect.poll(place).toBe(before);
    await expect(page.getByTestId("undo-button")).toBeDisabled();
    await page.keyboard.press("Control+Shift+z");
    await expect.poll(place).toBe(after);
  });

  test("copies, cuts and pastes nodes with the edges among them", async ({ page }) => {
    await openFlow(page);
    await node(page, "ask").click();
    await (await intoView(page, node(page, "answer"))).click({ modifiers: ["Shift"] });
    await expect(page.getByTestId("selection-count")).toHaveText("2 nodes");
    await page.keyboard.press("Control+c");
    const text = await page.evaluate(() => navigator.clipboard.readText());
    expect(Object.keys((JSON.parse(text) as { nodes: object }).nodes)).toEqual(["ask", "answer"]);
    await page.keyboard.press("Control+v");
    await expect(node(page, "ask-2")).toBeVisible();
    let flow = await savedFlow(page);
    expect(Object.keys(flow.nodes)).toHaveLength(7);
    expect(Object.keys(flow.edges)).toHaveLength(8);
    await page.keyboard.press("Control+x");
    await expect(node(page, "ask-2")).toHaveCount(0);
    flow = await savedFlow(page);
    expect(Object.keys(flow.nodes).sort()).toEqual(Object.keys(CHAT_FLOW.nodes).sort());
  });

  test("pastes into another document, and only nodes", async ({ page }) => {
    await openFlow(page);
    await page.evaluate(() => navigator.clipboard.writeText("not nodes"));
    await node(page, "ask").click();
    await page.keyboard.press("Control+v");
    await expect(page.locator("[data-sonner-toast]")).toContainText("contains no nodes");
    await page.keyboard.press("Control+c");
    await page.keyboard.press("Control+Alt+n");
    await expect(page.getByTestId("empty-canvas")).toBeVisible();
    await page.getByTestId("canvas").click({ position: { x: 40, y: 40 } });
    await page.keyboard.press("Control+v");
    await expect(node(page, "ask")).toBeVisible();
  });

  test("deletes what is selected, edges with their nodes", async ({ page }) => {
    await openFlow(page);
    await node(page, "ask").click();
    await page.keyboard.press("Delete");
    await expect(node(page, "ask")).toHaveCount(0);
    const flow = await savedFlow(page);
    expect(Object.keys(flow.edges)).toEqual(["tools.tools->answer.tools"]);
  });

  test("selects an area and aligns it", async ({ page }) => {
    await openFlow(page);
    const canvas = await page.getByTestId("canvas").boundingBox();
    if (!canvas) throw new Error("There is no canvas.");
    await page.keyboard.down("Shift");
    await page.mouse.move(canvas.x + 14, canvas.y + 14);
    await page.mouse.down();
    await page.mouse.move(canvas.x + canvas.width - 8, canvas.y + canvas.height - 60, { steps: 6 });
    await page.mouse.up();
    await page.keyboard.up("Shift");
    await expect(page.getByTestId("selection-count")).toContainText("5 nodes");
    await page.getByTestId("arrange.left").click();
    const flow = await savedFlow(page);
    expect(new Set(Object.values(flow.layout).map((at) => at.x)).size).toBe(1);
  });

  test("disables a node and its loop, which the file keeps", async ({ page }) => {
    await openFlow(page);
    await node(page, "answer").click();
    await page.keyboard.press("d");
    await expect(node(page, "answer")).toContainText("Disabled");
    expect((await savedFlow(page)).nodes.answer?.disabled).toBe(true);
    await page.keyboard.press("Control+g");
    await page.keyboard.press("d");
    await expect(page.locator(".loop")).toContainText("Disabled");
    await node(page, "answer").click();
    await page.keyboard.press("d");
    // It stays so with the loop around it.
    await expect(node(page, "answer")).toContainText("Disabled");
    await takePicture(page, "disabled");
    await page.locator(".loop .loop-kind").click();
    await page.keyboard.press("d");
    await expect(node(page, "answer")).not.toContainText("Disabled");
  });

  test("renames on the card", async ({ page }) => {
    await openFlow(page);
    await node(page, "ask").click();
    await page.keyboard.press("F2");
    await page.getByTestId("rename-ask").fill("Ask politely");
    await page.keyboard.press("Enter");
    await expect(node(page, "ask")).toContainText("Ask politely");
    await expect(page.getByTestId("node-title")).toHaveValue("Ask politely");
  });

  test("tidies the layout in one step", async ({ page }) => {
    await openFlow(page, {
      ...CHAT_FLOW,
      layout: Object.fromEntries(Object.keys(CHAT_FLOW.nodes).map((id) => [id, { x: 0, y: 0 }])),
    });
    await page.keyboard.press("Shift+L");
    await expect(page.getByTestId("undo-button")).toBeEnabled();
    const flow = await savedFlow(page);
    const { start, ask, answer } = flow.layout;
    expect((start?.x ?? 0) < (ask?.x ?? 0) && (ask?.x ?? 0) < (answer?.x ?? 0)).toBe(true);
    await page.keyboard.press("Control+z");
    await expect(page.getByTestId("undo-button")).toBeDisabled();
  });
});

test.describe("the keyboard alone", () => {
  test("builds a flow: add, connect, configure, move, save", async ({ page }) => {
    await openEmpty(page);
    await page.keyboard.press("/");
    await page.keyboard.type("context start");
    await page.keyboard.press("Enter");
    await expect(node(page, "contextStart")).toBeVisible();
    await expect(page.locator("[data-config-of=contextStart]").locator(":focus")).toHaveCount(1);
    await page.keyboard.press("Escape");
    await expect(page.locator(".react-flow__node[data-id=contextStart]")).toBeFocused();
    await page.keyboard.press("c");
    await expect(page.getByTestId("connect-dialog")).toBeVisible();
    await page.keyboard.type("context");
    await page.keyboard.press("Enter");
    await page.keyboard.type("user input");
    await page.keyboard.press("Enter");
    await expect(node(page, "userInput")).toBeVisible();
    await expect(page.locator(".react-flow__edge")).toHaveCount(1);
    await expect(page.locator("[data-config-of=userInput]").locator(":focus")).toHaveCount(1);
    await page.keyboard.press("Escape");
    await expect(page.locator(".react-flow__node[data-id=userInput]")).toBeFocused();
    const before = await node(page, "userInput").boundingBox();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Shift+ArrowDown");
    await expect
      .poll(async () => Math.round(((await node(page, "userInput").boundingBox())?.y ?? 0) - (before?.y ?? 0)))
      .toBeGreaterThan(15);
    await page.keyboard.press("Alt+ArrowLeft");
    await expect(page.locator(".react-flow__node[data-id=contextStart]")).toBeFocused();
    await page.keyboard.press("F2");
    await page.keyboard.type("Main");
    await page.keyboard.press("Enter");
    await expect(node(page, "contextStart")).toContainText("Main");
    await page.keyboard.press("Control+s");
    await page.getByTestId("file-dialog-path").fill(filePath("keys.flow.json"));
    await page.keyboard.press("Enter");
    await expect(page.getByTestId("flow-file")).toContainText("keys.flow.json · Saved");
  });

  test("finds everything in the command palette", async ({ page }) => {
    await openFlow(page);
    await page.keyboard.press("Control+k");
    await page.keyboard.type("select all");
    await page.keyboard.press("Enter");
    await expect(page.getByTestId("selection-count")).toContainText("5 nodes");
    await page.keyboard.press("Escape");
    await page.keyboard.press("?");
    await expect(page.getByTestId("shortcuts-help")).toContainText("Ctrl+Shift+S");
    await page.keyboard.press("Escape");
    await expect(page.getByTestId("shortcuts-help")).toHaveCount(0);
  });
});
