/** The text that a person follows through a run: back to where it comes from, or on to where it went. */
import { createStore, type StoreApi } from "zustand/vanilla";
import type { FollowText, LineageChain, LineageDirection, LineageStep, RunId } from "@/bindings";
import type { Host } from "@/ipc";

export type Lineage = {
  direction: LineageDirection;
  /** What is known so far: a chain, and one more for each choice of the person. */
  chains: readonly LineageChain[];
  loading: boolean;
  error?: unknown;
  /** The step that is looked at. */
  shown?: LineageStep;
};

export class LineageStore {
  readonly store: StoreApi<{ lineage?: Lineage }> = createStore<{ lineage?: Lineage }>(() => ({}));
  /** Which question is the latest. Replies to earlier ones are dropped. */
  #question = 0;

  constructor(readonly host: Host) {}

  /** Follows a text. */
  async follow(question: FollowText): Promise<void> {
    await this.#ask(question, []);
  }

  /** Goes on with one of the choices at the end of the chain. */
  async choose(step: LineageStep): Promise<void> {
    const { lineage } = this.store.getState();
    if (!lineage) return;
    const { run, spot, range } = step;
    await this.#ask({ run, spot, range, direction: lineage.direction, occurrence: 0 }, lineage.chains);
  }

  show(step: LineageStep): void {
    const { lineage } = this.store.getState();
    if (lineage) this.store.setState({ lineage: { ...lineage, shown: step } });
  }

  async #ask(question: FollowText, chains: readonly LineageChain[]): Promise<void> {
    this.#question += 1;
    const asked = this.#question;
    const { direction } = question;
    this.store.setState({ lineage: { direction, chains, loading: true } });
    let lineage: Lineage;
    try {
      const chain = await this.host.call("lens.lineage", question);
      lineage = { direction, chains: [...chains, chain], loading: false, shown: chain.steps.at(-1) };
    } catch (error) {
      lineage = { direction, chains, loading: false, error };
    }
    if (asked === this.#question) this.store.setState({ lineage });
  }
}

/** Every step so far, from the selected text on. A chain after a choice begins with the step that was chosen. */
export function stepsOf({ chains }: Pick<Lineage, "chains">): LineageStep[] {
  return chains.flatMap((chain, index) => {
    const [first, ...rest] = chain.steps;
    if (index === 0 || first === undefined) return chain.steps;
    const chosen = chains[index - 1]?.choices.find((choice) => isSamePlace(choice, first));
    return [{ ...first, certainty: chosen?.certainty ?? first.certainty }, ...rest];
  });
}

/** The nodes that the text went through in a run. */
export function nodesOf(lineage: Pick<Lineage, "chains">, run: RunId): Set<string> {
  const spots = stepsOf(lineage).flatMap((step) => (step.run === run ? [step.spot] : []));
  return new Set(spots.flatMap((spot) => ("node" in spot ? [spot.node] : [])));
}

function isSamePlace(one: LineageStep, other: LineageStep): boolean {
  return (
    one.run === other.run &&
    one.range.start === other.range.start &&
    one.range.end === other.range.end &&
    JSON.stringify(one.spot) === JSON.stringify(other.spot)
  );
}
