/** Epochs: order, names for people, keys for maps. */
import type { Epoch, NodeId } from "@/bindings";
import type { EpochView, NodeView } from "./types";

/** Outermost counter first, a shorter path before the longer ones it encloses: the order of time. */
export function compareEpochs(a: Epoch, b: Epoch): number {
  const shared = Math.min(a.length, b.length);
  for (let level = 0; level < shared; level++) {
    const difference = (a[level] ?? 0) - (b[level] ?? 0);
    if (difference !== 0) return difference;
  }
  return a.length - b.length;
}

export function sameEpoch(a: Epoch, b: Epoch): boolean {
  return compareEpochs(a, b) === 0;
}

/** An epoch as a unique string, for keys. */
export function epochKey(epoch: Epoch): string {
  return epoch.join(".");
}

/** One text for one activation. */
export function activationKey(node: NodeId, epoch: Epoch): string {
  return `${node}#${epochKey(epoch)}`;
}

/** An epoch for people, counted from one: `3` for the third iteration, `3.1` in an inner cycle, empty outside of cycles. */
export function formatIteration(epoch: Epoch): string {
  return epoch.map((counter) => counter + 1).join(".");
}

/** The index of the activation with that epoch, or `-1 - index` of its insertion point. */
export function indexOfEpoch(epochs: readonly EpochView[], epoch: Epoch): number {
  let low = 0;
  let high = epochs.length - 1;
  // Nearly always it is the last.
  const last = epochs[high];
  if (last) {
    const order = compareEpochs(last.epoch, epoch);
    if (order === 0) return high;
    if (order < 0) return -1 - epochs.length;
  }
  while (low <= high) {
    const middle = (low + high) >> 1;
    const known = epochs[middle];
    if (!known) break;
    const order = compareEpochs(known.epoch, epoch);
    if (order === 0) return middle;
    if (order < 0) low = middle + 1;
    else high = middle - 1;
  }
  return -1 - low;
}

/** The activation of that epoch, or nothing. */
export function epochOf(node: NodeView | undefined, epoch: Epoch | undefined): EpochView | undefined {
  if (!node || !epoch) return undefined;
  const index = indexOfEpoch(node.epochs, epoch);
  return index < 0 ? undefined : node.epochs[index];
}

/** Whether an epoch is this iteration or lies in it. */
export function isWithin(epoch: Epoch, iteration: Epoch): boolean {
  return iteration.length <= epoch.length && iteration.every((counter, level) => epoch[level] === counter);
}

/** The activation that shows a node in one iteration of a loop around it: the latest, but rather one that ran. */
export function latestWithin(node: NodeView | undefined, iteration: Epoch): EpochView | undefined {
  if (!node) return undefined;
  const last = lastIndexWithin(node.epochs, iteration);
  for (let index = last; index >= 0; index -= 1) {
    const known = node.epochs[index];
    if (!known || !isWithin(known.epoch, iteration)) break;
    if (known.state !== "skipped") return known;
  }
  return node.epochs[last];
}

/** The last activation in an iteration, whether it ran or not. */
export function lastWithin(node: NodeView | undefined, iteration: Epoch): EpochView | undefined {
  return node?.epochs[lastIndexWithin(node.epochs, iteration)];
}

/** The activations of an iteration stand together, before those of the next one. -1 if there are none. */
function lastIndexWithin(epochs: readonly EpochView[], iteration: Epoch): number {
  let last = epochs.length - 1;
  if (iteration.length > 0) {
    const next = indexOfEpoch(epochs, [...iteration.slice(0, -1), (iteration.at(-1) ?? 0) + 1]);
    last = (next < 0 ? -1 - next : next) - 1;
  }
  const known = epochs[last];
  return known && isWithin(known.epoch, iteration) ? last : -1;
}

/** The activation that the node shows. */
export function displayedEpoch(node: NodeView | undefined): EpochView | undefined {
  return node && epochOf(node, node.epoch);
}
