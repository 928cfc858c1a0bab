import { cleanup, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, expect, test } from "vitest";
import type { ModelOverride } from "@/bindings";
import { neverAnswers } from "@/ipc/test-host";
import { createTestWorkspace, renderInWorkspace } from "@/workspace/test-workspace";
import { ModelOverrides } from "./ModelOverrides";

afterEach(cleanup);

function draw(override: ModelOverride) {
  const workspace = createTestWorkspace({ call: neverAnswers });
  workspace.settings.store.setState({ models: { tiny: override } });
  renderInWorkspace(<ModelOverrides />, { workspace });
  const user = userEvent.setup();
  return {
    write: async (label: string, text: string) => {
      await user.clear(screen.getByLabelText(label));
      await user.type(screen.getByLabelText(label), text === "" ? "{Backspace}" : text);
      await user.tab();
    },
    click: (label: string) => user.click(screen.getByLabelText(label)),
    isChecked: (label: string) => (screen.getByLabelText(label) as HTMLInputElement).checked,
    displayed: (label: string) => (screen.getByLabelText(label) as HTMLInputElement).value,
    kept: () => workspace.settings.current.models?.tiny,
  };
}

const HINT = "Takes effect when input and output both have a price.";

test("a price is saved once input and output are set", async () => {
  const { write, kept, displayed } = draw({});
  await write("Output", "8");
  expect(kept()).toEqual({});
  expect(displayed("Output")).toBe("8");
  expect(screen.getByText(HINT)).toBeDefined();
  await write("Input", "$2");
  expect(kept()).toEqual({ price: { input: 2, output: 8 } });
  expect(displayed("Input")).toBe("2");
  expect(screen.queryByText(HINT)).toBeNull();
});

test("a price without input is removed, and its other fields stay visible", async () => {
  const { write, kept, displayed } = draw({ contextWindow: 9, price: { input: 2, output: 0, cachedInput: 1 } });
  await write("Input", "");
  expect(kept()).toEqual({ contextWindow: 9 });
  expect(["Input", "Output", "Cached input"].map(displayed)).toEqual(["", "0", "1"]);
  await write("Input", "3");
  expect(kept()).toEqual({ contextWindow: 9, price: { input: 3, output: 0, cachedInput: 1 } });
});

test("a context window shows its parsed value", async () => {
  const { write, displayed } = draw({});
  await write("Context window (tokens)", "32,768");
  expect(displayed("Context window (tokens)")).toBe("32768");
});

test("a model is marked as one that takes a prompt only, and the mark is removed", async () => {
  const { click, isChecked, kept } = draw({ contextWindow: 9 });
  expect(isChecked("Takes a prompt only")).toBe(false);
  await click("Takes a prompt only");
  expect(kept()).toEqual({ contextWindow: 9, promptOnly: true });
  expect(isChecked("Takes a prompt only")).toBe(true);
  await click("Takes a prompt only");
  expect(kept()).toEqual({ contextWindow: 9 });
});
