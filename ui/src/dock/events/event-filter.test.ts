import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Entry } from "@/bindings";
import { readVectors } from "@/run/fold/test-vectors";
import { EventFilter, FAMILIES, familyOf, gistOf } from "./event-filter";

const event = (rest: object) => ({ seq: 0, at: 0, node: "sub", epoch: [], ...rest }) as unknown as Entry;

describe("events", () => {
  it("all belong to a family with a filter and a color", () => {
    const css = readFileSync(join(import.meta.dirname, "../run.css"), "utf8");
    const journal = readVectors().flatMap((vector) => vector.journal);
    const kinds = new Set(journal.filter((entry) => entry.seq !== undefined).map(familyOf));
    expect(kinds).toContain("child");
    for (const kind of kinds) {
      expect(FAMILIES).toContain(kind);
      expect(css).toContain(`.event-row[data-family="${kind}"]`);
    }
  });

  it("of a sub-flow name the run and its question", () => {
    expect(gistOf(event({ type: "child.started", run: "r1" }))).toBe("run r1");
    expect(gistOf(event({ type: "child.resumed", run: "r1" }))).toBe("run r1");
    expect(gistOf(event({ type: "child.waiting", run: "r1", questions: [{ prompt: "Well?" }] }))).toBe("“Well?”");
    expect(gistOf(event({ type: "run.cancelling" }))).not.toBe("");
  });

  it("are filtered by family", () => {
    const filter = new EventFilter("child", "", (node) => node);
    filter.read([event({ type: "node.started", attempt: 1 }), event({ type: "child.started", run: "r1" })]);
    expect(filter.places).toEqual([1]);
  });
});
