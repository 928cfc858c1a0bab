import { expect, test, vi } from "vitest";
import { notify } from "@/design/dialogs/notify";
import { documentState, EMPTY_FLOW } from "@/flow/document/flow-state";
import { createTestWorkspace } from "@/workspace/test-workspace";
import { tidy } from "./tidy";

const elk = vi.hoisted(() => ({ layout: vi.fn(), terminateWorker: vi.fn() }));
vi.mock("elkjs/lib/elk-api", () => ({
  default: class {
    layout = elk.layout;
    terminateWorker = elk.terminateWorker;
  },
}));
vi.mock("elkjs/lib/elk-worker.min.js?worker", () => ({ default: class {} }));

test("the layout worker is terminated also after a failure", async () => {
  const notifyError = vi.spyOn(notify, "error").mockReturnValue();
  elk.layout.mockRejectedValue(new Error("No."));
  const workspace = createTestWorkspace();
  const nodes = ["a", "b"].map((id) => ({ id, type: "card", position: { x: 0, y: 0 } }));
  workspace.canvas.set({ instance: { getNodes: () => nodes } as never });
  workspace.editor.open(documentState(EMPTY_FLOW));
  await tidy(workspace);
  expect(notifyError.mock.lastCall?.[0]).toMatchObject({ code: "layout.failed" });
  expect(elk.terminateWorker).toHaveBeenCalledOnce();
});
