import { Dialog } from "@base-ui/react/dialog";
import { useEffect, useState } from "react";
import type { SourceText } from "@/bindings";
import { Button } from "@/design/Button";
import { ErrorMessage } from "@/design/ErrorMessage";
import { HostError } from "@/ipc";
import { useWorkspace } from "../context";
import type { Passage } from "./passage";
import { splitAt } from "./source-parts";
import { TEXTS } from "./texts";

/** The document that a passage is from, with the passage marked. */
export function SourceDialog({ passage, onClose }: { passage: Passage; onClose: () => void }) {
  const { host, editor } = useWorkspace();
  const [source, setSource] = useState<SourceText>();
  const [error, setError] = useState<HostError>();
  const { base, source: file, offset, length } = passage;
  useEffect(() => {
    let open = true;
    const flow = base.startsWith("./") ? editor.state.path : undefined;
    host.call("knowledge.source", { base, source: file, offset, flow }).then(
      (text) => open && setSource(text),
      (thrown) => open && setError(HostError.from(thrown)),
    );
    return () => {
      open = false;
    };
  }, [host, editor, base, file, offset]);
  const parts = source && splitAt(source, offset, length);
  return (
    <Dialog.Root open onOpenChange={(open) => !open && onClose()}>
      <Dialog.Portal>
        <Dialog.Backdrop className="fixed inset-0 z-50 bg-black/45" />
        <Dialog.Popup
          data-testid="source-dialog"
          className="fixed top-1/2 left-1/2 z-50 flex max-h-[80vh] w-[760px] max-w-[92vw] -translate-x-1/2 -translate-y-1/2 flex-col rounded-xl border border-line bg-bg-1 p-5 shadow-pop outline-none"
        >
          <Dialog.Title className="font-semibold text-lg">{file}</Dialog.Title>
          <Dialog.Description className="mb-2 break-all font-mono text-fg-3 text-xs">{source?.path}</Dialog.Description>
          {error ? (
            <ErrorMessage error={error} className="text-sm" />
          ) : parts ? (
            // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard.
            <section className="min-h-0 flex-1 overflow-auto rounded-md bg-bg p-3" aria-label={file} tabIndex={0}>
              <pre className="whitespace-pre-wrap break-words font-mono text-xs">
                {parts.before}
                <mark
                  className="rounded bg-data/20 text-fg"
                  data-testid="source-passage"
                  ref={(mark) => mark?.scrollIntoView?.({ block: "center" })}
                >
                  {parts.passage}
                </mark>
                {parts.after}
              </pre>
            </section>
          ) : (
            <p className="text-fg-3 text-sm">{TEXTS.loading}</p>
          )}
          <div className="mt-3 flex justify-end">
            <Button kind="main" onClick={onClose}>
              {TEXTS.close}
            </Button>
          </div>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
