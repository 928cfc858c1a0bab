import { useEffect, useState } from "react";
import type { SourceText } from "@/bindings";
import { Dialog, DialogButtons, DialogText, DialogTitle } from "@/design/dialogs/Dialog";
import { ErrorMessage } from "@/design/text/ErrorMessage";
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
    <Dialog open onClose={onClose} testId="source-dialog" className="flex max-h-[80vh] w-[760px] flex-col p-5">
      <DialogTitle className="font-semibold text-lg">{file}</DialogTitle>
      <DialogText className="mb-2 break-all font-mono text-fg-3 text-xs">{source?.path}</DialogText>
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
      <div className="mt-3">
        <DialogButtons actions={[]} cancelLabel={TEXTS.close} onCancel={onClose} />
      </div>
    </Dialog>
  );
}
