import { DialogButtons } from "@/design/dialogs/Dialog";
import { TEXTS } from "@/shell/texts";

/** What a dialog with differences ends with: they are shown on the canvas, or it is closed. */
export function ComparisonButtons(props: { testId: string; onCanvas: () => void; onClose: () => void }) {
  return (
    <div className="border-line border-t px-5 py-3">
      <DialogButtons
        actions={[
          { id: "canvas", label: TEXTS.compareOnCanvas, kind: "main", testId: props.testId, run: props.onCanvas },
        ]}
        cancelLabel={TEXTS.close}
        onCancel={props.onClose}
      />
    </div>
  );
}
