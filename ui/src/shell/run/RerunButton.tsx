import { History, RotateCcw } from "lucide-react";
import { useEffect, useMemo, useState } from "react";
import type { Bill } from "@/bindings";
import { Button } from "@/design/controls/Button";
import { Tooltip } from "@/design/controls/Tooltip";
import { documentFlow } from "@/flow/document/flow-state";
import type { Args } from "@/ipc";
import { isRetryable } from "@/run/control/control";
import { isRerunnable } from "@/run/control/rerun";
import { isOver } from "@/run/fold/status";
import { TEXTS } from "@/shell/texts";
import { useFlow, useWorkspace } from "@/workspace/context";
import { useActiveSession, useRunHeadOfNow } from "@/workspace/run-hooks";

/** How long an edited flow rests before its bill is asked for, in milliseconds: a bill takes a rehearsal of the run. */
const BILL_DELAY = 600;

/**
 * Runs again what a run ran: after an edit, the flow as it is now; after a failure, the same flow. Says before what that reuses
 * and buys.
 */
export function RerunButton() {
  const { runs } = useWorkspace();
  const request = useRequest();
  const bill = useBill(request);
  if (!request) return null;
  const edited = request.flow !== undefined;
  const sentences = [edited ? TEXTS.rerunHint : TEXTS.retryHint, ...(bill?.sentences ?? [])];
  const Icon = edited ? History : RotateCcw;
  return (
    <Tooltip
      label={
        <span className="flex flex-col gap-1 py-0.5" data-testid="rerun-bill">
          {sentences.map((sentence) => (
            <span key={sentence}>{sentence}</span>
          ))}
        </span>
      }
    >
      <Button
        data-testid={edited ? "rerun-button" : "retry-button"}
        aria-description={sentences.join(" ")}
        onClick={() => void (edited ? runs.rerun() : runs.retry(request.run))}
      >
        <Icon size={13} aria-hidden /> {edited ? TEXTS.rerun : TEXTS.retry}{" "}
        {bill ? <span className="font-normal text-fg-2 @max-[1200px]:hidden">· {bill.summary}</span> : null}
      </Button>
    </Tooltip>
  );
}

type Request = Args<"run.bill">;

/** What can be run again: the document, if it was edited since its run, or a run that did not finish. */
function useRequest(): Request | undefined {
  const session = useActiveSession();
  // Read again when the run ends.
  const retryable = useRunHeadOfNow((head) => isRetryable(head.status, head.parentRunId));
  const over = useRunHeadOfNow((head) => isOver(head.status));
  const rerunnable = useFlow((state) => over && isRerunnable(state, session));
  const flow = useFlow(documentFlow);
  const path = useFlow((state) => state.path);
  return useMemo(() => {
    if (!session) return undefined;
    if (rerunnable) return { run: session.run, flow, path };
    return retryable ? { run: session.run } : undefined;
  }, [session, rerunnable, retryable, flow, path]);
}

/** What that reuses and buys; nothing while it is not known. */
function useBill(request: Request | undefined): Bill | undefined {
  const { host } = useWorkspace();
  const [known, setKnown] = useState<{ request: Request; bill: Bill }>();
  useEffect(() => {
    if (!request) return;
    let wanted = true;
    const ask = () =>
      host.call("run.bill", request).then(
        (bill) => wanted && setKnown({ request, bill }),
        // The button says why when it is used.
        () => undefined,
      );
    const timer = setTimeout(ask, request.flow ? BILL_DELAY : 0);
    return () => {
      wanted = false;
      clearTimeout(timer);
    };
  }, [host, request]);
  return known?.request === request ? known?.bill : undefined;
}
