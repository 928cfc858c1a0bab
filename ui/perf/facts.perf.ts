/** 10,000 facts a second for 10 seconds: is anything lost or out of order on the screen, and how long do frames take? */
import { expect, test } from "@playwright/test";
import { generate, type Load } from "../src/ipc/in-page-load";
import { gridFlow, openFlow } from "./flows";
import { recordFrames } from "./frames";

const LOAD: Load = { factsPerSecond: 10_000, seconds: 10, streams: 50 };

for (const tab of ["facts", "conversation", "timeline"]) {
  test(`10,000 facts a second, ${tab} in view`, async ({ page }) => {
    const flow = gridFlow(LOAD.streams, LOAD);
    await openFlow(page, flow);
    await page.getByTestId(`dock-tab-${tab}`).click();
    const recorded = await recordFrames(page);
    await page.getByTestId("run-button").click();
    const disorder = await watchOrder(page, LOAD.seconds * 1000);
    await expect(page.getByTestId("run-status")).toHaveAttribute("data-status", "finished", { timeout: 60_000 });
    const frames = await recorded.stop();
    await page.getByTestId("dock-tab-facts").click();
    const expected = expectation(Object.keys(flow.nodes));
    await expect(page.getByTestId("facts-shown")).toHaveText(expected.facts.toLocaleString("en"));
    await expect(page.getByTestId("fact").last()).toHaveAttribute("data-seq", String(expected.facts - 1));
    const rounds = await page.evaluate(
      (ids) => ids.map((id) => document.querySelector(`[data-testid=node-${id}] .epoch`)?.textContent ?? "not drawn"),
      ["n0", "n1", "n2"],
    );
    expect(rounds).toEqual(["n0", "n1", "n2"].map((id) => `#${expected.rounds.get(id)}`));
    expect(disorder).toEqual([]);
    const result = { measure: "facts", tab, ...LOAD, journal: expected.facts, lost: 0, disorder: 0, ...frames };
    test.info().annotations.push({ type: "result", description: JSON.stringify(result) });
  });
}

/** Looks at the rows of facts on the screen now and then; tells of rows that do not follow one another. */
async function watchOrder(page: import("@playwright/test").Page, ms: number): Promise<string[]> {
  return page.evaluate(async (until) => {
    const found: string[] = [];
    let highest = -1;
    const end = performance.now() + until;
    while (performance.now() < end) {
      await new Promise((resolve) => setTimeout(resolve, 200));
      const rows = [...document.querySelectorAll<HTMLElement>("[data-testid=fact]")].map((row) =>
        Number(row.dataset.seq),
      );
      for (let at = 1; at < rows.length; at++) {
        if (rows[at] !== (rows[at - 1] ?? 0) + 1) found.push(`${rows[at - 1]} then ${rows[at]}`);
      }
      const last = rows.at(-1) ?? highest;
      if (last < highest) found.push(`back from ${highest} to ${last}`);
      highest = Math.max(highest, last);
    }
    return found;
  }, ms);
}

/** What must be there at the end: the length of the journal, and the round each node shows. */
function expectation(ids: string[]): { facts: number; rounds: Map<string, number> } {
  const rounds = new Map<string, number>();
  // The beginning and the end of the run.
  let facts = 2;
  const generated = generate(ids, LOAD.streams);
  for (let count = 0; count < LOAD.factsPerSecond * LOAD.seconds; count++) {
    const fact = generated.next().value as { type: string; node: string; epoch: number[] };
    if (fact.type !== "node.delta") facts += 1;
    rounds.set(fact.node, (fact.epoch[0] ?? 0) + 1);
  }
  return { facts, rounds };
}
