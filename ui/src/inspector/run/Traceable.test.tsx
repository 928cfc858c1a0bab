import { act, cleanup, fireEvent, screen } from "@testing-library/react";
import { afterEach, expect, it, vi } from "vitest";
import type { LineageSpot } from "@/bindings";
import { createTestWorkspace, renderInWorkspace } from "@/workspace/test-workspace";
import { Traceable } from "./Traceable";

afterEach(cleanup);

const SPOT: LineageSpot = { kind: "output", node: "read", epoch: [], port: "text" };

/** Draws a value as this text, and selects a part of it. */
async function select(value: unknown, text: string, start: number, end: number, offset?: number) {
  const call = vi.fn(async (_name: string, _args?: unknown) => ({ steps: [], choices: [] }));
  const workspace = createTestWorkspace({ call: call as never });
  renderInWorkspace(
    <Traceable run="run" spot={SPOT} value={value} offset={offset}>
      <p data-testid="value">{text}</p>
    </Traceable>,
    { workspace },
  );
  const node = screen.getByTestId("value").firstChild as Text;
  document.getSelection()?.setBaseAndExtent(node, start, node, end);
  await act(async () => void document.dispatchEvent(new Event("selectionchange")));
  return { call, workspace };
}

it("follows what is selected in a text by its range", async () => {
  const { call, workspace } = await select("tea 4711\ntea 4711", "tea 4711\ntea 4711", 13, 17);
  await act(async () => fireEvent.click(screen.getByText("Where does this come from?")));
  const question = { run: "run", spot: SPOT, direction: "from", occurrence: 0 };
  expect(call.mock.calls).toContainEqual(["lens.lineage", { ...question, range: { start: 13, end: 17 } }]);
  expect(workspace.layout.store.getState().dockTab).toBe("lineage");
});

it("counts from the beginning of the message in a block of it", async () => {
  const { call } = await select("4711", "4711", 1, 3, 20);
  await act(async () => fireEvent.click(screen.getByText("Where did it go?")));
  const question = { run: "run", spot: SPOT, direction: "to", occurrence: 0 };
  expect(call.mock.calls).toContainEqual(["lens.lineage", { ...question, range: { start: 21, end: 23 } }]);
});

it("follows what occurs once in a value that is no text, and offers nothing else", async () => {
  const { call } = await select({ tea: 4711, cup: [12, 12] }, "tea: 4711", 5, 9);
  await act(async () => fireEvent.click(screen.getByText("Where does this come from?")));
  expect(call.mock.calls[0]?.[1]).toMatchObject({ text: "4711" });
  cleanup();
  await select({ tea: 4711, cup: [12, 12] }, "cup: 12", 5, 7);
  expect(screen.queryByText("Where does this come from?")).toBeNull();
});
