/** For tests: what the lens of a host answers. */
import type { LensCall, ShowPrompts } from "@/bindings";

export function lensCall(call: Partial<LensCall>): LensCall {
  const place = { node: "chat", epoch: [], call: 0, seq: 0, provider: "p", model: "m" };
  const sizes = { tokens: 3, window: 100, reserve: 10, startedAt: 0 };
  return { ...place, ...sizes, badges: [], messages: [], tools: [], shares: [], leftOut: [], ...call };
}

/** The reply to `lens.show` of a run with these calls. */
export function answerLens(calls: readonly LensCall[], args: unknown): { calls: LensCall[] } {
  const { node, epoch, call } = args as ShowPrompts;
  const isWanted = (one: LensCall) =>
    one.node === node && one.call === call && JSON.stringify(one.epoch) === JSON.stringify(epoch);
  return { calls: calls.filter(isWanted) };
}
