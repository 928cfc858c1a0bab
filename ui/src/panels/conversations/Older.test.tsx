import { cleanup, render, screen } from "@testing-library/react";
import { afterEach, expect, it } from "vitest";
import type { ConversationRecord } from "@/bindings";
import { conversationsStore } from "@/conversations/conversation-list";
import { Older } from "./Older";

afterEach(cleanup);

it("is shown only if there are older conversations", () => {
  const list = [{ id: "a" }, { id: "b" }] as ConversationRecord[];
  conversationsStore.setState({ list, cut: false });
  const { rerender } = render(<Older />);
  expect(screen.queryByTestId("conversations-cut")).toBeNull();
  conversationsStore.setState({ cut: true });
  rerender(<Older />);
  expect(screen.getByTestId("conversations-cut").textContent).toContain("the latest 2 conversations");
});
