import { cleanup, render } from "@testing-library/react";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import type { Entry, Flow } from "@/bindings";
import { showSession, useEventCount, useNodeOf, wake } from "./active-run";
import { RunSession } from "./session";

const FLOW: Flow = { version: 1, name: "", nodes: {}, edges: {}, layout: {} };
const FRAME_MS = 16;

let drawn: string[];
let counted: number;

function Card() {
  drawn.push(useNodeOf("chat", (view) => view?.epochs[0]?.streamed ?? ""));
  return null;
}
function Count() {
  useEventCount();
  counted += 1;
  return null;
}

// One clock for all tests: it must not go back under what is being paced.
beforeAll(() => {
  vi.useFakeTimers({
    toFake: ["setTimeout", "clearTimeout", "requestAnimationFrame", "cancelAnimationFrame", "performance"],
  });
});
afterAll(() => vi.useRealTimers());
beforeEach(() => {
  drawn = [];
  counted = 0;
});
afterEach(() => {
  cleanup();
  showSession(undefined);
});

const delta = (text: string): Entry => ({ at: 0, type: "node.delta", node: "chat", epoch: [], text });
const note = (seq: number): Entry => ({ seq, at: 0, type: "node.ready", node: `n${seq}`, epoch: [] });

function begin(): RunSession {
  const session = new RunSession("run", FLOW, { changed: wake, broke: () => undefined });
  showSession(session);
  session.push([{ seq: 0, at: 0, type: "node.started", node: "chat", epoch: [], attempt: 1 }]);
  vi.advanceTimersByTime(200);
  return session;
}

describe("the active run", () => {
  it("updates streams within two frames", () => {
    const session = begin();
    render(<Card />);
    let said = "";
    for (let frame = 0; frame < 30; frame++) {
      said += `${frame} `;
      session.push([delta(`${frame} `)]);
      vi.advanceTimersByTime(2 * FRAME_MS);
      expect(drawn.at(-1)).toBe(said);
    }
  });

  it("throttles counts and lists", () => {
    const session = begin();
    render(<Count />);
    const before = counted;
    for (let seq = 1; seq <= 60; seq++) {
      session.push([note(seq)]);
      vi.advanceTimersByTime(FRAME_MS);
    }
    expect(counted - before).toBeGreaterThan(10);
    expect(counted - before).toBeLessThan(20);
  });
});
