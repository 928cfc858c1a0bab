import { describe, expect, it } from "vitest";
import { elapsed } from "../fold/elapsed";
import { displayedEpoch } from "../fold/epoch";
import { RunFold } from "../fold/fold";
import { journalOf } from "../fold/test-vectors";
import { describeCost, formatAgo, formatCost, formatDuration } from "./format";
import { contextOf, inputsOf, valuesFrom } from "./inputs";
import { headOf, plainText, previewOf, previewOfContext, previewOfTools, tailOf } from "./preview";
import { truncate, truncateText } from "./truncate";

function runOf(name: string) {
  const fold = new RunFold();
  fold.apply(journalOf(name));
  return { nodes: fold.nodes, head: fold.head };
}

function inputs(name: string, node: string, epoch?: number[]) {
  const run = runOf(name);
  const view = run.nodes.get(node);
  const found = epoch ? view?.epochs.find((one) => one.epoch.join() === epoch.join()) : displayedEpoch(view);
  return found ? inputsOf(run, node, found) : [];
}

describe("inputs", () => {
  it("resolve to the outputs of their source iteration", () => {
    const [, message] = inputs("chat-cycle", "chat", [0]);
    expect(message).toMatchObject({ port: "message", values: [{ known: true, value: "Question 0" }] });
    expect(inputs("chat-cycle", "chat", [1])[1]?.values[0]?.value).toBe("Question 1");
  });

  it("keep the order of a port that collects", () => {
    expect(inputs("nested-loops", "sum")[0]?.values.map((one) => one.value)).toEqual([1, 11]);
  });

  it("resolve an `error` output from the failure", () => {
    const [error] = inputs("failure-handled", "recover");
    expect(error?.values[0]?.value).toEqual({
      code: "provider.rejected",
      message: "The key was refused.",
      node: "fetch",
      details: { status: 401 },
    });
  });

  it("include input overrides of the run", () => {
    expect(inputs("run-to", "a")).toEqual([{ port: "value", values: [{ known: true, value: { x: 1 } }] }]);
  });

  it("have what the border of a loop gives to an iteration, which no event has", () => {
    const fold = new RunFold();
    const from = (node: string, epoch: number[], port: string) => [{ node, epoch, port }];
    const ready = (node: string, epoch: number[], inputs: object) => ({ type: "node.ready", node, epoch, inputs });
    const events = [
      { type: "run.started", flow: {}, set: { each: { greeting: "Hello" } } },
      {
        type: "node.finished",
        node: "list",
        epoch: [],
        outputs: { value: ["Ada", "Bob"] },
        metadata: { durationMs: 1 },
      },
      ready("each", [], { items: from("list", [], "value") }),
      ready("write", [1], {
        a: from("each", [1], "item"),
        b: from("each", [1], "index"),
        c: from("each", [1], "previous"),
        d: from("each", [], "greeting"),
        e: from("each", [1], "context"),
      }),
    ];
    fold.apply(events.map((event, seq) => ({ seq, at: 0, ...event })) as never);
    const run = { nodes: fold.nodes, head: fold.head };
    const view = displayedEpoch(run.nodes.get("write"));
    if (!view) throw new Error("It is ready.");
    const values = inputsOf(run, "write", view).map(({ values: [one] }) => (one?.known ? one.value : "unknown"));
    expect(values).toEqual(["Bob", 1, null, "Hello", "unknown"]);
    expect(valuesFrom(run, view, "a", "each").map(({ value }) => value)).toEqual(["Bob"]);
    expect(valuesFrom(run, view, "a", "list")).toEqual([]);
  });

  it("determine the context of an activation", () => {
    const run = runOf("chat-cycle");
    expect(contextOf(run, "chat", [0])).toBe("main");
    expect(contextOf(run, "ask", [2])).toBe("main");
    expect(contextOf(runOf("tool-steps"), "tools", [])).toBeUndefined();
  });
});

describe("previews", () => {
  it.each([
    ["two\nlines  here", "“two lines here”"],
    [12, "12"],
    [null, "null"],
    [[], "[]"],
    [["a", 1], "[“a”, 1]"],
    [[{ a: 1 }, {}], "2 items"],
    [{}, "{}"],
    [{ a: 1, b: { c: 2 } }, "{a: 1, b: {…}}"],
    [undefined, ""],
  ])("%j is said as %s", (value, said) => {
    expect(previewOf(value)).toBe(said);
  });

  it("read no more of a value than they show", () => {
    expect(previewOf("x".repeat(1_000_000), 20)).toHaveLength(22);
    expect(previewOf(Object.fromEntries(Array.from({ length: 10_000 }, (_, key) => [`k${key}`, key])), 40).length).toBe(
      40,
    );
  });

  it("say what the other strands carry", () => {
    expect(previewOfContext({ contextId: "main", currentOutput: "x" })).toBe("main");
    expect(previewOfTools([{ name: "clock" }, { name: "read_file" }])).toBe("clock, read_file");
    expect(previewOfTools([])).toBe("no tools");
  });

  it("truncate texts between words, at either end", () => {
    expect(headOf("one two three four", 10)).toBe("one two…");
    expect(tailOf("one two three four", 10)).toBe("…three four");
    expect(headOf("short", 10)).toBe("short");
    expect(plainText("## A **bold** `word`\n- and *more*")).toBe("A bold word\nand more");
  });
});

describe("large values", () => {
  it("are truncated with a count of what is left", () => {
    const { text, left } = truncateText("x".repeat(2000));
    expect(text.length + left).toBe(2000);
    const { value, left: cuts } = truncate({
      list: Array.from({ length: 1000 }, (_, at) => at),
      long: "y".repeat(5000),
    });
    expect(cuts).toBe(2);
    expect((value as { list: unknown[] }).list.at(-1)).toBe("… 940 more");
    expect(JSON.stringify(value).length).toBeLessThan(3000);
  });

  it("are bounded as a whole, however they nest", () => {
    const deep = (depth: number): unknown => (depth === 0 ? 1 : Array.from({ length: 20 }, () => deep(depth - 1)));
    expect(JSON.stringify(truncate(deep(4)).value).length).toBeLessThan(20_000);
  });

  it("keep small values unchanged", () => {
    const value = { a: [1, { b: null }], c: "text" };
    expect(truncate(value)).toEqual({ value, left: 0 });
  });
});

describe("times", () => {
  it.each([
    [0, "0 ms"],
    [999, "999 ms"],
    [1840, "1.8 s"],
    [59_970, "1 m 00 s"],
    [125_000, "2 m 05 s"],
    [3_725_000, "1 h 02 m"],
  ])("%d ms are %s", (ms, said) => {
    expect(formatDuration(ms)).toBe(said);
  });

  it("are relative to now", () => {
    expect(formatAgo(1000, 20_000)).toBe("just now");
    expect(formatAgo(0, 5 * 60_000)).toBe("5 min. ago");
  });

  it("exclude the time in which no process drove the run", () => {
    const { head } = runOf("interrupted");
    expect(head.totals).toMatchObject({ interruptedMs: 7000, waitedMs: 3000 });
    expect(elapsed(head, 0)).toBe(100);
  });

  it("exclude the time a person took to answer", () => {
    const { head } = runOf("two-pauses");
    expect(elapsed(head, 0)).toBe((head.endedAt ?? 0) - (head.startedAt ?? 0) - 4500);
    const waiting = runOf("pause-resumed").head;
    expect(elapsed(waiting, Number.MAX_SAFE_INTEGER)).toBe(elapsed(waiting, waiting.waitingSince ?? 0));
  });
});

it("costs are formatted as in the CLI, and unknown is never zero", () => {
  expect(formatCost({ nanoUsd: 0 })).toBe("$0");
  expect(formatCost({ nanoUsd: 0, unpriced: 2 })).toBe("—");
  expect(formatCost({ nanoUsd: 4_200_000 })).toBe("$0.0042");
  expect(formatCost({ nanoUsd: 4_200_000, unpriced: 1 })).toBe("≥ $0.0042");
  expect(formatCost({ nanoUsd: 12_345_678_901 })).toBe("$12.35");
  expect(formatCost({ nanoUsd: 99_999 })).toBe("< $0.0001");
  expect(formatCost({ nanoUsd: 99_999, unpriced: 1 })).toBe("> $0");
  expect(describeCost({ nanoUsd: 0, unpriced: 1 })).toContain("one call has no known price");
});
