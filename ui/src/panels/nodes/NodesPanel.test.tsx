import { act, cleanup, render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { NodeDescriptor } from "@/bindings";
import nodes from "@/bindings/nodes.json";
import { setNodeTypes } from "@/flow/node-types";
import { documentState, EMPTY_FLOW, flowStore } from "@/flow/store";
import { NodesPanel } from "./NodesPanel";

beforeEach(() => {
  setNodeTypes(nodes as unknown as NodeDescriptor[]);
  flowStore.setState(documentState(EMPTY_FLOW), true);
  render(<NodesPanel />);
});
afterEach(cleanup);

const added = () => Object.keys(flowStore.getState().flow.nodes);

test("a node type is added by a keyboard or screen reader click", async () => {
  const item = screen.getByTestId("palette-text");
  act(() => item.click());
  expect(added()).toEqual(["text"]);
  item.focus();
  await userEvent.keyboard("{Enter}");
  expect(added()).toEqual(["text", "text-2"]);
  await userEvent.keyboard(" ");
  expect(added()).toEqual(["text", "text-2", "text-3"]);
});

test("a single pointer click adds nothing, because it may start a drag", async () => {
  await userEvent.click(screen.getByTestId("palette-text"));
  expect(added()).toEqual([]);
  await userEvent.dblClick(screen.getByTestId("palette-text"));
  expect(added()).toEqual(["text"]);
});
