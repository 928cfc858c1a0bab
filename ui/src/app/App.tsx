import { Tooltip } from "@base-ui/react/tooltip";
import { Toaster } from "sonner";
import { ConnectDialog } from "@/canvas/ConnectDialog";
import { AskDialog } from "@/look/AskDialog";
import { DragGhost } from "@/palette/DragGhost";
import { CommandPalette } from "./CommandPalette";
import { COMMANDS } from "./commands";
import { DraftsDialog } from "./DraftsDialog";
import { Shell } from "./Shell";
import { ShortcutsHelp } from "./ShortcutsHelp";
import { useShortcuts } from "./shortcuts";
import { useApplyTheme, useTheme } from "./theme";
import { useWindow } from "./useWindow";

/** The whole window. */
export function App() {
  useApplyTheme();
  useShortcuts(COMMANDS);
  useWindow();
  return (
    <Tooltip.Provider delay={400} closeDelay={0}>
      <Shell />
      <CommandPalette />
      <ShortcutsHelp />
      <ConnectDialog />
      <AskDialog />
      <DraftsDialog />
      <DragGhost />
      <Toasts />
    </Tooltip.Provider>
  );
}

function Toasts() {
  const theme = useTheme();
  return (
    <Toaster
      theme={theme}
      // Below the top bar: the dock's answer field stays free.
      position="top-center"
      offset={56}
      toastOptions={{ className: "toast", closeButton: true }}
      containerAriaLabel="Messages"
    />
  );
}
