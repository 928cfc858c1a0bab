import { expect, it } from "vitest";
import type { InquiryState } from "@/bindings";
import type { Host } from "@/ipc";
import { InquiryStore } from "./inquiry-store";

/** A state in which so many of three forks have been made. */
function stateAfter(forks: number): InquiryState {
  const inquiry = { before: "a", after: "b", samples: 1, swaps: [], trials: [] };
  const costs = { atMostNanoUsd: 9, unknown: 0, spentNanoUsd: forks };
  return { inquiry, verdict: { kind: "open" }, ...(forks < 3 && { next: forks }), ...costs };
}

function hostOf(calls: string[], onFork: (forks: number) => void = () => undefined): Host {
  let forks = 0;
  const call = (name: string) => {
    calls.push(name);
    if (name === "run.continueInquiry") {
      forks += 1;
      onFork(forks);
    }
    return Promise.resolve(stateAfter(forks));
  };
  return { call } as unknown as Host;
}

const QUESTION = { before: "a", after: "b", samples: 1 };

it("makes no fork before the person has seen what it costs", async () => {
  const calls: string[] = [];
  const inquiry = new InquiryStore(hostOf(calls));
  await inquiry.run();
  await inquiry.begin(QUESTION);
  expect(calls).toEqual(["run.beginInquiry"]);
  expect(inquiry.store.getState().step).toBe("ready");
  await inquiry.run();
  expect(calls.filter((call) => call === "run.continueInquiry")).toHaveLength(3);
  expect(inquiry.store.getState().step).toBe("done");
});

it("stops after the fork that runs, and goes on from there", async () => {
  const calls: string[] = [];
  const inquiry: InquiryStore = new InquiryStore(
    hostOf(calls, (forks) => {
      if (forks === 1) inquiry.stop();
    }),
  );
  await inquiry.begin(QUESTION);
  await inquiry.run();
  expect(inquiry.store.getState()).toMatchObject({ step: "ready", state: { spentNanoUsd: 1 } });
  await inquiry.run();
  expect(inquiry.store.getState()).toMatchObject({ step: "done", state: { spentNanoUsd: 3 } });
});

it("keeps what is known when a fork can't be made", async () => {
  const failing = {
    call: (name: string) =>
      name === "run.beginInquiry" ? Promise.resolve(stateAfter(0)) : Promise.reject(new Error("no")),
  };
  const inquiry = new InquiryStore(failing as unknown as Host);
  await inquiry.begin(QUESTION);
  await inquiry.run();
  expect(inquiry.store.getState()).toMatchObject({ step: "ready", error: new Error("no") });
});
