import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { RunSummary } from "@/bindings";
import { testHost } from "@/ipc/test-host";
import { PAGE, RunList } from "./run-list";

const run = (id: string, status = "finished") => ({ run: id, flowName: id, status }) as RunSummary;
const many = (count: number) => Array.from({ length: count }, (_, index) => run(`r${index}`));

type Asked = { flowPath?: string; limit?: number };
let asked: Asked[];
let answer: (reply: RunSummary[]) => void;
let unfollow: () => void;
let runList: RunList;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
  asked = [];
  const call = (_: string, args: Asked) => {
    asked.push(args);
    return new Promise((resolve) => {
      answer = resolve as typeof answer;
    });
  };
  unfollow = () => undefined;
  runList = new RunList(testHost({ call: call as never }));
});
afterEach(() => {
  unfollow();
  vi.useRealTimers();
});

const settled = () => vi.advanceTimersByTimeAsync(0);

describe("the list of runs", () => {
  it("is reloaded only while it is visible", () => {
    runList.refresh();
    vi.advanceTimersByTime(5000);
    expect(asked).toHaveLength(0);
    unfollow = runList.follow();
    expect(asked).toHaveLength(1);
    for (let turn = 0; turn < 100; turn++) {
      runList.refresh();
      vi.advanceTimersByTime(30);
    }
    expect(asked.length).toBeLessThan(8);
    unfollow();
    vi.advanceTimersByTime(5000);
    const before = asked.length;
    runList.refresh();
    vi.advanceTimersByTime(5000);
    expect(asked).toHaveLength(before);
    unfollow = () => undefined;
  });

  it("is reloaded when a terminal begins a run", () => {
    let changed: () => void = () => undefined;
    let isWatched = false;
    const watchRuns = (onChange: () => void) => {
      changed = onChange;
      isWatched = true;
      return () => {
        isWatched = false;
      };
    };
    const list = new RunList(testHost({ ...runList.host, watchRuns }));
    const stop = list.follow();
    expect(asked).toHaveLength(1);
    changed();
    vi.advanceTimersByTime(1000);
    expect(asked).toHaveLength(2);
    stop();
    expect(isWatched).toBe(false);
  });

  it("follows a run's state at once, whatever the store still says", async () => {
    const loaded = runList.load();
    answer([run("a", "waiting"), run("b", "waiting")]);
    await loaded;
    runList.setStatus("a", "finished");
    const statuses = () => runList.store.getState().list.map((one) => one.status);
    expect(statuses()).toEqual(["finished", "waiting"]);
    const late = runList.load();
    answer([run("a", "waiting"), run("b", "waiting")]);
    await late;
    expect(statuses()).toEqual(["finished", "waiting"]);
    runList.forgetStatus("a");
    const again = runList.load();
    answer([run("a", "interrupted"), run("b", "waiting")]);
    await again;
    expect(statuses()).toEqual(["interrupted", "waiting"]);
  });

  it("ignores a late reply to an earlier request", async () => {
    const first = runList.load();
    const late = answer;
    const second = runList.load();
    answer([run("new")]);
    await second;
    late([run("old")]);
    await first;
    expect(runList.store.getState().list.map((one) => one.run)).toEqual(["new"]);
  });

  it("keeps the identity of unchanged runs", async () => {
    const load = async (list: RunSummary[]) => {
      const loading = runList.load();
      answer(list);
      return loading;
    };
    const before = await load([run("a"), run("b", "running")]);
    expect(await load([run("a"), run("b", "running")])).toBe(before);
    const after = await load([run("a"), run("b")]);
    expect(after[0]).toBe(before[0]);
    expect(after[1]?.status).toBe("finished");
  });

  it("loads older ones on request", async () => {
    unfollow = runList.follow("/a.flow.json");
    answer(many(PAGE + 1));
    await settled();
    expect(runList.store.getState()).toMatchObject({ cut: true, limit: PAGE });
    expect(runList.store.getState().list).toHaveLength(PAGE);
    runList.loadMore();
    answer(many(PAGE + 1));
    await settled();
    expect(runList.store.getState().cut).toBe(false);
    expect(runList.store.getState().list).toHaveLength(PAGE + 1);
    expect(asked).toEqual([
      { flowPath: "/a.flow.json", limit: PAGE + 1 },
      { flowPath: "/a.flow.json", limit: 2 * PAGE + 1 },
    ]);
  });
});
