import { useState } from "react";
import type { Attachment } from "@/bindings";
import { HostError } from "@/ipc";
import { toBase64 } from "@/ipc/base64";
import { useWorkspace } from "../context";

type Change = (change: (all: readonly Attachment[]) => readonly Attachment[]) => void;

/** Files that a person adds to a list and takes out of it: stored by the host as they are added. */
export function useAttachments(attachments: readonly Attachment[], setAttachments: Change) {
  const { host } = useWorkspace();
  const [storing, setStoring] = useState(0);
  const [error, setError] = useState<HostError>();
  return {
    attachments,
    /** Whether a file is on its way. */
    storing: storing > 0,
    /** Why the latest file was refused. */
    error,
    async add(files: Iterable<File>): Promise<void> {
      setError(undefined);
      for (const file of files) {
        setStoring((count) => count + 1);
        try {
          const data = toBase64(new Uint8Array(await file.arrayBuffer()));
          const added = await host.call("attachment.add", { name: file.name, data });
          setAttachments((all) => [...all.filter((one) => one.hash !== added.hash), added]);
        } catch (thrown) {
          setError(HostError.from(thrown));
        } finally {
          setStoring((count) => count - 1);
        }
      }
    },
    remove(attachment: Attachment): void {
      setAttachments((all) => all.filter((one) => one.hash !== attachment.hash));
    },
  };
}
