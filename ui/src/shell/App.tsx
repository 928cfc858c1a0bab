import { Tooltip } from "@base-ui/react/tooltip";
import { ConnectDialog } from "@/canvas/ConnectDialog";
import { MoveIntoDialog } from "@/canvas/MoveIntoDialog";
import { AskDialog } from "@/design/AskDialog";
import { DragGhost } from "@/panels/nodes/DragGhost";
import { useWorkspace } from "@/workspace/context";
import { ApplyTheme } from "@/workspace/theme";
import { CommandPalette } from "./CommandPalette";
import { DraftsDialog } from "./DraftsDialog";
import { DropOverlay } from "./DropOverlay";
import { FlowSearchDialog } from "./flow-search/FlowSearchDialog";
import { GrantsDialog } from "./GrantsDialog";
import { ImportReportDialog } from "./ImportReportDialog";
import { Shell } from "./Shell";
import { ShortcutsHelp } from "./ShortcutsHelp";
import { useShortcuts } from "./useShortcuts";
import { useWindow } from "./useWindow";
import { VersionsDialog } from "./VersionsDialog";

/** The whole window. */
export function App() {
  useShortcuts();
  useWindow();
  const { questions } = useWorkspace();
  return (
    <Tooltip.Provider delay={400} closeDelay={0}>
      <ApplyTheme />
      <Shell />
      <CommandPalette />
      <FlowSearchDialog />
      <ShortcutsHelp />
      <ConnectDialog />
      <MoveIntoDialog />
      <AskDialog questions={questions} />
      <DraftsDialog />
      <GrantsDialog />
      <ImportReportDialog />
      <VersionsDialog />
      <DragGhost />
      <DropOverlay />
    </Tooltip.Provider>
  );
}
