import { beforeEach, describe, expect, it, vi } from "vitest";
import type { Flow, NodeDescriptor } from "@/bindings";
import nodes from "@/bindings/nodes.json";
import { documentState } from "@/flow/document/flow-state";
import { indexNodeTypes } from "@/flow/node-types/node-types";
import { HostError } from "@/ipc";
import { showRun } from "@/run/live/test-run";
import { createRunParts, type RunParts } from "@/run/test-parts";
import { openChild, runsFlow } from "./child-run";

const naming = (file: string): Flow => ({
  version: 1,
  name: "",
  nodes: { sub: { type: "subflow", config: { file } } },
  edges: {},
  layout: {},
});

let calls: string[];
let parts: RunParts;

beforeEach(() => {
  calls = [];
  const call = async (name: string, args: object) => {
    calls.push(`${name} ${Object.values(args).join()}`);
    throw new HostError({ code: "store.io", message: "No." });
  };
  parts = createRunParts({ call: call as never });
  parts.nodeTypes.set(nodes as unknown as NodeDescriptor[]);
});

describe("the file of a node that has not run", () => {
  it.each([
    ["/flows/a.flow.json", "sub/b.flow.json", "/flows/sub/b.flow.json"],
    ["/flows/a.flow.json", "/other/b.flow.json", "/other/b.flow.json"],
    ["C:\\flows\\a.flow.json", "b.flow.json", "C:\\flows\\b.flow.json"],
    ["C:\\flows\\a.flow.json", "d:/other/b.flow.json", "d:/other/b.flow.json"],
    ["C:\\flows\\a.flow.json", "\\\\box\\b.flow.json", "\\\\box\\b.flow.json"],
  ])("of %s named %s is %s", async (path, file, opened) => {
    parts.editor.open(documentState(naming(file), { path }));
    openChild(parts, "sub");
    await vi.waitFor(() => expect(calls).toContain(`flow.open ${opened}`));
  });
});

describe("the run of a node", () => {
  const began = (epoch: number, run?: string) => [
    { type: "node.started", node: "sub", epoch: [epoch], attempt: 1 },
    ...(run ? [{ type: "child.started", node: "sub", epoch: [epoch], run }] : []),
  ];
  const opened = () => {
    calls = [];
    openChild(parts, "sub");
    return calls;
  };

  it("is of the chosen iteration, or the displayed one, or the latest with a child run", () => {
    showRun(parts.activeRun, [...began(0, "r0"), ...began(1, "r1"), ...began(2)]);
    expect(opened()).toEqual(["runs.show r1"]);
    parts.epochChoice.choose("sub", [0]);
    expect(opened()).toEqual(["runs.show r0"]);
    parts.epochChoice.choose("sub", [2]);
    expect(opened()).toEqual([]);
  });
});

it("recognizes a node that runs a flow, also by an alias of its type", () => {
  const types = indexNodeTypes(nodes as unknown as NodeDescriptor[]);
  expect(["subflow", "workflow", "chat"].map((type) => runsFlow(types, { type }))).toEqual([true, true, false]);
  expect(runsFlow(types, undefined)).toBe(false);
});
