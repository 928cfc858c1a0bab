import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Entry, Flow } from "@/bindings";
import { type Host, HostError } from "@/ipc";
import { testHost } from "@/ipc/test-host";
import type { Changed } from "../fold/fold";
import { journalOf, readVectors } from "../fold/test-vectors";
import { RunSession } from "./session";

const FLOW: Flow = { version: 1, name: "", nodes: {}, edges: {}, layout: {} };

type Watch = { from: number; give(entries: Entry[]): void; fail(error: HostError): void; ended: boolean };
let host: Host;
let watches: Watch[];
let changes: Changed[];
let broken: HostError[];

function begin(): RunSession {
  return new RunSession(host, "run", FLOW, {
    changed: (_, changed) => changes.push(changed),
    broke: (_, error) => broken.push(error),
  });
}

beforeEach(() => {
  vi.useFakeTimers({
    toFake: ["setTimeout", "clearTimeout", "requestAnimationFrame", "cancelAnimationFrame", "performance"],
  });
  watches = [];
  changes = [];
  broken = [];
  host = testHost({
    watch: (_, from, give, fail) => {
      const watch = { from, give, fail, ended: false };
      watches.push(watch);
      return () => {
        watch.ended = true;
      };
    },
  });
});
afterEach(() => vi.useRealTimers());

describe("a session", () => {
  it("folds once a frame, in order, for any batching", () => {
    for (const { journal, view, name } of readVectors()) {
      const session = begin();
      for (let at = 0; at < journal.length; at += 3) session.push(journal.slice(at, at + 3));
      expect(session.fold.head.nextSeq).toBe(0);
      vi.runAllTimers();
      expect(session.fold.toView(), name).toEqual(view);
    }
  });

  it("notifies once a frame, not once a batch", () => {
    const session = begin();
    const journal = journalOf("chat-cycle");
    for (const entry of journal) session.push([entry]);
    vi.advanceTimersToNextFrame();
    expect(changes).toHaveLength(1);
    expect(changes[0]?.entries.map((entry) => entry.seq)).toEqual(
      journal.flatMap((entry) => (entry.seq === undefined ? [] : [entry.seq])),
    );
  });

  it("defers work beyond the frame budget without loss", () => {
    const session = begin();
    const many = Array.from(
      { length: 5000 },
      (_, seq) => ({ seq, at: seq, type: "node.ready", node: `n${seq}`, epoch: [] }) as Entry,
    );
    let clock = 0;
    // Each look at the clock finds two milliseconds gone.
    vi.spyOn(performance, "now").mockImplementation(() => {
      clock += 2;
      return clock;
    });
    session.push(many);
    vi.advanceTimersToNextFrame();
    expect(session.fold.nodes.size).toBeLessThan(5000);
    vi.runAllTimers();
    expect(session.fold.nodes.size).toBe(5000);
    expect(changes.length).toBeGreaterThan(2);
    expect(changes.flatMap((changed) => changed.entries)).toEqual(many);
  });

  it("watches from its last entry, stops with the run, and can reconnect", () => {
    const session = begin();
    const journal = journalOf("chat-cycle").filter((entry) => entry.seq !== undefined);
    session.push(journal.slice(0, 4));
    session.watch();
    session.watch();
    expect(watches.map((watch) => watch.from)).toEqual([4]);
    watches[0]?.give(journal.slice(4, 9));
    vi.runAllTimers();
    watches[0]?.fail(new HostError({ code: "store.io", message: "" }));
    expect(broken).toHaveLength(1);
    expect(session.live).toBe(false);
    session.watch();
    expect(watches[1]?.from).toBe(9);
    watches[1]?.give(journal.slice(9));
    vi.runAllTimers();
    expect(session.fold.head.status).toBe("finished");
    expect(watches[1]?.ended).toBe(true);
  });

  it("does not duplicate a replayed stream", () => {
    const session = begin();
    const journal = journalOf("in-flight");
    session.watch();
    watches[0]?.give(journal);
    vi.runAllTimers();
    watches[0]?.fail(new HostError({ code: "store.io", message: "" }));
    session.watch();
    watches[1]?.give(journal.filter((entry) => entry.seq === undefined));
    vi.runAllTimers();
    expect(session.fold.nodes.get("works")?.epochs[0]?.streamed).toBe("ac");
  });

  it("ignores entries after it is closed", () => {
    const session = begin();
    session.watch();
    session.push(journalOf("retry"));
    session.close();
    watches[0]?.give(journalOf("retry"));
    vi.runAllTimers();
    expect(changes).toEqual([]);
    expect(watches[0]?.ended).toBe(true);
  });
});
