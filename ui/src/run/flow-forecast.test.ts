import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { Diagnostic, Flow, FlowForecast } from "@/bindings";
import { documentState, EMPTY_FLOW, UNCHECKED } from "@/flow/document/flow-state";
import { FlowForecasts } from "./flow-forecast";
import { createRunParts, type RunParts } from "./test-parts";

const flow = (name: string): Flow => ({ ...EMPTY_FLOW, name });
const forecast = (name: string) => ({ nodes: [], name }) as unknown as FlowForecast;

let parts: RunParts;
let forecasts: FlowForecasts;
let answers: Map<string, (reply: FlowForecast) => void>;
let stop: () => void;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  answers = new Map();
  const call = (_: string, { flow: asked }: { flow: Flow }) =>
    new Promise((resolve) => answers.set(asked.name, resolve as never));
  parts = createRunParts({ call: call as never });
  forecasts = new FlowForecasts(parts.host, parts.editor, parts.activeRun);
  stop = forecasts.follow();
});
afterEach(() => {
  stop();
  vi.useRealTimers();
});

async function display(next: Flow, diagnostics: Diagnostic[] = []): Promise<void> {
  parts.editor.store.setState({ ...documentState(next), checked: { ...UNCHECKED, diagnostics }, checkedFlow: next });
  await vi.advanceTimersByTimeAsync(1000);
}

async function answer(name: string): Promise<void> {
  answers.get(name)?.(forecast(name));
  await vi.advanceTimersByTimeAsync(0);
}

it("drops the answer about a flow that has errors by now", async () => {
  await display(flow("good"));
  const broken = flow("broken");
  await display(broken, [{ severity: "error" } as Diagnostic]);
  await answer("good");
  expect(forecasts.store.getState()).toEqual({ flow: broken, forecast: undefined });
});

it("drops the answer about a flow that was displayed in between", async () => {
  const first = flow("first");
  await display(first);
  await answer("first");
  await display(flow("second"));
  await display(first);
  await answer("second");
  expect(forecasts.store.getState()).toEqual({ flow: first, forecast: forecast("first") });
});
