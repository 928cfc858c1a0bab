import { beforeEach, describe, expect, it, vi } from "vitest";
import type { NodeDescriptor } from "@/bindings";
import nodes from "@/bindings/nodes.json";
import { viewCommands } from "@/canvas/view/view-commands";
import { documentState, EMPTY_FLOW } from "@/flow/document/flow-state";
import { createTestWorkspace } from "@/workspace/test-workspace";
import { editCommands } from "./edit-commands";

const setViewport = vi.fn();
const workspace = createTestWorkspace();

beforeEach(() => {
  workspace.nodeTypes.set(nodes as unknown as NodeDescriptor[]);
  const layout = { note: { x: 10, y: 20, width: 200, height: 80 }, text: { x: 0, y: 0 } };
  const flow = { ...EMPTY_FLOW, nodes: { note: { type: "note" }, text: { type: "text" } }, layout };
  workspace.editor.open(documentState(flow));
  const getNodes = () => {
    const at = workspace.editor.state.flow.layout.note;
    return [{ id: "note", position: at, measured: at }];
  };
  const getViewport = () => ({ x: 5, y: 6, zoom: 2 });
  workspace.canvas.set({ instance: { getNodes, getViewport, setViewport } as never });
});

const command = (id: string) => {
  const found = [...editCommands, ...viewCommands].find((one) => one.id === id);
  if (!found) throw new Error(id);
  return found;
};

describe("edit commands", () => {
  it("disable and enable what is selected, but no comments", () => {
    const disabled = () => workspace.editor.state.flow.nodes.text?.disabled;
    workspace.editor.selectOnly({ nodes: ["note", "text"] });
    void command("edit.disable").run(workspace);
    expect(disabled()).toBe(true);
    expect(workspace.editor.state.flow.nodes.note).toEqual({ type: "note" });
    void command("edit.disable").run(workspace);
    expect(workspace.editor.state.flow.nodes.text).toEqual({ type: "text" });
    workspace.editor.undo();
    expect(disabled()).toBe(true);
    workspace.editor.selectOnly({ nodes: ["note"] });
    expect(command("edit.disable").enabled?.(workspace)).toBe(false);
  });

  it("resize a note in one undo step, down to its minimum size", () => {
    workspace.editor.selectOnly({ nodes: ["note"] });
    for (const _ of [1, 2]) void command("arrange.wider").run(workspace);
    for (const _ of [1, 2, 3]) void command("arrange.shorter").run(workspace);
    expect(workspace.editor.state.flow.layout.note).toEqual({ x: 10, y: 20, width: 240, height: 60 });
    workspace.editor.undo();
    expect(workspace.editor.state.flow.layout.note).toEqual({ x: 10, y: 20, width: 200, height: 80 });
  });

  it("resize no other nodes", () => {
    workspace.editor.selectOnly({ nodes: ["text"] });
    expect(command("arrange.wider").enabled?.(workspace)).toBe(false);
    workspace.editor.selectOnly({ nodes: ["note"] });
    expect(command("arrange.wider").enabled?.(workspace)).toBe(true);
  });

  it("pan the view", () => {
    void command("view.pan.right").run(workspace);
    expect(setViewport).toHaveBeenLastCalledWith({ x: -75, y: 6, zoom: 2 });
  });
});
