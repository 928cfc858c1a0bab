import { describe, expect, it } from "vitest";
import type { Flow, Ports } from "@/bindings";
import { EMPTY_FLOW } from "@/flow/document/flow-state";
import { fromText, toText } from "./clipboard";
import { changePin, emptyPin, pinOfRun, setPin } from "./pins";

const output = (name: string, kind: "context" | "data" | "tools", type: "any" | "text" | "list" = "any") => ({
  name,
  kind,
  type,
  description: "",
});
const CHAT: Ports = {
  inputs: [],
  outputs: [output("context", "context"), output("response", "data", "text"), output("error", "data")],
};
const SWITCH: Ports = { inputs: [], outputs: [output("yes", "context"), output("no", "context")] };
const SOURCE = { run: "r", origins: ["host:a.example"] };

describe("pins", () => {
  it("of a run have its values with their origins, and name a context only where several lead on", () => {
    const handle = { contextId: "main" };
    expect(pinOfRun(CHAT, { context: handle, response: "Hi" }, SOURCE)).toEqual({
      outputs: { response: "Hi" },
      ...SOURCE,
    });
    expect(pinOfRun(SWITCH, { no: handle }, { run: "r", origins: [] })).toEqual({ outputs: { no: {} }, run: "r" });
    expect(pinOfRun(CHAT, { context: handle }, SOURCE)).toBeUndefined();
  });

  it("that are typed begin with an empty value of the first output", () => {
    expect(emptyPin(CHAT)).toEqual({ outputs: { response: "" } });
    expect(emptyPin({ inputs: [], outputs: [output("tools", "tools")] })).toBeUndefined();
  });

  it("that are edited come from a person too, and keep the origins that they had", () => {
    const pin = { outputs: { response: "Hi" }, ...SOURCE };
    expect(changePin(pin, "response", { value: "Ho" })).toEqual({
      outputs: { response: "Ho" },
      origins: SOURCE.origins,
    });
    expect(changePin(pin, "response", undefined).outputs).toEqual({});
  });

  it("are set and removed without a trace, and are copied with their nodes", () => {
    const flow: Flow = { ...EMPTY_FLOW, nodes: { a: { type: "text" } }, layout: { a: { x: 0, y: 0 } } };
    const pin = { outputs: { text: "x" } };
    const pinned = setPin(flow, "a", pin);
    expect(pinned.nodes.a).toEqual({ type: "text", pin });
    expect(setPin(pinned, "a", undefined).nodes.a).toEqual({ type: "text" });
    expect(setPin(flow, "a", undefined)).toBe(flow);
    const copied = fromText(toText(pinned, new Set(["a"]), () => ({ width: 208, height: 90 })));
    expect(copied?.nodes.a?.pin).toEqual(pin);
  });
});
