import type { Page } from "@playwright/test";
import { findViolations } from "./axe";
import { expect, filePath, openFlow, putFile, type TestHost, test as withHost } from "./fixture";
import { EmbeddingServer } from "./model-server";

// Each section is longer than half a passage, so that none shares one.
const TRAINS = `# Travel

${"Trips are planned two weeks ahead, and the plan is sent to the office. ".repeat(24)}

## Trains

${"Trains are booked by the office, second class. A ticket is refunded if the trip is canceled. ".repeat(18)}
`;
const MEALS = "Meals with clients need a receipt. The soup is free on Fridays. ".repeat(26);
/** Together with the trains more than a search may return. */
const FOOD = `# Food\n\n${[1, 2, 3, 4, 5].map((number) => `## Rule ${number}\n\n${MEALS}\n`).join("\n")}`;

/** A test with a server that embeds passages on request. */
const test = withHost.extend<{ embeddings: EmbeddingServer }>({
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the names of fixtures from the pattern.
  embeddings: async ({}, use) => {
    const server = await EmbeddingServer.start((text) => (/trains/i.test(text) ? [1, 0, 0] : [0, 1, 0]));
    await use(server);
    server.close();
  },
});

/** A page without a word. */
function emptyPdf(): string {
  const objects = [
    "<</Type/Catalog/Pages 2 0 R>>",
    "<</Type/Pages/Kids[3 0 R]/Count 1>>",
    "<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]>>",
  ];
  let text = "%PDF-1.4\n";
  const places = objects.map((object, index) => {
    const place = text.length;
    text += `${index + 1} 0 obj${object}endobj\n`;
    return `${String(place).padStart(10, "0")} 00000 n \n`;
  });
  const table = `xref\n0 4\n0000000000 65535 f \n${places.join("")}`;
  return `${text}${table}trailer<</Size 4/Root 1 0 R>>\nstartxref\n${text.length}\n%%EOF\n`;
}

/** A knowledge base that is not indexed yet. Its passages are embedded when the test lets the server answer. */
async function addHandbook(host: TestHost, server: EmbeddingServer): Promise<void> {
  putFile(filePath("handbook/travel/trains.md"), TRAINS);
  putFile(filePath("handbook/food.md"), FOOD);
  putFile(filePath("handbook/scan.pdf"), emptyPdf());
  const embedding = { kind: "openAi", baseUrl: server.baseUrl };
  await host.call("settings.change", { patch: { providers: { local: embedding } } });
  const embeddings = { provider: "local", model: "embed" };
  await host.call("knowledge.add", { name: "handbook", paths: [filePath("handbook")], embeddings });
}

async function expectAccessible(page: Page, what: string): Promise<void> {
  expect(await findViolations(page, { within: 'section[aria-label="Left panel"]' }), what).toEqual([]);
}

test("a knowledge base is indexed, searched, and its source opened", async ({ page, host, embeddings }) => {
  await addHandbook(host, embeddings);
  await openFlow(page);
  await page.getByTestId("rail-knowledge").click();
  const base = page.getByTestId("knowledge-base-handbook");
  await expect(base.getByTestId("knowledge-state")).toHaveText("Not indexed");
  await page.getByTestId("knowledge-index-handbook").click();
  await expect(base.getByTestId("knowledge-progress")).toContainText(/Indexing \d+ of \d+/);
  embeddings.open();
  await expect(base.getByTestId("knowledge-state")).toHaveText("Ready", { timeout: 10_000 });
  await expect(base).toContainText("2 files, 7 passages");
  await base.getByText("1 not searched").click();
  await expect(base).toContainText("the PDF has no text, only images");

  await page.getByTestId("knowledge-query").fill("book trains for meals");
  await page.keyboard.press("Enter");
  const passages = page.getByTestId("passage");
  await expect(passages).toHaveCount(7);
  await expect(passages.first()).toContainText("Trains are booked by the office");
  await expect(passages.first()).toContainText("travel/trains.md, line 5");
  await expect(passages.first()).toContainText(/\d\.\d\d/);
  await expect(passages.last()).toContainText(/Takes \d+ tokens, \d+ were left/);
  await expectAccessible(page, "results");

  await passages.first().click();
  const dialog = page.getByTestId("source-dialog");
  await expect(dialog).toContainText(filePath("handbook/travel/trains.md"));
  await expect(dialog).toContainText("Trips are planned two weeks ahead");
  await expect(dialog.getByTestId("source-passage")).toContainText("## Trains");
  await expect(dialog.getByTestId("source-passage")).not.toContainText("Trips are planned");
  await page.keyboard.press("Escape");
  await expect(dialog).toHaveCount(0);
});

test("a knowledge base is added, stopped while it is indexed, and removed", async ({ page, host, embeddings }) => {
  await addHandbook(host, embeddings);
  putFile(filePath("policies/one.md"), FOOD);
  await openFlow(page);
  await page.getByTestId("rail-knowledge").click();
  await page.getByTestId("knowledge-add").click();
  await page.getByTestId("knowledge-choose").click();
  await page.getByTestId("file-dialog-path").fill(filePath("policies"));
  await page.getByTestId("file-dialog-ok").click();
  await expect(page.getByTestId("knowledge-name")).toHaveValue("policies");

  await page.getByTestId("knowledge-name").fill("handbook");
  await page.getByTestId("knowledge-submit").click();
  await expect(page.getByTestId("knowledge-form").getByRole("alert")).toContainText("already a knowledge base");
  await page.getByTestId("knowledge-embeddings").fill("nonsense");
  await page.getByTestId("knowledge-submit").click();
  await expect(page.getByTestId("knowledge-form").getByRole("alert")).toContainText("provider/model");
  await page.getByTestId("knowledge-embeddings").fill("local/embed");
  await page.getByTestId("knowledge-name").fill("policies");
  await expectAccessible(page, "form");
  await page.getByTestId("knowledge-submit").click();

  await page.getByTestId("knowledge-stop-policies").click();
  const base = page.getByTestId("knowledge-base-policies");
  await expect(base.getByTestId("knowledge-state")).toHaveText("Failed");
  await expect(base).toContainText("Indexing was stopped.");

  await page.getByTestId("knowledge-remove-policies").click();
  await page.getByTestId("ask-remove").click();
  await expect(base).toHaveCount(0);
});
