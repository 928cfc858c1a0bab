import type { Page } from "@playwright/test";
import type { Flow } from "../src/bindings";
import { gridEdges, gridPositions } from "./grid";
import type { Load } from "./load";

/** A flow of nodes in a grid; the host answers its run with the load it asks for. */
export function gridFlow(count: number, load?: Load): Flow {
  const positions = gridPositions(count);
  const flow: Flow = { version: 1, name: `Grid of ${count}`, nodes: {}, edges: {}, layout: {} };
  for (const [index, position] of positions.entries()) {
    flow.nodes[`n${index}`] = { type: "catch", title: `Node ${index}`, config: { fallback: `Text ${index}` } };
    flow.layout[`n${index}`] = position;
  }
  for (const [source, target] of gridEdges(count)) {
    flow.edges[`e${source}-${target}`] = {
      source: `n${source}`,
      sourceOutput: "result",
      target: `n${target}`,
      targetInput: "value",
    };
  }
  return load ? ({ ...flow, settings: { load } } as unknown as Flow) : flow;
}

const PATH = "/flows/grid.flow.json";

/** Opens the window on a flow. */
export async function openFlow(page: Page, flow: Flow): Promise<void> {
  await page.addInitScript(
    ([path, text]) => {
      localStorage.setItem(path, text);
    },
    [PATH, JSON.stringify(flow)] as const,
  );
  await page.goto(`/?open=${encodeURIComponent(PATH)}`);
  await page.getByTestId("flow-name").filter({ hasText: flow.name }).waitFor();
}
