import { CircleCheck, CircleX, Replace } from "lucide-react";
import { useState } from "react";
import { useStore } from "zustand";
import type { WaitingRun } from "@/bindings";
import { Button } from "@/design/controls/Button";
import { Dialog, DialogButtons, DialogText, DialogTitle, useSafeButton } from "@/design/dialogs/Dialog";
import { TEXTS } from "@/shell/texts";
import { useWorkspace } from "@/workspace/context";

const EFFECTS = {
  same: { Icon: CircleCheck, color: "text-ok", label: TEXTS.movedSame },
  changed: { Icon: Replace, color: "text-wait", label: TEXTS.movedChanged },
  stranded: { Icon: CircleX, color: "text-bad", label: TEXTS.movedStranded },
  current: { Icon: CircleCheck, color: "text-fg-3", label: TEXTS.movedSame },
} as const;

/** What becomes of the runs that wait with an earlier version of a flow, if they are moved to the saved one. */
export function WaitingRunsDialog() {
  const { waitingRuns } = useWorkspace();
  const { runs, shown } = useStore(waitingRuns.store);
  const safe = useSafeButton();
  return (
    <Dialog
      open={shown}
      onClose={() => waitingRuns.hide()}
      testId="waiting-runs"
      initialFocus={safe}
      className="flex max-h-[86vh] w-[620px] flex-col"
    >
      <div className="px-5 pt-4 pb-3">
        <DialogTitle>{TEXTS.earlierWaitsTitle(runs.length)}</DialogTitle>
        <DialogText className="mt-1 text-fg-2 text-sm">{TEXTS.earlierWaitsHint}</DialogText>
      </div>
      <ul className="min-h-0 flex-1 overflow-y-auto border-line border-t">
        {runs.map((run) => (
          <Row key={run.run} run={run} />
        ))}
      </ul>
      <div className="border-line border-t px-5 py-3">
        <DialogButtons safe={safe} actions={[]} cancelLabel={TEXTS.close} onCancel={() => waitingRuns.hide()} />
      </div>
    </Dialog>
  );
}

function Row({ run }: { run: WaitingRun }) {
  const { runs, waitingRuns } = useWorkspace();
  const [moving, setMoving] = useState(false);
  const { Icon, color, label } = EFFECTS[run.effect];
  const { saved } = useStore(waitingRuns.store);
  const move = async () => {
    if (!saved) return;
    setMoving(true);
    if (await runs.move(run.run, saved.flow, saved.path)) waitingRuns.drop(run.run);
    setMoving(false);
  };
  return (
    <li className="flex items-start gap-3 border-line px-5 py-2.5 text-sm not-last:border-b">
      <Icon size={15} className={`mt-0.5 shrink-0 ${color}`} aria-hidden />
      <div className="min-w-0 flex-1">
        <p className="truncate font-semibold">{run.question ?? TEXTS.noQuestion}</p>
        <p className="text-fg-2 text-xs">
          <b className={`font-semibold ${color}`}>{label}</b> · {run.why}
        </p>
        <p className="text-fg-3 text-xs">{new Date(run.startedAt).toLocaleString()}</p>
      </div>
      {run.effect === "stranded" ? null : (
        <Button disabled={moving} data-testid="move-run" onClick={() => void move()}>
          {TEXTS.moveRun}
        </Button>
      )}
    </li>
  );
}
