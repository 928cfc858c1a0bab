import { Toaster } from "sonner";
import { TEXTS } from "@/shell/texts";
import { useTheme } from "@/workspace/window/theme";

/** Free of the zoom buttons and the minimap, which stand at the canvas's lower corners. */
const ABOVE_CONTROLS_PX = 56;

/**
 * Short messages, at the bottom center of the canvas: they never cover a bar, the dock or a dialog. The layer around them
 * contains them, although the library fixes them to the window.
 */
export function Toasts() {
  const theme = useTheme();
  return (
    <div className="toast-layer" data-testid="toasts">
      <Toaster
        theme={theme}
        position="bottom-center"
        offset={ABOVE_CONTROLS_PX}
        visibleToasts={2}
        toastOptions={{ className: "toast", closeButton: true }}
        containerAriaLabel={TEXTS.notifications}
      />
    </div>
  );
}
