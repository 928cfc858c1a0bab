import { cleanup, fireEvent, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { useState } from "react";
import { afterEach, describe, expect, it, vi } from "vitest";
import type { Diagnostic } from "@/bindings";
import { documentState, EMPTY_FLOW } from "@/flow/document/flow-state";
import { setAt } from "@/flow/edits/edits";
import { type Schema, specOf } from "@/flow/node-types/config-spec";
import { FormField } from "@/forms/FormField";
import type { Path } from "@/forms/findings";
import { useFlow, useWorkspace } from "@/workspace/context";
import { createTestWorkspace, renderInWorkspace } from "@/workspace/test-workspace";
import type { Workspace } from "@/workspace/workspace";
import { ConfigTab } from "./ConfigTab";

/** A form over a value, as the inspector holds it. */
function Form({
  schema,
  start,
  onValue,
  findings = [],
}: {
  schema: Schema;
  start?: unknown;
  onValue: (value: unknown) => void;
  findings?: Diagnostic[];
}) {
  const [value, setValue] = useState<unknown>({ x: start });
  const change = (path: Path, next: unknown) => {
    setValue((before: unknown) => {
      const after = setAt(before, path, next);
      onValue((after as { x?: unknown }).x);
      return after;
    });
  };
  return (
    <FormField
      label="Field"
      spec={specOf(schema)}
      value={(value as { x?: unknown }).x}
      path={["x"]}
      findings={findings}
      onChange={change}
      readOnly={false}
    />
  );
}

function draw(schema: Schema, start?: unknown, findings?: Diagnostic[]) {
  const onValue = vi.fn();
  renderInWorkspace(<Form schema={schema} start={start} onValue={onValue} findings={findings} />);
  return { user: userEvent.setup(), last: () => onValue.mock.lastCall?.[0] as unknown, onValue };
}

afterEach(cleanup);

describe("a form", () => {
  it("sets a text and removes it", async () => {
    const { user, last } = draw({ type: "string", description: "What **for**" });
    const field = screen.getByLabelText("Field");
    expect(field).toHaveProperty("tagName", "INPUT");
    await user.type(field, "hi");
    expect(last()).toBe("hi");
    await user.clear(field);
    expect(last()).toBeUndefined();
  });

  it("shows a default without writing it", async () => {
    const { user, last } = draw({ type: "integer", default: 8 });
    const field = screen.getByLabelText("Field") as HTMLInputElement;
    expect([field.value, field.placeholder]).toEqual(["", "8"]);
    await user.type(field, "12");
    expect(last()).toBe(12);
    await user.clear(field);
    expect(last()).toBeUndefined();
  });

  it("ignores incomplete numbers", async () => {
    const { user, last, onValue } = draw({ type: "number" });
    await user.type(screen.getByLabelText("Field"), "-");
    expect(onValue).not.toHaveBeenCalled();
    await user.type(screen.getByLabelText("Field"), "1.5");
    expect(last()).toBe(-1.5);
  });

  it("accepts a whole number with grouped digits", async () => {
    const { user, last } = draw({ type: "integer" });
    await user.type(screen.getByLabelText("Field"), "128,000");
    expect(last()).toBe(128_000);
    await user.tab();
    expect(screen.getByLabelText("Field")).toHaveProperty("value", "128000");
  });

  it("toggles a switch and does not write the default", async () => {
    const { user, last } = draw({ type: "boolean", default: true });
    const toggle = screen.getByRole("switch");
    expect(toggle.getAttribute("aria-checked")).toBe("true");
    await user.click(toggle);
    expect(last()).toBe(false);
    await user.click(toggle);
    expect(last()).toBeUndefined();
  });

  it("sets a choice", async () => {
    const { user, last } = draw({ type: "string", enum: ["user", "system"] });
    await user.selectOptions(screen.getByLabelText("Field"), "System");
    expect(last()).toBe("system");
  });

  it("shows a value that is not in the schema", () => {
    draw({ type: "string", enum: ["user"] }, "ghost");
    expect(screen.getByRole("option", { name: "Unknown: ghost" })).toBeTruthy();
  });

  it("adds, reorders and removes items", async () => {
    const { user, last } = draw({ type: "array", items: { type: "string" } }, ["a", "b"]);
    await user.click(screen.getByRole("button", { name: /add/i }));
    await user.type(screen.getByLabelText("Item 3"), "c");
    expect(last()).toEqual(["a", "b", "c"]);
    await user.click(screen.getByRole("button", { name: "Move item 3 up" }));
    expect(last()).toEqual(["a", "c", "b"]);
    await user.click(screen.getByRole("button", { name: "Remove item 1" }));
    expect(last()).toEqual(["c", "b"]);
  });

  it("keeps the position of an emptied item", async () => {
    const { user, last } = draw({ type: "array", items: { type: "string" } }, ["a", "b"]);
    await user.clear(screen.getByLabelText("Item 1"));
    expect(last()).toEqual(["", "b"]);
  });

  it("switches between alternatives", async () => {
    const schema = { anyOf: [{ oneOf: [{ const: "auto" }] }, { type: "array", items: { type: "string" } }] };
    const { user, last } = draw(schema, "auto");
    await user.selectOptions(screen.getByLabelText("Field: kind"), "List of texts");
    expect(last()).toEqual([]);
    await user.selectOptions(screen.getByLabelText("Field: kind"), "Auto");
    expect(last()).toBe("auto");
  });

  it("shows a finding only at its field", () => {
    const found = (pointer: string, message: string): Diagnostic => ({
      code: "config.invalid",
      severity: "error",
      message,
      node: "n",
      pointer,
    });
    draw({ type: "string" }, "", [found("/nodes/n/config/x", "Not that."), found("/nodes/n/config/y", "Elsewhere.")]);
    const field = screen.getByLabelText("Field");
    expect(field.getAttribute("aria-invalid")).toBe("true");
    expect(screen.getByText(/Not that\./)).toBeTruthy();
    expect(screen.queryByText(/Elsewhere/)).toBeNull();
  });
});

describe("a new item", () => {
  it("has the focus, in a list and in a map", async () => {
    const { user } = draw({ type: "array", items: { type: "string" } }, ["one"]);
    await user.click(screen.getByRole("button", { name: /add/i }));
    await vi.waitFor(() => expect(document.activeElement).toBe(screen.getByLabelText("Item 2")));
    cleanup();
    const map = draw({ type: "object", additionalProperties: { type: "string" } });
    await map.user.click(screen.getByRole("button", { name: /add/i }));
    await vi.waitFor(() => expect(document.activeElement).toBe(screen.getByLabelText("Name of “name1”")));
  });
});

describe("undo", () => {
  let workspace: Workspace;

  /** A form over the config of a node. */
  function NodeForm({ schema }: { schema: Schema }) {
    const { editor } = useWorkspace();
    const value = useFlow((state) => state.flow.nodes.n?.config?.x);
    return (
      <FormField
        label="Fields"
        spec={specOf(schema)}
        value={value}
        path={["x"]}
        findings={[]}
        onChange={(path, next) => editor.setConfig("n", path, next)}
        readOnly={false}
      />
    );
  }

  function drawNode(schema: Schema) {
    workspace = createTestWorkspace();
    workspace.editor.open(documentState({ ...EMPTY_FLOW, nodes: { n: { type: "text" } } }));
    renderInWorkspace(<NodeForm schema={schema} />, { workspace });
    return userEvent.setup();
  }

  const steps = () => workspace.editor.state.history.past.length;

  it("reverts one click in a list at a time", async () => {
    const user = drawNode({ type: "array", items: { type: "string" } });
    await user.click(screen.getByRole("button", { name: /add/i }));
    await user.click(screen.getByRole("button", { name: /add/i }));
    await user.click(screen.getByRole("button", { name: "Remove field 1" }));
    expect(steps()).toBe(3);
  });

  it("reverts one click in a map at a time", async () => {
    const user = drawNode({ type: "object", additionalProperties: { type: "string" } });
    await user.click(screen.getByRole("button", { name: /add/i }));
    await user.click(screen.getByRole("button", { name: /^remove/i }));
    await user.click(screen.getByRole("button", { name: /add/i }));
    expect(steps()).toBe(3);
  });

  it("reverts one switch toggle at a time", async () => {
    const user = drawNode({ type: "boolean" });
    await user.click(screen.getByRole("switch"));
    await user.click(screen.getByRole("switch"));
    expect(steps()).toBe(2);
  });

  it("reverts one choice at a time", async () => {
    const user = drawNode({ type: "string", enum: ["user", "system", "tool"] });
    await user.selectOptions(screen.getByLabelText("Fields"), "System");
    await user.selectOptions(screen.getByLabelText("Fields"), "Tool");
    expect(steps()).toBe(2);
  });

  it("reverts a typed word in one step", async () => {
    const user = drawNode({ type: "string" });
    await user.type(screen.getByLabelText("Fields"), "word");
    expect(steps()).toBe(1);
  });
});

it("stays in its field when Escape ends the composition of an input method", () => {
  const workspace = createTestWorkspace();
  workspace.editor.open(documentState({ ...EMPTY_FLOW, nodes: { a: { type: "text" } } }));
  const focused = vi.spyOn(workspace.canvas, "focusNode");
  renderInWorkspace(<ConfigTab nodeId="a" node={{ type: "text" }} type={undefined} readOnly={false} />, { workspace });
  const inside = document.querySelector("[data-config-of]") as HTMLElement;
  const press = (isComposing: boolean) =>
    fireEvent(inside, new KeyboardEvent("keydown", { key: "Escape", bubbles: true, isComposing }));
  press(true);
  expect(focused).not.toHaveBeenCalled();
  press(false);
  expect(focused).toHaveBeenCalledWith("a");
});
