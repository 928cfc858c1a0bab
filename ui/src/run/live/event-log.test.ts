import { describe, expect, it } from "vitest";
import type { Entry } from "@/bindings";
import { RunFold } from "../fold/fold";
import { journalOf, readVectors } from "../fold/test-vectors";
import { EventLog } from "./event-log";

function logOf(journal: readonly Entry[]): EventLog {
  const log = new EventLog();
  log.append(journal.filter((entry) => entry.seq !== undefined));
  return log;
}

describe("the log", () => {
  it("has each context after each event, as the fold has it", () => {
    for (const { journal, name } of readVectors()) {
      const fold = new RunFold();
      const seen: Entry[] = [];
      for (const entry of journal) seen.push(...fold.apply([entry]).entries);
      const log = logOf(seen);
      const again = new RunFold();
      for (const entry of seen) {
        again.apply([entry]);
        for (const [id, { record }] of again.contexts) {
          const at = log.contextAt(id, entry.seq);
          expect(at?.messages, `${name} at ${entry.seq}`).toEqual(record.messageHistory);
          expect(at?.mark.record.revision).toBe(record.revision);
          expect(at?.mark.record.systemInstructions).toBe(record.systemInstructions);
          expect(at?.mark.record.model).toBe(record.model);
        }
      }
    }
  });

  it("finds where an activation ended", () => {
    const journal = journalOf("chat-cycle");
    const log = logOf(journal);
    const end = log.endOf("chat", [0]);
    expect(journal.find((entry) => entry.seq === end)).toMatchObject({
      type: "node.finished",
      node: "chat",
      epoch: [0],
    });
    expect(log.endOf("chat", [7])).toBeUndefined();
  });

  it("records where the debugger stopped", () => {
    const journal = journalOf("stopped");
    const stopped = journal.flatMap(({ type }, index) => (type === "debug.stopped" ? [index + 1] : []));
    expect(stopped.length).toBeGreaterThan(0);
    expect(logOf(journal).stops).toEqual(stopped);
  });

  it("records when the whole run stood still, and not when a branch did", () => {
    const events = [
      { seq: 0, at: 100, type: "debug.stopped", cause: { kind: "pause" } },
      { seq: 1, at: 10_100, type: "debug.continued", verb: "over", stop: 0 },
      { seq: 2, at: 10_150, type: "debug.stopped", cause: { kind: "step" } },
      { seq: 3, at: 10_200, type: "debug.continued", verb: "continue", stop: 2 },
      { seq: 4, at: 10_300, type: "debug.stopped", cause: { kind: "pause" }, scope: "branch" },
    ];
    const log = new EventLog();
    log.append(events as unknown as Entry[]);
    const ended = [
      { from: 100, to: 10_100 },
      { from: 10_150, to: 10_200 },
    ];
    expect(log.standstills).toEqual(ended);
    log.append([{ seq: 5, at: 20_000, type: "debug.stopped", cause: { kind: "pause" } } as unknown as Entry]);
    expect(log.standstills).toEqual([...ended, { from: 20_000 }]);
    log.append([{ seq: 6, at: 21_000, type: "run.cancelled" } as unknown as Entry]);
    expect(log.standstills.at(-1)).toEqual({ from: 20_000, to: 21_000 });
  });

  it("records waits for a person, the last one open while it lasts", () => {
    expect(logOf(journalOf("two-pauses")).waits.map(({ from, to }) => (to ?? 0) - from)).toEqual([3000, 1500]);
    expect(logOf(journalOf("pause-resumed")).waits.at(-1)?.to).toBeUndefined();
  });
});
