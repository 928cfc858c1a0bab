/** The conversations of loops as they were: what the host lists of them, without what was said and pinned later. */
import type { Entry, Epoch, LoopTurnsView, MessageId, NodeId } from "@/bindings";
import { sameEpoch } from "../fold/epoch";

/** What a journal says of one conversation. */
type Said = { node: NodeId; epoch: Epoch; count: number; pinned: Set<MessageId>; isOpen: boolean };

/** `all` is every conversation of the run as it is now, `journal` its first events. */
export function turnsAfter(journal: readonly Entry[], all: readonly LoopTurnsView[]): LoopTurnsView[] {
  return saidIn(journal).flatMap(({ count, pinned, isOpen }, index) => {
    const known = all[index];
    if (!known) return [];
    const turns = known.turns.slice(0, count).map((turn) => ({ ...turn, pinned: pinned.has(turn.id) }));
    return [{ ...known, turns, isOpen }];
  });
}

/** In the order in which the conversations began, which is the host's. */
function saidIn(journal: readonly Entry[]): Said[] {
  const all: Said[] = [];
  const openOf = (node: NodeId, epoch: Epoch) =>
    all.find((said) => said.isOpen && said.node === node && sameEpoch(said.epoch, epoch));
  for (const entry of journal) {
    switch (entry.type) {
      case "history.appended": {
        const { node, epoch, turns, pinned = [] } = entry;
        let said = openOf(node, epoch);
        if (!said) {
          said = { node, epoch, count: 0, pinned: new Set(), isOpen: true };
          all.push(said);
        }
        said.count += turns.length;
        for (const id of pinned) said.pinned.add(id);
        break;
      }
      case "history.pinned": {
        const pinned = openOf(entry.node, entry.epoch)?.pinned;
        if (entry.pinned) pinned?.add(entry.turn);
        else pinned?.delete(entry.turn);
        break;
      }
      case "node.finished":
      case "node.failed":
      case "node.skipped": {
        const said = openOf(entry.node, entry.epoch);
        if (said) said.isOpen = false;
        break;
      }
      case "run.finished":
      case "run.failed":
      case "run.cancelled":
        for (const said of all) said.isOpen = false;
    }
  }
  return all;
}
