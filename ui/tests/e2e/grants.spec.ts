import type { Page } from "@playwright/test";
import type { Flow } from "../../src/bindings";
import { findViolations } from "./axe";
import { expect, filePath, openFlow, scriptedServer, takePicture, test } from "./fixture";

/** Needs a command, hosts, a folder and tools. Where a need is denied, the node that has it fails, and a fallback goes on. */
const NEEDY = {
  version: 1,
  name: "Support triage",
  nodes: {
    parcels: { type: "mcpServer", title: "Parcels", config: { server: "parcel-tools" } },
    receipt: {
      type: "tools",
      title: "Send receipt",
      config: { tools: [], http: [{ name: "receipt", method: "POST", url: "https://api.parcels.example/receipts" }] },
    },
    status: {
      type: "tools",
      title: "Status",
      config: { tools: [], http: [{ name: "status", url: "https://api.parcels.example/status" }] },
    },
    page: { type: "tools", title: "Fetch page", config: { tools: ["fetch_url"] } },
    question: { type: "text", config: { template: "Refunds" } },
    policy: { type: "retrieve", title: "Policy lookup", config: { folder: "policies" } },
    fallback: { type: "catch", config: { fallback: "None" } },
  },
  edges: {
    a: { source: "question", sourceOutput: "text", target: "policy", targetInput: "query" },
    b: { source: "policy", sourceOutput: "error", target: "fallback", targetInput: "error" },
  },
  layout: {
    parcels: { x: 0, y: 0 },
    receipt: { x: 280, y: 0 },
    status: { x: 280, y: 180 },
    page: { x: 0, y: 180 },
    question: { x: 280, y: 360 },
    policy: { x: 560, y: 0 },
    fallback: { x: 560, y: 180 },
  },
} as unknown as Flow;

const dialog = (page: Page) => page.getByTestId("grants-dialog");
const need = (page: Page, target: string) => page.getByTestId(`need-${target}`);

test.beforeEach(async ({ host }) => {
  await host.call("mcp.add", { json: JSON.stringify({ mcpServers: { "parcel-tools": scriptedServer() } }) });
  await host.call("mcp.connect", { name: "parcel-tools" });
  await host.call("mcp.disconnect", { name: "parcel-tools" });
});

async function choose(page: Page, target: string, choice: string): Promise<void> {
  await need(page, target).getByRole("button", { name: choice, exact: true }).click();
}

test("asks before the first run, keeps what is always allowed, and asks again for the rest", async ({ page }) => {
  await openFlow(page, NEEDY);
  await page.getByTestId("run-button").click();
  await expect(dialog(page)).toContainText("What this flow needs");
  await expect(dialog(page).getByRole("heading", { level: 3 })).toHaveText([
    "Commands",
    "Hosts",
    "Folders",
    "Tools that change something",
  ]);
  await expect(need(page, "host=api.parcels.example")).toContainText(
    "POST (receipt), GET (status) · used by Send receipt, Status",
  );
  await expect(need(page, "command=parcel-tools")).toContainText("scripted-server.mjs");
  await expect(dialog(page).getByRole("status")).toHaveText(
    "Nothing is chosen yet, so Enter cancels. Denied nodes fail with a clear error.",
  );
  await expect(page.getByTestId("grants-run")).toHaveText("Run with all denied");
  // Neither Escape nor Enter runs anything before something was chosen.
  for (const key of ["Escape", "Enter"]) {
    // Keys that are pressed before the dialog has the focus are lost.
    await expect(dialog(page).getByRole("button", { name: "Cancel" })).toBeFocused();
    await page.keyboard.press(key);
    await expect(dialog(page)).toHaveCount(0);
    await expect(page.getByTestId("run-status")).toHaveCount(0);
    await page.getByTestId("run-button").click();
    await expect(dialog(page)).toBeVisible();
  }
  await choose(page, "command=parcel-tools", "Always allow");
  await choose(page, "tool=parcel-tools/act", "Ask");
  await choose(page, "host=api.parcels.example", "Allow once");
  await choose(page, `folder=${filePath("policies")}`, "Always deny");
  await expect(dialog(page).getByRole("status")).toContainText("2 allowed, 1 asked each time, 2 denied.");
  await page.getByTestId("grants-run").click();
  await expect(page.getByTestId("run-status")).toHaveAttribute("data-status", "finished", { timeout: 60_000 });

  await page.getByTestId("run-button").click();
  await expect(need(page, "host=api.parcels.example")).toBeVisible();
  await expect(need(page, "command=parcel-tools")).toHaveCount(0);
  await expect(need(page, "tool=parcel-tools/act")).toHaveCount(0);
  await expect(need(page, `folder=${filePath("policies")}`)).toHaveCount(0);
  // What nobody chose was denied for that run only.
  await expect(need(page, "host=*")).toBeVisible();
  await page.keyboard.press("Escape");
  await page.getByTestId("rail-grants").click();
  await expect(page.getByTestId(`grant-folder=${filePath("policies")}`)).toHaveAttribute("data-decision", "deny");
});

test("the panel lists needs, changes and revokes decisions, and shows pins", async ({ page }) => {
  await openFlow(page, NEEDY);
  await page.getByTestId("rail-grants").click();
  const host = page.getByTestId("grant-host=api.parcels.example");
  await expect(host).toHaveAttribute("data-decision", "none");
  await page.getByTestId("decision-host=api.parcels.example").selectOption("allow");
  await expect(host).toHaveAttribute("data-decision", "allow");
  await host.getByLabel("Allow untrusted arguments for api.parcels.example").click();
  await expect(host.getByRole("checkbox")).toBeChecked();
  await expect(page.getByTestId("pin-parcel-tools")).toContainText(
    /2 tools accepted on \w+ \d+, \d{4} as first seen, pinned to sha256:[0-9a-f]{4}…[0-9a-f]{4}/,
  );
  await page.reload();
  await expect(host).toHaveAttribute("data-decision", "allow");
  await page.getByTestId("run-button").click();
  await expect(need(page, "host=*")).toBeVisible();
  await expect(need(page, "host=api.parcels.example")).toHaveCount(0);
  await page.keyboard.press("Escape");
  await page.getByTestId("decision-host=api.parcels.example").selectOption("none");
  await expect(host).toHaveAttribute("data-decision", "none");
});

test("flow that needs nothing runs without asking", async ({ page }) => {
  const quiet = {
    ...NEEDY,
    nodes: { text: { type: "value", config: { value: 1 } } },
    edges: {},
    layout: {},
  } as unknown as Flow;
  await openFlow(page, quiet);
  await page.getByTestId("run-button").click();
  await expect(page.getByTestId("run-status")).toHaveAttribute("data-status", "finished", { timeout: 60_000 });
});

for (const theme of ["dark", "light"] as const) {
  test.describe(`in the ${theme} theme`, () => {
    test.use({ colorScheme: theme });
    for (const [width, height] of [
      [1280, 800],
      [1000, 700],
      // 1280 × 800 at 200 %.
      [640, 400],
    ] as const) {
      test(`dialog and panel are accessible at ${width} × ${height}`, async ({ page }) => {
        await page.setViewportSize({ width, height });
        await openFlow(page, NEEDY);
        // In a tiny window, the rail is a menu.
        if (width < 900) await page.getByTestId("rail-menu").click();
        await page.getByTestId("rail-grants").click();
        await expect(page.getByTestId("grant-host=*")).toBeVisible();
        await takePicture(page, `grants-panel-${theme}-${width}`);
        const expectAccessible = async (part: string) => {
          expect(await findViolations(page, { within: `[data-testid="${part}"]` })).toEqual([]);
        };
        await expectAccessible("grants-panel");
        await page.keyboard.press("Control+Enter");
        await expect(dialog(page).getByRole("button", { name: "Cancel" })).toBeFocused();
        await takePicture(page, `grants-first-${theme}-${width}`);
        await choose(page, "command=parcel-tools", "Always allow");
        await takePicture(page, `grants-dialog-${theme}-${width}`);
        await expectAccessible("grants-dialog");
      });
    }
  });
}
