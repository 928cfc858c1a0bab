import { describe, expect, it } from "vitest";
import type { Entry } from "@/bindings";
import { RunFold } from "@/run/fold/fold";
import type { OpenPause } from "@/run/fold/types";
import { edgesOf, isUntrusted, originsOfOutputs, parseOrigin, pathTo } from "./origins";

const PAGE = "host:example.com";

/** Events of a chain: each node gets the output of the one before. */
function chain(...nodes: { id: string; origins?: string[] }[]): Entry[] {
  const entries = [];
  let before: string | undefined;
  for (const { id, origins } of nodes) {
    const inputs = before === undefined ? {} : { in: [{ node: before, epoch: [], port: "out" }] };
    entries.push({ type: "node.ready", node: id, epoch: [], inputs });
    entries.push({
      type: "node.finished",
      node: id,
      epoch: [],
      outputs: { out: 1 },
      metadata: { durationMs: 0, ...(origins && { origins }) },
    });
    before = id;
  }
  return entries as unknown as Entry[];
}

function asked(node: string, source: string): Entry[] {
  const tool = { step: 0, callId: "c", name: "send", kind: "approval", untrusted: [PAGE] };
  return [
    { type: "node.ready", node, epoch: [], inputs: { message: [{ node: source, epoch: [], port: "out" }] } },
    { type: "run.paused", node, epoch: [], prompt: "?", schema: {}, tool },
  ] as unknown as Entry[];
}

function fold(...entries: Entry[]): RunFold {
  const run = new RunFold();
  run.apply(entries.map((entry, seq) => ({ ...entry, seq, at: seq })));
  return run;
}

function question(run: RunFold): OpenPause {
  const [pause] = run.head.pauses;
  if (!pause) throw new Error("Nobody asks.");
  return pause;
}

describe("the way of untrusted data", () => {
  it("begins where it came in, and leaves out what is before and beside it", () => {
    const run = fold(
      ...chain({ id: "url" }, { id: "fetch", origins: [PAGE] }, { id: "sum", origins: ["model:a/b"] }),
      ...asked("answer", "sum"),
    );
    const path = pathTo(question(run), run.nodes);
    if (!path) throw new Error("There is no path.");
    expect(path.steps).toEqual([
      { node: "fetch", port: "out" },
      { node: "sum", port: "out" },
    ]);
    const edge = (source: string, target: string) => ({ source, sourceOutput: "out", target, targetInput: "in" });
    const edges = {
      before: edge("url", "fetch"),
      first: edge("fetch", "sum"),
      beside: edge("fetch", "log"),
      last: edge("sum", "answer"),
    };
    expect([...edgesOf(path, { edges })]).toEqual(["first", "last"]);
  });

  it("is the node alone if its own tools brought the data in", () => {
    const run = fold(...chain({ id: "url" }), ...asked("answer", "url"));
    expect(pathTo(question(run), run.nodes)).toEqual({ steps: [], nodes: new Set(["answer"]) });
  });

  it("is none for other questions", () => {
    const run = fold(...asked("answer", "url"));
    const { tool: _, ...pause } = question(run);
    expect(pathTo(pause, run.nodes)).toBeUndefined();
  });
});

describe("origins", () => {
  it("are untrusted if others write there", () => {
    const untrusted = (text: string) => isUntrusted(parseOrigin(text));
    expect(["file:a", PAGE, "mcp:a", "knowledge:a", "file:*"].every(untrusted)).toBe(true);
    expect(["person", "model:a/b", "conversation:c"].some(untrusted)).toBe(false);
    expect(parseOrigin("host:a:80")).toEqual({ kind: "host", place: "a:80" });
  });
});

describe("the origins of outputs", () => {
  const origins = (run: RunFold, node: string, flow = {}) => {
    const view = run.nodes.get(node)?.epochs[0];
    if (!view) throw new Error(node);
    return originsOfOutputs(run.nodes, { nodes: flow }, view);
  };

  it("are those of the node and of all before it", () => {
    const run = fold(...chain({ id: "fetch", origins: [PAGE] }, { id: "cut" }, { id: "sum", origins: ["model:a/b"] }));
    expect(origins(run, "sum")).toEqual([PAGE, "model:a/b"]);
    expect(origins(run, "cut")).toEqual([PAGE]);
  });

  it("leave out what came into a pinned node", () => {
    const entries = chain({ id: "fetch", origins: [PAGE] }, { id: "fixed", origins: ["person"] }, { id: "sum" });
    const pinned = entries.map((entry) =>
      entry.type === "node.finished" && entry.node === "fixed"
        ? { ...entry, metadata: { ...entry.metadata, pinned: true } }
        : entry,
    );
    expect(origins(fold(...pinned), "sum")).toEqual(["person"]);
  });

  it("miss nothing that a loop gives to its body, which is in no event", () => {
    const inputs = { item: [{ node: "loop", epoch: [1], port: "previous" }] };
    const inside = [
      { type: "node.ready", node: "inner", epoch: [1], inputs },
      { type: "node.finished", node: "inner", epoch: [1], outputs: { out: 1 }, metadata: { durationMs: 0 } },
    ] as unknown as Entry[];
    const run = fold(...chain({ id: "fetch", origins: [PAGE] }, { id: "loop" }), ...inside);
    expect(origins(run, "inner", { loop: { type: "loop" }, inner: { type: "text", parent: "loop" } })).toEqual([PAGE]);
  });
});
