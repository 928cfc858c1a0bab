import { useRef } from "react";
import { useStore } from "zustand";
import { CONTROL } from "@/design/controls/control";
import { Dialog, DialogButtons, DialogText, DialogTitle } from "@/design/dialogs/Dialog";
import { TEXTS } from "@/shell/texts";
import { useWorkspace } from "@/workspace/context";

/** Asks which names a recording does not show. */
export function ExportRecordingDialog() {
  const { exportRequests } = useWorkspace();
  const { request, settle } = useStore(exportRequests.store);
  const names = useRef<HTMLTextAreaElement>(null);
  return (
    <Dialog
      open={request !== undefined}
      onClose={() => settle()}
      testId="export-recording"
      initialFocus={names}
      className="w-[520px] p-5"
    >
      <DialogTitle className="mb-1 font-semibold text-lg">{TEXTS.exportRecording}</DialogTitle>
      <DialogText className="mb-3 text-fg-2 text-sm">{TEXTS.exportRecordingExplained}</DialogText>
      <label htmlFor="export-mask" className="mb-0.5 block text-fg-2 text-xs">
        {TEXTS.namesToMask}
      </label>
      <textarea
        ref={names}
        id="export-mask"
        data-testid="export-mask"
        rows={3}
        className={`${CONTROL} field-sizing-content min-h-16 max-h-[40vh]`}
        placeholder={TEXTS.namesToMaskExample}
        defaultValue={request?.mask.join("\n")}
        aria-describedby="export-mask-help"
      />
      <p id="export-mask-help" className="mt-0.5 mb-4 text-fg-3 text-xs">
        {TEXTS.namesToMaskHelp}
      </p>
      <DialogButtons
        actions={[
          {
            id: "export",
            label: TEXTS.chooseFile,
            kind: "main",
            testId: "export-choose",
            run: () => settle({ mask: readNames(names.current?.value ?? "") }),
          },
        ]}
        cancelLabel={TEXTS.cancel}
        onCancel={() => settle()}
      />
    </Dialog>
  );
}

/** One name a line. */
function readNames(text: string): string[] {
  const names = text.split("\n").map((name) => name.trim());
  return [...new Set(names)].filter((name) => name !== "");
}
