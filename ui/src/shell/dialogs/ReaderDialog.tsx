import { useRef } from "react";
import { Dialog, DialogButtons, DialogTitle } from "@/design/dialogs/Dialog";
import { Markdown } from "@/design/markdown/Markdown";
import { CopyButton } from "@/run/values/ValueView";
import { TEXTS } from "@/shell/texts";
import { useOverlays, useWorkspace } from "@/workspace/context";

/** A long question or reply, with the room of the window. */
export function ReaderDialog() {
  const { overlays } = useWorkspace();
  const reading = useOverlays((state) => state.reading);
  const text = useRef<HTMLElement>(null);
  const hide = () => overlays.read(undefined);
  return (
    <Dialog
      open={reading !== undefined}
      onClose={hide}
      testId="reader"
      initialFocus={text}
      className="flex max-h-[90vh] w-[860px] flex-col p-5"
    >
      <div className="mb-2 flex items-center gap-2">
        <DialogTitle className="min-w-0 flex-1 truncate font-semibold text-lg">{reading?.title}</DialogTitle>
        {reading ? <CopyButton value={reading.text} label={TEXTS.copyText} /> : null}
      </div>
      <section
        ref={text}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard.
        tabIndex={0}
        aria-label={TEXTS.text}
        className="question mb-4 min-h-0 flex-1 overflow-y-auto rounded-lg border border-line bg-bg px-5 py-3"
      >
        <div className="mx-auto max-w-[68ch] text-[14px] leading-[1.6]">
          {reading ? <Markdown text={reading.text} /> : null}
        </div>
      </section>
      <DialogButtons actions={[]} cancelLabel={TEXTS.close} onCancel={hide} />
    </Dialog>
  );
}
