import { RotateCcw } from "lucide-react";
import { useEffect, useState } from "react";
import type { RetryForecast, RunId } from "@/bindings";
import { Button } from "@/design/controls/Button";
import { Tooltip } from "@/design/controls/Tooltip";
import { isRetryable } from "@/run/control/control";
import { describeForecast, summarizeForecast } from "@/run/values/retry-forecast";
import { TEXTS } from "@/shell/texts";
import { useWorkspace } from "@/workspace/context";
import { useActiveSession, useRunHeadOfNow } from "@/workspace/run-hooks";

/** Goes on from where a run failed or was stopped, in a new run, and says before what that reuses and buys again. */
export function RetryButton() {
  const workspace = useWorkspace();
  const session = useActiveSession();
  const retryable = useRunHeadOfNow((head) => isRetryable(head.status, head.parentRunId));
  const forecast = useRetryForecast(retryable ? session?.run : undefined);
  if (!session || !retryable) return null;
  const sentences = [TEXTS.retryHint, ...(forecast ? describeForecast(forecast) : [])];
  const summary = forecast && summarizeForecast(forecast);
  return (
    <Tooltip
      label={
        <span className="flex flex-col gap-1 py-0.5" data-testid="retry-forecast">
          {sentences.map((sentence) => (
            <span key={sentence}>{sentence}</span>
          ))}
        </span>
      }
    >
      <Button
        data-testid="retry-button"
        aria-description={sentences.join(" ")}
        onClick={() => void workspace.runs.retry(session.run)}
      >
        <RotateCcw size={13} aria-hidden /> {TEXTS.retry}{" "}
        {summary ? <span className="font-normal text-fg-2 @max-[1200px]:hidden">· {summary}</span> : null}
      </Button>
    </Tooltip>
  );
}

/** What a retry of the run reuses; nothing while that is not known. */
function useRetryForecast(run: RunId | undefined): RetryForecast | undefined {
  const { host } = useWorkspace();
  const [known, setKnown] = useState<{ run: RunId; forecast: RetryForecast }>();
  useEffect(() => {
    if (run === undefined) return;
    let wanted = true;
    host.call("run.retry_forecast", { run }).then(
      (forecast) => wanted && setKnown({ run, forecast }),
      // The button says why when it is used.
      () => undefined,
    );
    return () => {
      wanted = false;
    };
  }, [host, run]);
  return known?.run === run ? known?.forecast : undefined;
}
