/** The one frame of all dialogs: the layer over the window, the box, its title, and its buttons in the platform's order. */
import { AlertDialog } from "@base-ui/react/alert-dialog";
import { Dialog as BaseDialog } from "@base-ui/react/dialog";
import { type ComponentProps, type ReactNode, type RefObject, useRef } from "react";
import { Button } from "@/design/controls/Button";
import { inPlatformOrder } from "./dialog-order";

const PLACES = {
  /** Asks or shows something before anything else can be done. */
  middle: { box: "top-1/2 -translate-y-1/2", backdrop: "bg-black/45" },
  /** A list to choose from, near the top, where its length does not move its field. */
  list: { box: "top-[16%]", backdrop: "bg-black/20" },
} as const;

type Focus = ComponentProps<typeof BaseDialog.Popup>["initialFocus"];

type DialogProps = {
  open: boolean;
  onClose: () => void;
  /** It is gone. */
  onClosed?: () => void;
  testId: string;
  children: ReactNode;
  /** A question that must be answered, and is not left by a click beside it. */
  alert?: boolean;
  place?: keyof typeof PLACES;
  /** Its width, and how its content is laid out. */
  className?: string;
  label?: string;
  initialFocus?: Focus;
  finalFocus?: ComponentProps<typeof BaseDialog.Popup>["finalFocus"];
};

export function Dialog({
  open,
  onClose,
  onClosed,
  testId,
  children,
  alert = false,
  place = "middle",
  className = "",
  label,
  initialFocus,
  finalFocus,
}: DialogProps) {
  const Kind = alert ? AlertDialog : BaseDialog;
  const { box, backdrop } = PLACES[place];
  // A question may be asked while another dialog is open.
  const layer = alert ? "z-50" : "z-40";
  return (
    <Kind.Root
      open={open}
      onOpenChange={(next) => !next && onClose()}
      onOpenChangeComplete={(isOpen) => !isOpen && onClosed?.()}
    >
      <Kind.Portal>
        <Kind.Backdrop className={`fixed inset-0 ${layer} ${backdrop}`} />
        <Kind.Popup
          data-testid={testId}
          aria-label={label}
          initialFocus={initialFocus}
          finalFocus={finalFocus}
          className={`pop fixed left-1/2 ${layer} max-w-[94vw] -translate-x-1/2 ${box} ${className}`}
        >
          {children}
        </Kind.Popup>
      </Kind.Portal>
    </Kind.Root>
  );
}

export const DialogTitle = ({
  children,
  className = "font-semibold text-lg",
}: {
  children: ReactNode;
  className?: string;
}) => <BaseDialog.Title className={className}>{children}</BaseDialog.Title>;

export const DialogText = ({ children, className }: { children: ReactNode; className?: string }) => (
  <BaseDialog.Description className={className}>{children}</BaseDialog.Description>
);

export type DialogAction = {
  id: string;
  label: string;
  kind: "main" | "plain" | "danger";
  testId?: string;
  disabled?: boolean;
  run: () => void;
};

type ButtonsProps = {
  actions: readonly DialogAction[];
  cancelLabel: string;
  onCancel: () => void;
  /** What stands before the buttons. */
  children?: ReactNode;
  /** Receives the button that Enter presses: give it to `initialFocus` of the dialog. */
  safe?: RefObject<HTMLButtonElement | null>;
};

/** The buttons of a dialog. Enter presses the main action; without one Cancel, so that nothing is lost by it. */
export function DialogButtons({ actions, cancelLabel, onCancel, children, safe }: ButtonsProps) {
  const cancel: DialogAction = { id: "cancel", label: cancelLabel, kind: "plain", run: onCancel };
  const hasMain = actions.some(({ kind }) => kind === "main");
  return (
    <div className="flex flex-wrap items-center justify-end gap-2">
      {children}
      {inPlatformOrder([cancel, ...actions]).map((action) => {
        const isSafe = hasMain ? action.kind === "main" : action === cancel;
        return (
          <Button
            key={action.id}
            ref={isSafe ? safe : undefined}
            kind={action.kind}
            disabled={action.disabled}
            data-testid={action.testId}
            // A dialog that Ctrl+Enter opened counts as opened by the pointer: what Enter presses is shown nevertheless.
            className={isSafe ? "focus:outline-2 focus:outline-accent focus:outline-offset-2" : undefined}
            onClick={action.run}
          >
            {action.label}
          </Button>
        );
      })}
    </div>
  );
}

/** For `initialFocus` of a dialog and `safe` of its buttons. */
export function useSafeButton(): RefObject<HTMLButtonElement | null> {
  return useRef<HTMLButtonElement>(null);
}
