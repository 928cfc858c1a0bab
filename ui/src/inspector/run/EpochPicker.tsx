import { type ReactNode, useMemo, useState } from "react";
import type { NodeId } from "@/bindings";
import { epochKey, formatIteration } from "@/run/fold/epoch";
import type { EpochView } from "@/run/fold/types";
import { useWorkspace } from "@/workspace/context";
import { useChosenEpoch } from "@/workspace/run-hooks";
import { TEXTS } from "./texts";

const LATEST = "latest";
const NONE: readonly EpochView[] = [];

/** Chooses the iteration that the tabs show. Hidden for nodes that run once. */
export function EpochPicker({ nodeId }: { nodeId: NodeId }) {
  const workspace = useWorkspace();
  const { view, epoch, chosen } = useChosenEpoch(nodeId);
  // A node may have thousands of iterations; the options are built only while the list is open.
  const [open, setOpen] = useState(false);
  const epochs = view?.epochs ?? NONE;
  const options = useOptions(open ? epochs : NONE);
  if (!epoch || (epochs.length < 2 && epoch.epoch.length === 0)) return null;
  const value = chosen ? epochKey(epoch.epoch) : LATEST;
  const choose = (key: string) => {
    workspace.epochChoice.choose(
      nodeId,
      key === LATEST ? undefined : epochs.find((one) => epochKey(one.epoch) === key)?.epoch,
    );
  };
  return (
    <select
      className="h-[28px] shrink-0 rounded-md border border-line bg-bg-2 px-1.5 text-sm hover:border-line-2"
      aria-label={TEXTS.iteration}
      data-testid="epoch-picker"
      value={value}
      onPointerDown={() => setOpen(true)}
      onFocus={() => setOpen(true)}
      onBlur={() => setOpen(false)}
      onChange={(event) => choose(event.target.value)}
    >
      <option value={LATEST}>{chosen ? TEXTS.latestIteration : TEXTS.iterationOf(formatIteration(epoch.epoch))}</option>
      {open ? options : chosen && <option value={value}>{TEXTS.iterationOf(formatIteration(epoch.epoch))}</option>}
    </select>
  );
}

/** The iterations, newest first. Rebuilt when one is added or its state changes, not while it streams. */
function useOptions(epochs: readonly EpochView[]): ReactNode {
  const optionsKey = epochs.map((one) => `${one.epoch} ${one.state}`).join(";");
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key covers all that the options show.
  return useMemo(
    () => (
      <>
        {epochs.toReversed().map((one) => (
          <option key={epochKey(one.epoch)} value={epochKey(one.epoch)}>
            {one.epoch.length === 0 ? TEXTS.noIteration : TEXTS.iterationOf(formatIteration(one.epoch))}
            {one.state === "done" ? "" : ` · ${one.state}`}
          </option>
        ))}
      </>
    ),
    [optionsKey],
  );
}
