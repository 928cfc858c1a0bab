/** Of several stops, the one that the person looks at. */
import { createStore, type StoreApi } from "zustand/vanilla";
import type { RunId, StopView } from "@/bindings";

/** A stop of a run. */
export type StopChoice = { run: RunId; number: number };

/** Which stop the person has chosen, until it is over. */
export type StopChoiceStore = StoreApi<{ chosen: StopChoice | undefined }>;

export function createStopChoice(): StopChoiceStore {
  return createStore(() => ({ chosen: undefined }));
}

/** The stop that was chosen; without one, or when it is over, the newest. */
export function chosenStop(
  run: RunId | undefined,
  stops: readonly StopView[] | undefined,
  chosen: StopChoice | undefined,
): StopView | undefined {
  const isChosen = ({ number }: StopView) => chosen?.run === run && chosen?.number === number;
  return stops?.find(isChosen) ?? stops?.at(-1);
}
