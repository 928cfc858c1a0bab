import { useRef } from "react";
import type { Autosave } from "@/bindings";
import { Button } from "@/design/controls/Button";
import { Dialog, DialogButtons, DialogText, DialogTitle } from "@/design/dialogs/Dialog";
import { fileName } from "@/flow/document/flow-state";
import { TEXTS } from "@/shell/texts";
import { useOverlays, useWorkspace } from "@/workspace/context";

/** Offers the drafts that a crash, or a window closed in haste, left behind. */
export function DraftsDialog() {
  const workspace = useWorkspace();
  const drafts = useOverlays((state) => state.drafts);
  const hide = () => workspace.overlays.offerDrafts([]);
  const restoreFirst = useRef<HTMLButtonElement>(null);
  /** Opens each in a tab of its own, one after another; the last one is shown. */
  const restore = async (chosen: readonly Autosave[]) => {
    hide();
    for (const draft of chosen) await workspace.files.openDraft(draft);
  };
  const discard = async (draft: Autosave) => {
    const { overlays } = workspace;
    await workspace.files.dropDraft(draft, () => overlays.offerDrafts([...overlays.store.getState().drafts, draft]));
    overlays.offerDrafts(overlays.store.getState().drafts.filter((one) => one.key !== draft.key));
  };
  return (
    <Dialog
      open={drafts.length > 0}
      onClose={hide}
      testId="drafts-dialog"
      initialFocus={restoreFirst}
      className="w-[520px] p-5"
    >
      <DialogTitle className="mb-1 font-semibold text-lg">{TEXTS.restoreUnsavedChanges}</DialogTitle>
      <DialogText className="mb-3 text-fg-2">{TEXTS.draftsExplained}</DialogText>
      <ul className="mb-4 flex max-h-[40vh] flex-col gap-2 overflow-y-auto">
        {drafts.map((draft, index) => (
          <li key={draft.key} className="flex items-center gap-2 rounded-lg border border-line px-3 py-2">
            <span className="min-w-0 flex-1">
              <b className="block truncate font-medium">{draft.name || TEXTS.untitledFlow}</b>
              <span className="block truncate text-fg-3 text-xs">
                {draft.path === undefined ? TEXTS.notSaved : fileName(draft.path)} ·{" "}
                {new Date(draft.savedAt).toLocaleString()} · {Object.keys(draft.flow.nodes).length} nodes
              </span>
            </span>
            <Button kind="danger" data-testid="discard-draft" onClick={() => void discard(draft)}>
              {TEXTS.discard}
            </Button>
            <Button
              ref={index === 0 ? restoreFirst : undefined}
              kind={drafts.length > 1 ? "plain" : "main"}
              data-testid="restore-draft"
              onClick={() => void restore([draft])}
            >
              {TEXTS.restore}
            </Button>
          </li>
        ))}
      </ul>
      <DialogButtons
        actions={
          drafts.length > 1
            ? [
                {
                  id: "restore-all",
                  label: TEXTS.restoreAll,
                  kind: "main",
                  testId: "restore-all",
                  run: () => void restore(drafts),
                },
              ]
            : []
        }
        cancelLabel={TEXTS.notNow}
        onCancel={hide}
      />
    </Dialog>
  );
}
