import { Tooltip } from "@base-ui/react/tooltip";
import { Toaster } from "sonner";
import { ConnectDialog } from "@/canvas/ConnectDialog";
import { AskDialog } from "@/design/AskDialog";
import { DragGhost } from "@/panels/nodes/DragGhost";
import { useWorkspace } from "@/workspace/context";
import { useApplyTheme, useTheme } from "@/workspace/useTheme";
import { CommandPalette } from "./CommandPalette";
import { DraftsDialog } from "./DraftsDialog";
import { Shell } from "./Shell";
import { ShortcutsHelp } from "./ShortcutsHelp";
import { useShortcuts } from "./useShortcuts";
import { useWindow } from "./useWindow";

/** The whole window. */
export function App() {
  useApplyTheme();
  useShortcuts();
  useWindow();
  const { questions } = useWorkspace();
  return (
    <Tooltip.Provider delay={400} closeDelay={0}>
      <Shell />
      <CommandPalette />
      <ShortcutsHelp />
      <ConnectDialog />
      <AskDialog questions={questions} />
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
      containerAriaLabel="Notifications"
    />
  );
}
