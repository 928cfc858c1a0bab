import { act, cleanup, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { toast } from "sonner";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { Autosave } from "@/bindings";
import { EMPTY_FLOW } from "@/flow/document/flow-state";
import { createTestWorkspace, renderInWorkspace } from "@/workspace/test-workspace";
import type { Workspace } from "@/workspace/workspace";
import { DraftsDialog } from "./DraftsDialog";

const draft = (key: string): Autosave => ({ key, name: `Flow ${key}`, savedAt: 0, flow: { ...EMPTY_FLOW, name: key } });

/** The keys of the drafts that the host holds. */
let held: Set<string>;
let workspace: Workspace;

beforeEach(() => {
  held = new Set(["a", "b"]);
  const call = async (name: string, { key }: { key: string }) => {
    if (name === "autosave.drop") held.delete(key);
    if (name === "autosave.put") held.add(key);
    return {};
  };
  workspace = createTestWorkspace({ call: call as never });
  renderInWorkspace(<DraftsDialog />, { workspace });
});
afterEach(cleanup);

const offered = () => workspace.overlays.store.getState().drafts.map((one) => one.key);

test("the focus is on Restore, so that Enter loses nothing", async () => {
  act(() => workspace.overlays.offerDrafts([draft("a"), draft("b")]));
  await vi.waitFor(() => expect(document.activeElement).toBe(screen.getAllByTestId("restore-draft")[0]));
});

test("all drafts are restored at once, each in a tab of its own", async () => {
  act(() => workspace.overlays.offerDrafts([draft("a"), draft("b")]));
  await userEvent.click(screen.getByRole("button", { name: "Restore all" }));
  expect(offered()).toEqual([]);
  await vi.waitFor(() => expect(workspace.documents.all.map(({ key }) => key)).toEqual(["a", "b"]));
  expect(workspace.editor.state.flow.name).toBe("b");
});

test("a single draft has no button for all", () => {
  act(() => workspace.overlays.offerDrafts([draft("a")]));
  expect(screen.queryByTestId("restore-all")).toBeNull();
});

test("a discarded draft can be brought back", async () => {
  act(() => workspace.overlays.offerDrafts([draft("a"), draft("b")]));
  await userEvent.click(screen.getAllByTestId("discard-draft")[0] as HTMLElement);
  expect([...held]).toEqual(["b"]);
  expect(offered()).toEqual(["b"]);
  const undo = toast.getHistory().findLast((one) => "action" in one && one.action) as unknown as {
    action: { onClick(): void };
  };
  undo.action.onClick();
  await vi.waitFor(() => expect(offered()).toEqual(["b", "a"]));
  expect(held.has("a")).toBe(true);
});
