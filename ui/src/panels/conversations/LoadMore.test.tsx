import { cleanup, screen } from "@testing-library/react";
import { afterEach, beforeEach, expect, it } from "vitest";
import type { ConversationRecord } from "@/bindings";
import { createTestWorkspace, renderInWorkspace } from "@/workspace/test-workspace";
import type { Workspace } from "@/workspace/workspace";
import { LoadMore } from "./LoadMore";

let workspace: Workspace;

beforeEach(() => {
  workspace = createTestWorkspace();
});
afterEach(cleanup);

it("is shown only if there are older conversations", () => {
  const list = [{ id: "a" }, { id: "b" }] as ConversationRecord[];
  workspace.conversations.store.setState({ list, cut: false });
  const { rerender } = renderInWorkspace(<LoadMore />, { workspace });
  expect(screen.queryByTestId("conversations-cut")).toBeNull();
  workspace.conversations.store.setState({ cut: true });
  rerender(<LoadMore />);
  expect(screen.getByTestId("conversations-cut").textContent).toContain("the latest 2 conversations");
});
