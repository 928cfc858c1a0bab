import { describe, expect, it } from "vitest";
import { RunFold } from "@/run/fold/fold";
import { journalOf } from "@/run/fold/test-vectors";
import { nodeRunOf, passingOf } from "./element-views";

function viewOf(name: string, node: string, until?: (type: string) => boolean) {
  const journal = journalOf(name);
  const end = until ? journal.findIndex((entry) => until(entry.type)) : -1;
  const fold = new RunFold();
  fold.apply(end < 0 ? journal : journal.slice(0, end));
  return fold.nodes.get(node);
}

describe("what a card shows", () => {
  it("is the same object for the same view", () => {
    const view = viewOf("chat-cycle", "chat");
    expect(nodeRunOf(view)).toBe(nodeRunOf(view));
  });

  it("is the end of a running stream, then the start of the reply", () => {
    const live = viewOf("chat-cycle", "chat", (type) => type === "model.replied");
    expect(nodeRunOf(live)).toMatchObject({ state: "running", epoch: [0], stream: "Answer 0" });
    expect(nodeRunOf(viewOf("tool-steps", "chat"))).toMatchObject({ state: "done", stream: "It is 42." });
  });

  it("has no text before the next iteration streams", () => {
    const fold = new RunFold();
    fold.apply(journalOf("chat-cycle").filter((entry) => entry.seq === undefined || entry.seq < 40));
    fold.apply([{ seq: 1000, at: 0, type: "node.ready", node: "chat", epoch: [9] }]);
    expect(nodeRunOf(fold.nodes.get("chat"))?.stream).toBeUndefined();
  });

  it("has the pause, the failed attempt and the error, but not a stop", () => {
    expect(nodeRunOf(viewOf("two-pauses-open", "ask"))).toMatchObject({ state: "paused" });
    expect(nodeRunOf(viewOf("retry-waiting", "chat"))).toMatchObject({ state: "retrying", attempt: 1 });
    expect(nodeRunOf(viewOf("failure-unhandled", "a"))?.error?.code).toBe("provider.rejected");
    expect(nodeRunOf(undefined)).toBeUndefined();
  });

  it("has the tokens of the last prompt and its window", () => {
    expect(nodeRunOf(viewOf("tool-steps", "chat"))?.windowUse).toMatchObject({ tokens: 70, window: 8000 });
  });
});

describe("the state of a card", () => {
  const stateAfter = (code: string) => {
    const fold = new RunFold();
    const here = { at: 0, node: "a", epoch: [] };
    fold.apply([
      { seq: 0, type: "node.started", ...here, attempt: 1 },
      { seq: 1, type: "node.failed", ...here, handled: false, error: { code, message: "No." } },
    ] as never);
    return nodeRunOf(fold.nodes.get("a"))?.state;
  };

  it("says that a node was stopped, not that it failed", () => {
    expect(stateAfter("node.cancelled")).toBe("stopped");
    expect(stateAfter("node.stopped")).toBe("stopped");
    expect(stateAfter("provider.timeout")).toBe("failed");
  });
});

describe("what passed on an edge", () => {
  it("is the last value of that port, and how many there were", () => {
    expect(passingOf("chat", viewOf("chat-cycle", "chat"), "response")).toEqual({ value: "Answer 1", passed: 2 });
    expect(passingOf("chat", viewOf("chat-cycle", "chat"), "nothing")).toBeUndefined();
    expect(passingOf("fetch", viewOf("failure-handled", "fetch"), "error")?.passed).toBe(1);
  });

  it("stays the same object while the node streams", () => {
    const fold = new RunFold();
    fold.apply(journalOf("chat-cycle"));
    const before = passingOf("chat", fold.nodes.get("chat"), "response");
    fold.apply([{ at: 0, type: "node.delta", node: "chat", epoch: [1], text: "more" }]);
    expect(passingOf("chat", fold.nodes.get("chat"), "response")).toBe(before);
  });
});
