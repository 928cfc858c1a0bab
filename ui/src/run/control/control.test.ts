import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Entry, Flow } from "@/bindings";
import { notify } from "@/design/dialogs/notify";
import { documentState } from "@/flow/document/flow-state";
import { HostError } from "@/ipc";
import type { OpenPause } from "@/run/fold/types";
import { createRunParts, type RunParts } from "@/run/test-parts";
import type { RunControl } from "./control";

const FLOW: Flow = { version: 1, name: "", nodes: {}, edges: {}, layout: {} };
const STARTED = { seq: 0, at: 0, type: "run.started", run: "r", flow: FLOW } as unknown as Entry;
const PAUSE: OpenPause = { node: "ask", epoch: [], prompt: "Well?", schema: {}, askedAt: 0 };

let calls: string[];
let watched: string[];
let refuse: Set<string>;
/** Until then a run does not arrive. */
let held: Map<string, Promise<void>>;
let stop: () => void;
let parts: RunParts;
let runs: RunControl;

beforeEach(() => {
  calls = [];
  watched = [];
  refuse = new Set();
  held = new Map();
  parts = createRunParts({
    call: async (name, args) => {
      calls.push(name);
      if (refuse.has(name)) throw new HostError({ code: "store.io", message: "No." });
      const { run } = args as { run?: string };
      if (name === "runs.show") await held.get(run ?? "");
      const displayed = { summary: { run, flowName: run, status: "interrupted" }, flow: FLOW, entries: [STARTED] };
      return (name === "runs.show" ? displayed : name.endsWith(".list") ? [] : {}) as never;
    },
    watch: (run) => {
      watched.push(run);
      return () => undefined;
    },
  });
  parts.editor.open(documentState(FLOW));
  runs = parts.runs;
  stop = runs.followDocument();
});
afterEach(() => stop());

describe("an interrupted run", () => {
  const interrupted = () => runs.store.getState().viewed?.interrupted;

  it.each([
    ["stopped", () => runs.stop()],
    ["stopped from the list", () => runs.cancel("r")],
    ["answered", () => runs.answer(PAUSE, "Yes")],
    ["ended", () => runs.end(PAUSE)],
  ])("is followed again, and no longer called interrupted, once it is %s", async (_, act) => {
    await runs.open("r");
    expect(interrupted()).toBe(true);
    expect(watched).toEqual([]);
    const unfollow = parts.runList.follow();
    calls = [];
    await act();
    expect(interrupted()).toBe(false);
    expect(watched).toEqual(["r"]);
    await vi.waitFor(() => expect(calls).toContain("runs.list"));
    unfollow();
  });

  it("stays interrupted when the host refuses", async () => {
    await runs.open("r");
    refuse = new Set(["run.cancel", "run.answer", "run.end"]);
    await runs.stop();
    await runs.end(PAUSE);
    expect(await runs.answer(PAUSE, "Yes")).toMatchObject({ code: "store.io" });
    expect(interrupted()).toBe(true);
    expect(watched).toEqual([]);
  });
});

describe("a run that arrives late", () => {
  const displayed = () => parts.editor.state.viewing?.run;
  const openSlowly = (run: string) => {
    let release: () => void = () => undefined;
    held.set(run, new Promise((resolve) => (release = resolve)));
    const opening = runs.open(run);
    return () => {
      release();
      return opening;
    };
  };

  it("does not replace a run opened later", async () => {
    await runs.open("a");
    const arrive = openSlowly("b");
    await runs.open("a");
    await arrive();
    expect(displayed()).toBe("a");
  });

  it("does not replace the document opened later", async () => {
    await runs.open("a");
    const arrive = openSlowly("b");
    parts.editor.leaveView();
    await arrive();
    expect(displayed()).toBeUndefined();
  });
});

describe("a run that stopped for good", () => {
  it("is retried in place of the document's run, and followed", async () => {
    parts = createRunParts({
      call: async (name) => (name.endsWith(".list") ? [] : { run: name === "run.start" ? "first" : "second" }) as never,
      watch: (run) => {
        watched.push(run);
        return () => undefined;
      },
    });
    parts.editor.open(documentState(FLOW));
    await parts.runs.start();
    await parts.runs.retry("first");
    expect(parts.runs.store.getState().document?.run).toBe("second");
    expect(watched).toEqual(["first", "second"]);
  });

  it("is opened, when another run is on the canvas", async () => {
    await runs.open("viewed");
    calls = [];
    parts = createRunParts({
      call: async (name) => {
        calls.push(name);
        if (name === "runs.show")
          return { summary: { run: "next", status: "running" }, flow: FLOW, entries: [STARTED] } as never;
        return (name.endsWith(".list") ? [] : { run: "next" }) as never;
      },
      watch: () => () => undefined,
    });
    await parts.runs.retry("old");
    expect(parts.runs.store.getState().viewed?.run).toBe("next");
    expect(calls).toContain("run.retry");
  });

  it("offers a retry when its journal cannot be continued", async () => {
    parts = createRunParts({
      call: async (name) => {
        if (name === "run.resume")
          throw new HostError({ code: "journal.other_revision", message: "Decided differently." });
        return [] as never;
      },
      watch: () => () => undefined,
    });
    const error = vi.spyOn(notify, "error");
    await parts.runs.resume("old");
    expect(error).toHaveBeenCalledWith(expect.anything(), expect.objectContaining({ label: "Retry" }));
    error.mockRestore();
  });
});

describe("a flow that needs grants", () => {
  const needs = [{ need: { target: "host=a.com", kind: "host", write: false, uses: [] }, state: "new" }];
  const kept = [{ target: "host=a.com", decision: "allow" as const }];
  const once = [{ target: "folder=/p", decision: "deny" as const }];
  let sent: { name: string; args: unknown }[];

  function partsOf(answer: { kept: typeof kept; once: typeof once } | undefined) {
    sent = [];
    const asked: unknown[] = [];
    const host = {
      call: async (name: string, args: unknown) => {
        sent.push({ name, args });
        if (name === "run.start" && (args as { grants?: unknown }).grants === undefined) {
          throw new HostError({ code: "grant.needed", message: "Needs.", details: { needs } });
        }
        return (name.endsWith(".list") ? [] : { run: "r" }) as never;
      },
      watch: () => () => undefined,
    };
    const window = {
      askGrants: async (request: unknown) => {
        asked.push(request);
        return answer;
      },
    };
    parts = createRunParts(host, window);
    return asked;
  }

  it("runs with what the person decided, and keeps what holds for the file", async () => {
    const asked = partsOf({ kept, once });
    parts.editor.open({ ...documentState({ ...FLOW, name: "Triage" }), path: "/f.flow.json" });
    await parts.runs.start();
    expect(asked).toEqual([{ flowName: "Triage", hasFile: true, needs }]);
    const commands = sent.filter(({ name }) => name === "grants.set" || name === "run.start");
    expect(commands.map(({ name }) => name)).toEqual(["run.start", "grants.set", "run.start"]);
    expect(commands[1]?.args).toEqual({ path: "/f.flow.json", rules: kept });
    expect(commands[2]?.args).toMatchObject({ grants: once });
    expect(parts.runs.store.getState().document?.run).toBe("r");
  });

  it("does not run when the person cancels", async () => {
    partsOf(undefined);
    parts.editor.open(documentState(FLOW));
    await parts.runs.start();
    expect(sent.filter(({ name }) => name === "run.start")).toHaveLength(1);
    const { starting, document } = parts.runs.store.getState();
    expect({ starting, document }).toEqual({ starting: new Set(), document: undefined });
  });

  it("keeps nothing for a flow without a file", async () => {
    partsOf({ kept, once });
    parts.editor.open(documentState(FLOW));
    await parts.runs.start();
    expect(sent.some(({ name }) => name === "grants.set")).toBe(false);
  });
});

describe("a fork of a viewed run", () => {
  it("stops at the breakpoints of the file that the run is of", async () => {
    const ended = { seq: 1, at: 1, type: "run.finished", outputs: {} } as unknown as Entry;
    const flow = { ...FLOW, nodes: { a: { type: "text", position: { x: 0, y: 0 }, config: {} } } } as unknown as Flow;
    let sent: unknown;
    parts = createRunParts({
      call: async (name, args) => {
        if (name === "run.rerun") sent = (args as { breakpoints?: unknown }).breakpoints;
        const summary = { run: "old", flowName: "f", status: "finished", path: "/f.json" };
        const shown = { summary, flow, entries: [STARTED, ended] };
        return (name === "runs.show" ? shown : name.endsWith(".list") ? [] : { run: "fork" }) as never;
      },
    });
    const unfollow = parts.runs.followDocument();
    parts.editor.open({ ...documentState(flow), path: "/f.json" });
    parts.breakpoints.set("a", "before");
    parts.breakpoints.set("gone", "before");
    parts.editor.open(documentState(FLOW));
    await parts.runs.open("old");
    await vi.waitFor(() => expect(parts.activeRun.session?.fold.head.status).toBe("finished"));
    await parts.runs.fork({}, "Fork", "");
    expect(sent).toEqual([{ id: "a:before", node: "a", side: "before" }]);
    unfollow();
  });
});

describe("a question", () => {
  const started = STARTED;
  const requested = (seq: number, node: string) =>
    ({ seq, at: seq, type: "run.paused", node, epoch: [], prompt: "?", schema: {} }) as unknown as Entry;
  const waiting = (seq: number) => ({ seq, at: seq, type: "run.waiting", on: [], total: 1 }) as unknown as Entry;
  const answered = (seq: number, node: string) =>
    ({ seq, at: seq, type: "input.provided", node, epoch: [], value: "x" }) as unknown as Entry;
  let give: (entries: Entry[]) => void;
  let asked: string[];

  beforeEach(() => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "requestAnimationFrame", "cancelAnimationFrame"] });
    asked = [];
    const waits = {
      summary: { run: "r", flowName: "r", status: "waiting" },
      flow: FLOW,
      entries: [started, requested(1, "ask"), waiting(2)],
    };
    parts = createRunParts(
      {
        call: async (name) => (name.endsWith(".list") ? [] : name === "runs.show" ? waits : { run: "r" }) as never,
        watch: (_, __, entries) => {
          give = entries;
          return () => undefined;
        },
      },
      { showQuestion: (pause) => asked.push(pause) },
    );
    parts.editor.open(documentState(FLOW));
  });
  afterEach(() => void vi.useRealTimers());

  const pass = (...entries: Entry[]) => {
    give(entries);
    vi.runAllTimers();
  };

  it("is shown when the run asks it, each time the one just asked", async () => {
    await parts.runs.start();
    pass(started, requested(1, "ask"), waiting(2));
    pass(requested(3, "other"), answered(4, "other"), requested(5, "third"), waiting(6));
    expect(asked).toEqual(["r/ask/", "r/third/"]);
  });

  it("of a run that is only opened is not shown, one that it asks then is", async () => {
    await parts.runs.open("r");
    vi.runAllTimers();
    expect(asked).toEqual([]);
    pass(answered(3, "ask"), requested(4, "ask"), waiting(5));
    expect(asked).toEqual(["r/ask/"]);
  });
});

describe("a flow with several triggers", () => {
  const node = (title: string, trigger: "default" | "other") => ({ type: "manualInput", title, trigger });
  const flow: Flow = { ...FLOW, nodes: { night: node("Every night", "other"), chat: node("Chat", "default") } };

  it("runs from the trigger that the person chooses, and not at all if they cancel", async () => {
    const sent: unknown[] = [];
    parts = createRunParts({
      call: async (name, args) => {
        if (name === "run.start") sent.push((args as { trigger?: string }).trigger);
        return (name.endsWith(".list") ? [] : { run: "r" }) as never;
      },
      watch: () => () => undefined,
    });
    parts.editor.open(documentState(flow));
    const asked = parts.runs.start();
    const { question, settle } = parts.questions.store.getState();
    expect(question?.actions.map(({ label, kind }) => [label, kind])).toEqual([
      ["Chat", "main"],
      ["Every night", "plain"],
    ]);
    settle("night");
    await asked;
    expect(sent).toEqual(["night"]);
    const canceled = parts.runs.start();
    parts.questions.store.getState().settle();
    await canceled;
    expect(sent).toEqual(["night"]);
  });
});

describe("a start that takes a while", () => {
  it("does not keep another document from starting", async () => {
    const started: { flow: Flow; arrive: () => void }[] = [];
    parts = createRunParts({
      call: (name, args) =>
        name === "run.start"
          ? new Promise((resolve) => {
              const { flow } = args as { flow: Flow };
              started.push({ flow, arrive: () => resolve({ run: flow.name } as never) });
            })
          : Promise.resolve([] as never),
      watch: () => () => undefined,
    });
    const unfollow = parts.runs.followDocument();
    const named = (name: string): Flow => ({ ...FLOW, name, nodes: { one: { type: "text" } } });
    parts.documents.open(documentState(named("first")));
    const { key } = parts.editor.state;
    const both = [parts.runs.start(), parts.runs.start()];
    parts.documents.open(documentState(named("second")));
    both.push(parts.runs.start());
    expect(started.map(({ flow }) => flow.name)).toEqual(["first", "second"]);
    expect(parts.runs.store.getState().starting).toEqual(new Set([key, parts.editor.state.key]));
    for (const { arrive } of started) arrive();
    await Promise.all(both);
    expect(parts.runs.store.getState().starting).toEqual(new Set());
    expect(parts.runs.store.getState().document?.run).toBe("second");
    parts.documents.show(key);
    expect(parts.runs.store.getState().document?.run).toBe("first");
    unfollow();
  });
});

describe("the run of a program that is recorded", () => {
  const CHANGED: Flow = { ...FLOW, nodes: { chat: { type: "chat" } } };
  let breakOff: (error: HostError) => void;
  let shown: unknown;

  beforeEach(() => {
    shown = { summary: { run: "r", flowName: "Agent", status: "running" }, flow: FLOW, entries: [STARTED] };
    parts = createRunParts({
      call: async (name) => (name === "runs.show" ? shown : []) as never,
      watch: (run, _, __, onError) => {
        watched.push(run);
        breakOff = onError;
        return () => undefined;
      },
    });
    parts.editor.open(documentState(FLOW));
    runs = parts.runs;
    stop = runs.followDocument();
  });

  it("is shown anew, with its other flow, when its draft changes; what is selected stays", async () => {
    const report = vi.spyOn(notify, "error");
    await runs.open("r");
    const before = runs.store.getState().viewed;
    shown = { summary: { run: "r", flowName: "Agent", status: "running" }, flow: CHANGED, entries: [STARTED] };
    breakOff(new HostError({ code: "record.redrafted", message: "Changed." }));
    await vi.waitFor(() => expect(watched).toEqual(["r", "r"]));
    expect(runs.store.getState().viewed).not.toBe(before);
    expect(parts.editor.state.viewing).toMatchObject({ run: "r", flow: CHANGED });
    expect(report).not.toHaveBeenCalled();
    parts.editor.selectOnly({ nodes: ["chat"] });
    breakOff(new HostError({ code: "record.redrafted", message: "Changed." }));
    await vi.waitFor(() => expect(watched).toHaveLength(3));
    expect([...parts.editor.state.selection.nodes]).toEqual(["chat"]);
  });
});
