import { useEffect, useState } from "react";
import type { LensCall, NodeId, PromptRecord, RunId } from "@/bindings";
import { HostError } from "@/ipc/host";
import type { EpochView, ModelCallView } from "@/run/fold/types";
import { useWorkspace } from "@/workspace/context";
import { TEXTS } from "./texts";

/** A model call of the run that the window shows. */
export type CallPlace = { run: RunId; node: NodeId; epoch: EpochView; call: ModelCallView };

export type LensReply = { call?: LensCall; error?: string };

// The record of a prompt does not change, nor does what the host says of it.
const known = new WeakMap<PromptRecord, LensReply>();
const UNKNOWN: LensReply = {};

/** What the host's lens says of the prompt of a call. The host is asked once for each prompt, when its record has come. */
export function useLensCall(place: CallPlace | undefined): LensReply {
  const { host } = useWorkspace();
  const prompt = place?.call.prompt;
  const [reply, setReply] = useState<LensReply & { of?: PromptRecord }>(UNKNOWN);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a prompt has one place; the views around it may be replaced.
  useEffect(() => {
    if (!place || !prompt || known.has(prompt)) return;
    let current = true;
    const { run, node, epoch } = place;
    const wanted = { run, node, epoch: epoch.epoch, call: epoch.calls.indexOf(place.call) };
    host.call("lens.show", wanted).then(
      ({ calls: [call] }) => {
        if (call) known.set(prompt, { call });
        if (current) setReply(call ? { of: prompt, call } : { of: prompt, error: TEXTS.promptNotFound });
      },
      (error: unknown) => {
        if (current) setReply({ of: prompt, error: error instanceof HostError ? error.message : String(error) });
      },
    );
    return () => {
      current = false;
    };
  }, [host, prompt]);
  if (!prompt) return UNKNOWN;
  return known.get(prompt) ?? (reply.of === prompt ? reply : UNKNOWN);
}
