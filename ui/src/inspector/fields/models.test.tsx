import { act, cleanup, render } from "@testing-library/react";
import { afterEach, beforeEach, expect, test } from "vitest";
import { specOf } from "@/flow/config-spec";
import { documentState, EMPTY_FLOW, flowStore } from "@/flow/store";
import { providersStore } from "@/workbench/providers";
import { settingsStore } from "@/workbench/settings";
import { FormField } from "./FormField";

afterEach(cleanup);
beforeEach(() => {
  settingsStore.setState({ providers: { offline: { kind: "offline" } } });
  providersStore.setState({ models: { box: ["large"] } });
});

function draw(format: string) {
  const spec = specOf({ type: "string", format });
  render(
    <FormField
      label="Field"
      spec={spec}
      value={undefined}
      path={["x"]}
      findings={[]}
      onChange={() => undefined}
      readOnly={false}
    />,
  );
}

const options = () => [...document.querySelectorAll("option")].map((option) => option.value);

test("a provider that was just added can be chosen at once", () => {
  draw("provider");
  expect(options()).toEqual(["", "offline"]);
  act(() => settingsStore.setState({ providers: { mine: { kind: "ollama" }, offline: { kind: "offline" } } }));
  expect(options()).toEqual(["", "mine", "offline"]);
});

test("models are suggested that nodes name in place of their context's", () => {
  const nodes = { a: { type: "chat", config: { overrideProvider: "box", overrideModel: "small" } } };
  flowStore.setState(documentState({ ...EMPTY_FLOW, nodes }), true);
  draw("model");
  expect(options()).toEqual(["large", "small"]);
});
