import { act, cleanup } from "@testing-library/react";
import { afterEach, beforeEach, expect, test } from "vitest";
import { documentState, EMPTY_FLOW } from "@/flow/document/flow-state";
import { specOf } from "@/flow/node-types/config-spec";
import { createTestWorkspace, renderInWorkspace } from "@/workspace/test-workspace";
import type { Workspace } from "@/workspace/workspace";
import { FormField } from "./FormField";

afterEach(cleanup);
let workspace: Workspace;

beforeEach(() => {
  workspace = createTestWorkspace();
  workspace.settings.store.setState({ providers: { offline: { kind: "offline" } } });
  workspace.providers.store.setState({ models: { box: ["large"] } });
});

function draw(format: string) {
  const spec = specOf({ type: "string", format });
  renderInWorkspace(
    <FormField
      label="Field"
      spec={spec}
      value={undefined}
      path={["x"]}
      findings={[]}
      onChange={() => undefined}
      readOnly={false}
    />,
    { workspace },
  );
}

const options = () => [...document.querySelectorAll("option")].map((option) => option.value);

test("a new provider can be chosen at once", () => {
  draw("provider");
  expect(options()).toEqual(["", "offline"]);
  act(() =>
    workspace.settings.store.setState({ providers: { mine: { kind: "ollama" }, offline: { kind: "offline" } } }),
  );
  expect(options()).toEqual(["", "mine", "offline"]);
});

test("models are suggested for overridden providers", () => {
  const nodes = { a: { type: "chat", config: { overrideProvider: "box", overrideModel: "small" } } };
  workspace.editor.open(documentState({ ...EMPTY_FLOW, nodes }));
  draw("model");
  expect(options()).toEqual(["large", "small"]);
});
