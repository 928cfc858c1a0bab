import { Paperclip } from "lucide-react";
import { type DragEvent, type ReactNode, useRef, useState } from "react";
import { ErrorMessage } from "@/design/text/ErrorMessage";
import { AttachmentList } from "./AttachmentList";
import { TEXTS } from "./texts";
import type { useAttachments } from "./useAttachments";

type Files = ReturnType<typeof useAttachments>;

/** What can be attached, for the dialog of the system; the host looks at the bytes. */
const ACCEPTED = "image/png,image/jpeg,image/gif,image/webp,application/pdf,text/*";

/** A field that takes files beside its text: dropped, pasted, or chosen with the button. */
export function AttachmentField({ files, children }: { files: Files; children: ReactNode }) {
  const [over, setOver] = useState(false);
  const drag = (event: DragEvent) => {
    if (!event.dataTransfer.types.includes("Files")) return;
    event.preventDefault();
    event.stopPropagation();
    setOver(true);
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the button does the same by keyboard.
    <div
      data-testid="attachment-drop"
      data-takes-files
      className={over ? "rounded-md outline-2 outline-accent outline-dashed" : ""}
      onDragEnter={drag}
      onDragOver={drag}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        setOver(false);
        if (event.dataTransfer.files.length === 0) return;
        event.preventDefault();
        event.stopPropagation();
        void files.add(event.dataTransfer.files);
      }}
      onPaste={(event) => {
        if (event.clipboardData.files.length === 0) return;
        event.preventDefault();
        void files.add(event.clipboardData.files);
      }}
    >
      {children}
      <AttachmentList attachments={files.attachments} onRemove={files.remove} />
      {files.storing ? <p className="mt-1 text-fg-3 text-xs">{TEXTS.attaching}</p> : null}
      {files.error ? <ErrorMessage error={files.error} className="mt-1 text-sm" /> : null}
    </div>
  );
}

/** Opens the system's dialog to choose files. */
export function AttachButton({ files, busy }: { files: Files; busy: boolean }) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <input
        ref={input}
        type="file"
        multiple
        hidden
        tabIndex={-1}
        accept={ACCEPTED}
        data-testid="attachment-input"
        aria-label={TEXTS.attachFiles}
        onChange={(event) => {
          void files.add([...(event.target.files ?? [])]);
          event.target.value = "";
        }}
      />
      <button
        type="button"
        disabled={busy}
        aria-label={TEXTS.attachFiles}
        title={TEXTS.attachFilesHint}
        className="inline-flex size-[26px] shrink-0 items-center justify-center self-end rounded-sm text-fg-2 hover:bg-bg-3 hover:text-fg disabled:opacity-50"
        onClick={() => input.current?.click()}
      >
        <Paperclip size={14} aria-hidden />
      </button>
    </>
  );
}
