/** A loop in words: how often its body runs, and what ends it. */
import type { Node } from "@/bindings";
import { builtIn } from "@/forms/config-fields";

const MAX_ITERATIONS = Number(builtIn("max_iterations"));

/** Such as `while previous.score < 8`, `5 times` or `for each item, 4 at a time`. */
export function loopKind({ config = {} }: Node): string {
  if (config.kind === "times") return count(numberOf(config.times, 1), "time", "times");
  if (config.kind === "forEach") {
    const atOnce = numberOf(config.concurrency, 1);
    return atOnce > 1 ? `for each item, ${atOnce} at a time` : "for each item";
  }
  const condition = typeof config.condition === "string" ? config.condition.trim() : "";
  return condition === "" ? "until exit" : `while ${condition}`;
}

/** The bound that always holds. */
export function loopBound({ config = {} }: Node): string {
  const most = numberOf(config.max_iterations, MAX_ITERATIONS);
  if (config.kind === "forEach" || config.kind === "times") return `At most ${count(most, "iteration", "iterations")}`;
  return `Stops on exit, or after ${count(most, "iteration", "iterations")}`;
}

function numberOf(value: unknown, otherwise: number): number {
  return typeof value === "number" ? value : otherwise;
}

function count(number: number, one: string, many: string): string {
  return `${number.toLocaleString("en")} ${number === 1 ? one : many}`;
}
