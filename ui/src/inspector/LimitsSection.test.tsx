import { cleanup, render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, expect, test } from "vitest";
import { documentState, EMPTY_FLOW, flowStore } from "@/flow/store";
import { LimitsSection } from "./LimitsSection";

afterEach(cleanup);

function Limits() {
  const node = flowStore((state) => state.flow.nodes.n);
  return node ? <LimitsSection nodeId="n" node={node} findings={[]} readOnly={false} /> : null;
}

test("the limits stay open when the only limit is cleared", async () => {
  const nodes = { n: { type: "text", limits: { maxEpochs: 5 } } };
  flowStore.setState(documentState({ ...EMPTY_FLOW, nodes }), true);
  render(<Limits />);
  const user = userEvent.setup();
  await user.clear(screen.getByLabelText(/^Max iterations/));
  expect(flowStore.getState().flow.nodes.n).toEqual({ type: "text" });
  expect(document.querySelector("details")?.open).toBe(true);
});

test("the limits are collapsed when none is set", () => {
  flowStore.setState(documentState({ ...EMPTY_FLOW, nodes: { n: { type: "text" } } }), true);
  render(<Limits />);
  expect(document.querySelector("details")?.open).toBe(false);
});
