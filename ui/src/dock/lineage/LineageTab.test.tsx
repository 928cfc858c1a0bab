import { act, cleanup, fireEvent, screen } from "@testing-library/react";
import { afterEach, expect, it, vi } from "vitest";
import type { LineageChain, LineageSpot, LineageStep } from "@/bindings";
import { showRun } from "@/run/live/test-run";
import { createTestWorkspace, renderInWorkspace } from "@/workspace/test-workspace";
import { LineageTab } from "./LineageTab";

afterEach(cleanup);

const output = (node: string): LineageSpot => ({ kind: "output", node, epoch: [], port: "text" });

const step = (spot: LineageSpot, more: Partial<LineageStep> = {}): LineageStep => ({
  run: "run",
  spot,
  range: { start: 0, end: 4 },
  text: "4711",
  certainty: "copied",
  ...more,
});

/** Draws the tab after these chains were asked for, one after another. */
async function draw(chains: LineageChain[]) {
  const call = vi.fn(async (name: string) => (name === "lens.lineage" ? chains.shift() : undefined));
  const workspace = createTestWorkspace({ call: call as never });
  showRun(workspace.activeRun, []);
  renderInWorkspace(<LineageTab />, { workspace });
  await act(() => workspace.lineage.follow({ run: "run", spot: output("out"), direction: "from", occurrence: 0 }));
  return { call, workspace };
}

it("lists the steps to the source, and goes on with the choice of a person", async () => {
  const possible = step(output("a"), { certainty: "sameText" });
  const file = { kind: "file", path: "prices.txt", line: 17 } as const;
  const { call } = await draw([
    { steps: [step(output("out"))], choices: [possible, step(output("b"), { certainty: "sameText" })] },
    { steps: [step(output("a")), step(output("read"), { source: file })], choices: [] },
  ]);
  await act(async () => fireEvent.click(screen.getAllByTestId("lineage-choice")[0] as HTMLElement));
  expect(call.mock.calls.at(-1)).toEqual([
    "lens.lineage",
    { run: "run", spot: output("a"), range: { start: 0, end: 4 }, direction: "from", occurrence: 0 },
  ]);
  expect(screen.getByTestId("lineage-source").textContent).toBe("prices.txt, line 17");
  // What was chosen stays a possible source.
  expect(screen.getAllByText("Contains the same text")).toHaveLength(1);
  expect(screen.queryByTestId("lineage-choice")).toBeNull();
});

it("shows the node of a step and its prompt", async () => {
  const reply: LineageSpot = { kind: "reply", node: "chat", epoch: [1], call: 2 };
  const { workspace } = await draw([{ steps: [step(output("out")), step(reply)], choices: [] }]);
  const reveal = vi.spyOn(workspace.canvas, "reveal");
  await act(async () => fireEvent.click(screen.getByText(/reply 3/)));
  expect(reveal).toHaveBeenCalledWith({ node: "chat" });
  expect(workspace.layout.store.getState().inspectorTab).toBe("prompt");
  expect(workspace.epochChoice.callOf("chat")).toBe(2);
});
