import { Ban, Coins, HelpCircle, MessageCircleQuestion, Recycle, Wrench } from "lucide-react";
import { useRef, useState } from "react";
import { useStore } from "zustand";
import type { Bill, BillLine } from "@/bindings";
import { Dialog, DialogButtons, DialogText, DialogTitle, useSafeButton } from "@/design/dialogs/Dialog";
import { notify } from "@/design/dialogs/notify";
import { HostError } from "@/ipc";
import type { BillRequest, ForkChoice } from "@/run/control/rerun";
import { TEXTS as RUN_TEXTS } from "@/run/texts";
import { TEXTS } from "@/shell/texts";
import { useWorkspace } from "@/workspace/context";
import { BillFresh } from "./BillFresh";
import { BillReplies } from "./BillReplies";
import { BillWorld } from "./BillWorld";
import "./bill.css";

/** What a fork reuses, buys, does outside and asks, before it starts. */
export function BillDialog() {
  const { billRequests } = useWorkspace();
  const { request, settle } = useStore(billRequests.store);
  const safe = useSafeButton();
  return (
    <Dialog
      open={request !== undefined}
      onClose={() => settle()}
      testId="bill-dialog"
      initialFocus={safe}
      className="flex max-h-[86vh] w-[560px] flex-col"
    >
      {request ? <BillView request={request} safe={safe} settle={settle} /> : null}
    </Dialog>
  );
}

type BillViewProps = {
  request: BillRequest;
  safe: ReturnType<typeof useSafeButton>;
  settle: (choice?: ForkChoice) => void;
};

function BillView({ request, safe, settle }: BillViewProps) {
  const { nodeNames } = useWorkspace();
  const { title, hint, isInside } = request;
  /** What is shown, and can be started: a bill and what it is the bill of. */
  const [{ choice, bill }, setShown] = useState({ choice: request.choice, bill: request.bill });
  /** What the person chose, until its bill is known. */
  const [wanted, setWanted] = useState<ForkChoice>();
  const latest = useRef<ForkChoice>(undefined);
  const { world, replies, fresh } = wanted ?? choice;
  const choose = async (change: Partial<ForkChoice>) => {
    const next = { ...(wanted ?? choice), ...change };
    latest.current = next;
    setWanted(next);
    try {
      const shown = { choice: next, bill: await request.billWith(next) };
      if (latest.current === next) setShown(shown);
    } catch (thrown) {
      notify.error(HostError.from(thrown));
    }
    if (latest.current === next) setWanted(undefined);
  };
  return (
    <>
      <div className="px-5 pt-4 pb-3">
        <DialogTitle className="truncate font-semibold text-lg">{title}</DialogTitle>
        <DialogText className="mt-1 text-fg-2 text-sm">
          {fresh === request.choice.fresh ? hint : fresh?.alone ? RUN_TEXTS.runAgainHint : RUN_TEXTS.runFromHint}
        </DialogText>
        <p className="mt-3 font-semibold first-letter:uppercase" data-testid="bill-summary">
          {bill.summary}
        </p>
        <Shares bill={bill} />
      </div>
      <ul className="min-h-0 flex-1 overflow-y-auto border-line border-t" data-testid="bill-lines">
        {bill.lines.map((line) => (
          <Line
            key={`${line.subflow ?? ""}/${line.node}`}
            line={line}
            name={isInside ? line.node : nodeNames.nameOf(line.node)}
          />
        ))}
      </ul>
      <div className="grid grid-cols-[1fr_240px] items-center gap-x-3 gap-y-1.5 border-line border-t px-5 py-3 text-sm">
        {fresh ? <BillFresh fresh={fresh} onChoose={(next) => choose({ fresh: next })} /> : null}
        <BillReplies replies={replies} onChoose={(next) => choose({ replies: next })} />
        <BillWorld
          world={world}
          ofNode={request.choice.world.live}
          types={bill.worldTypes}
          onChoose={(next) => choose({ world: next })}
        />
      </div>
      <div className="border-line border-t px-5 py-3">
        <DialogButtons
          safe={safe}
          actions={[
            {
              id: "start",
              label: TEXTS.startFork,
              kind: "main",
              testId: "bill-start",
              disabled: wanted !== undefined,
              run: () => settle(choice),
            },
          ]}
          cancelLabel={TEXTS.cancel}
          onCancel={() => settle()}
        />
      </div>
    </>
  );
}

/** How much is reused, bought, and not known yet. */
function Shares({ bill }: { bill: Bill }) {
  const shares = [
    { size: bill.reused.calls, className: "bg-ok" },
    { size: bill.bought.length, className: "bg-context" },
    { size: bill.behind.length, className: "bill-unknown" },
  ].filter(({ size }) => size > 0);
  if (shares.length === 0) return null;
  return (
    <div className="mt-2 flex h-2 gap-px overflow-hidden rounded-full bg-bg-3" aria-hidden>
      {shares.map(({ size, className }) => (
        <i key={className} className={className} style={{ flexGrow: size }} />
      ))}
    </div>
  );
}

const ICONS = {
  fails: { Icon: Ban, color: "text-bad" },
  acts: { Icon: Wrench, color: "text-tool" },
  buys: { Icon: Coins, color: "text-context" },
  depends: { Icon: HelpCircle, color: "text-wait" },
  asks: { Icon: MessageCircleQuestion, color: "text-wait" },
  reuses: { Icon: Recycle, color: "text-ok" },
} as const;

function Line({ line, name }: { line: BillLine; name: string }) {
  const { Icon, color } = ICONS[line.kind];
  return (
    <li className="flex min-h-[30px] items-center gap-2.5 border-line px-5 py-1.5 text-sm not-last:border-b">
      <Icon size={14} className={`shrink-0 ${color}`} aria-hidden />
      <span className="min-w-0 max-w-[45%] truncate" title={name}>
        {line.subflow ? <span className="text-fg-3">{line.subflow} › </span> : null}
        {line.subflow ? line.node : name}
      </span>
      <span className="min-w-0 flex-1 text-right text-fg-2">{line.what}</span>
      <span className="w-[88px] shrink-0 text-right font-mono text-xs tabular-nums">{line.cost ?? ""}</span>
    </li>
  );
}
