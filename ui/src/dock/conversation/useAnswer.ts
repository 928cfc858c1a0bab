import { useState } from "react";
import type { Attachment } from "@/bindings";
import type { HostError } from "@/ipc";
import type { OpenPause } from "@/run/fold/types";
import { useWorkspace } from "@/workspace/context";

/** Sends the answer to a question: whether that is under way, and why the last one was refused. */
export function useAnswer(pause: OpenPause) {
  const { runs } = useWorkspace();
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<HostError>();
  const answer = async (value: unknown, attachments: readonly Attachment[] = []) => {
    setBusy(true);
    const failure = await runs.answer(pause, value, attachments);
    setError(failure);
    setBusy(false);
    return failure === undefined;
  };
  const end = async () => {
    setBusy(true);
    await runs.end(pause);
    setBusy(false);
  };
  return { busy, error, answer, end };
}
