import { cleanup, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, expect, it } from "vitest";
import type { Message } from "@/bindings";
import { createTestWorkspace, renderInWorkspace } from "@/workspace/test-workspace";
import type { Item } from "./conversation-items";
import { Row } from "./MessageRow";

afterEach(cleanup);

const MESSAGE: Message = {
  id: "chat/1",
  role: "assistant",
  content: "The dose is 5",
  author: { node: "chat", epoch: [] },
  tokens: 4,
};

function itemOf(message: Message): Item {
  return { kind: "message", key: "1", context: "main", message };
}

it("marks a reply whose end is missing", () => {
  renderInWorkspace(<Row item={itemOf({ ...MESSAGE, truncated: true })} />, { workspace: createTestWorkspace() });
  expect(screen.getByTestId("truncated").textContent).toContain("Truncated");
});

it("says nothing of a whole reply", () => {
  renderInWorkspace(<Row item={itemOf(MESSAGE)} />, { workspace: createTestWorkspace() });
  expect(screen.getByText("The dose is 5")).toBeDefined();
  expect(screen.queryByTestId("truncated")).toBe(null);
});

it("offers to read a long reply in a large view, and not a short one", async () => {
  const workspace = createTestWorkspace();
  const long = "A line.\n".repeat(20);
  renderInWorkspace(<Row item={itemOf({ ...MESSAGE, content: long })} />, { workspace });
  await userEvent.click(screen.getByRole("button", { name: "Read chat in a large view" }));
  expect(workspace.overlays.store.getState().reading).toEqual({ title: "chat", text: long });
  cleanup();
  renderInWorkspace(<Row item={itemOf(MESSAGE)} />, { workspace });
  expect(screen.queryByTestId("read-large")).toBeNull();
});
