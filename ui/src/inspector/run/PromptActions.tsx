import { Terminal } from "lucide-react";
import type { NodeId, RunId } from "@/bindings";
import { Button } from "@/design/controls/Button";
import { notify } from "@/design/dialogs/notify";
import { plain } from "@/design/markdown/plain-text";
import { windowText } from "@/design/text/window-text";
import { HostError } from "@/ipc/host";
import type { EpochView } from "@/run/fold/types";
import { useWorkspace } from "@/workspace/context";
import { TEXTS } from "./texts";

type Props = { run: RunId; node: NodeId; epoch: EpochView; call: number };

/** Copies the request of a model call as a curl command. The host builds it; it has a variable in place of the key. */
export function CopyAsCurl({ run, node, epoch, call }: Props) {
  const { host } = useWorkspace();
  const copy = async () => {
    try {
      const { curl, exact } = await host.call("lens.request", { run, node, epoch: epoch.epoch, call });
      await navigator.clipboard.writeText(curl);
      notify.info(exact ? TEXTS.copiedCurl : TEXTS.copiedCurlMayDiffer);
    } catch (error) {
      notify.info(error instanceof HostError ? plain(windowText(error.message)) : TEXTS.clipboardFailed);
    }
  };
  return (
    <Button className="h-[26px] px-2 text-xs" onClick={() => void copy()}>
      <Terminal size={13} aria-hidden /> {TEXTS.copyAsCurl}
    </Button>
  );
}
