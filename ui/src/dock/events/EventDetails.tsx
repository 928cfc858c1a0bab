import { Clock, Crosshair, X } from "lucide-react";
import type { Entry } from "@/bindings";
import { IconButton } from "@/design/controls/Button";
import { CopyButton } from "@/run/values/ValueView";
import { AttachedValue } from "@/workspace/attachments/AttachedValue";
import { useWorkspace } from "@/workspace/context";
import { TEXTS } from "./texts";

type Props = {
  entry: Entry;
  /** Its number in the journal, from 1. */
  number: number;
  /** Shows the run as it was after the event. */
  onLookAt: () => void;
  onClose: () => void;
};

/** All of one event, as the journal has it. */
export function EventDetails({ entry, number, onLookAt, onClose }: Props) {
  const workspace = useWorkspace();
  const show = () => {
    if (!("node" in entry)) return;
    workspace.canvas.reveal({ node: entry.node });
    if ("epoch" in entry) workspace.epochChoice.choose(entry.node, entry.epoch);
  };
  return (
    <section
      className="flex w-[42%] min-w-[220px] flex-col border-line border-l"
      aria-label={TEXTS.eventNumber(number)}
      data-testid="event-details"
    >
      <header className="flex h-8 shrink-0 items-center gap-1 px-2.5">
        <b className="min-w-0 truncate font-mono font-semibold text-xs">
          {number} {entry.type}
        </b>
        <span className="flex-1" />
        <IconButton
          label={TEXTS.showRunHere}
          icon={<Clock size={14} />}
          data-testid="event-look-at"
          onClick={onLookAt}
        />
        {"node" in entry ? (
          <IconButton label={TEXTS.showNodeCanvas} icon={<Crosshair size={14} />} onClick={show} />
        ) : null}
        <CopyButton value={entry} label={TEXTS.copyEventAsJson} />
        <IconButton label={TEXTS.close} icon={<X size={14} />} onClick={onClose} />
      </header>
      <div className="min-h-0 flex-1 overflow-auto px-2.5 pb-2.5">
        <AttachedValue value={entry} label={TEXTS.eventNumber(number)} />
      </div>
    </section>
  );
}
