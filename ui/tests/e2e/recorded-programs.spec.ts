/** Runs of programs that Plait did not run: listed as such, opened like any run, and drafted as a flow. */
import type { Page } from "@playwright/test";
import { findViolations } from "./axe";
import { expect, takePictures, test } from "./fixture";

const text = (key: string, value: unknown) => ({
  key,
  value: { stringValue: typeof value === "string" ? value : JSON.stringify(value) },
});
const said = (role: string, content: string) => ({ role, parts: [{ type: "text", content }] });

/** Traces of a model call. */
function call(agent: string, second: number, model: string, messages: object[], reply: string) {
  return {
    traceId: "t",
    spanId: `s${second}`,
    name: "chat",
    startTimeUnixNano: `${1_700_000_000 + second}000000000`,
    endTimeUnixNano: `${1_700_000_001 + second}000000000`,
    attributes: [
      text("gen_ai.operation.name", "chat"),
      text("gen_ai.provider.name", "openai"),
      text("gen_ai.request.model", model),
      text("gen_ai.agent.name", agent),
      text("gen_ai.input.messages", messages),
      text("gen_ai.output.messages", [said("assistant", reply)]),
      { key: "gen_ai.usage.input_tokens", value: { intValue: 40 } },
      { key: "gen_ai.usage.output_tokens", value: { intValue: 12 } },
    ],
  };
}

const NOTES = "The harvest was late, and the price of wheat rose in March.";
const TRACES = JSON.stringify({
  resourceSpans: [
    {
      scopeSpans: [
        {
          spans: [
            call("Reader", 0, "gpt-4o-mini", [said("user", "Summarize the letter.")], NOTES),
            call("Writer", 2, "gpt-4o", [said("user", `Write a headline for: ${NOTES}`)], "Wheat rises"),
          ],
        },
      ],
    },
  ],
});

const status = (page: Page) => page.getByTestId("run-status");

test("a recorded program is listed, opened and drafted", async ({ page, host }) => {
  const { run } = await host.call("program.import_traces", { text: TRACES, name: "Newsroom" });
  await page.goto("/");
  await page.getByRole("button", { name: "Runs", exact: true }).click();
  const row = page.getByTestId(`run-row-${run}`);
  await expect(row).toContainText("Newsroom");
  await expect(row).toContainText("recorded program");
  await row.getByRole("button").first().click();
  await expect(status(page)).toHaveAttribute("data-status", "finished");
  await expect(page.getByTestId("node-writer")).toBeVisible();
  await takePictures(page, "recorded-program");
  expect(await findViolations(page, { within: "section[aria-label=Runs]" })).toEqual([]);

  await row.hover();
  await page.getByTestId(`run-draft-${run}`).click();
  await expect(page.getByRole("button", { name: "unsaved changes Newsroom" })).toBeVisible();
  await expect(page.getByTestId("node-reader")).toBeVisible();
  await expect(page.getByTestId("node-writer")).toBeVisible();
  await takePictures(page, "recorded-program-draft");
});
