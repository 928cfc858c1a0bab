import { Tooltip } from "@base-ui/react/tooltip";
import { ConnectDialog } from "@/canvas/connect/ConnectDialog";
import { MoveIntoDialog } from "@/canvas/loops/MoveIntoDialog";
import { AskDialog } from "@/design/dialogs/AskDialog";
import { DragGhost } from "@/panels/nodes/DragGhost";
import { useWorkspace } from "@/workspace/context";
import { ApplyTheme } from "@/workspace/window/theme";
import { BillDialog } from "./dialogs/BillDialog";
import { ComparisonDialog } from "./dialogs/ComparisonDialog";
import { DraftsDialog } from "./dialogs/DraftsDialog";
import { ExportRecordingDialog } from "./dialogs/ExportRecordingDialog";
import { GrantsDialog } from "./dialogs/GrantsDialog";
import { ImportComparisonDialog } from "./dialogs/ImportComparisonDialog";
import { ImportReportDialog } from "./dialogs/ImportReportDialog";
import { MatrixDialog } from "./dialogs/MatrixDialog";
import { ProposalsDialog } from "./dialogs/ProposalsDialog";
import { ReaderDialog } from "./dialogs/ReaderDialog";
import { VersionsDialog } from "./dialogs/VersionsDialog";
import { WaitingRunsDialog } from "./dialogs/WaitingRunsDialog";
import { DropOverlay } from "./file-drop/DropOverlay";
import { FlowSearchDialog } from "./flow-search/FlowSearchDialog";
import { HostFileDialog } from "./hosts/HostFileDialog";
import { HostsDialog } from "./hosts/HostsDialog";
import { PublishDialog } from "./hosts/PublishDialog";
import { PublishedDialog } from "./hosts/PublishedDialog";
import { CommandPalette } from "./palette/CommandPalette";
import { ResultsDialog } from "./results/ResultsDialog";
import { ShortcutsHelp } from "./shortcuts/ShortcutsHelp";
import { useEscapeToNow } from "./shortcuts/useEscapeToNow";
import { useShortcuts } from "./shortcuts/useShortcuts";
import { Shell } from "./window/Shell";
import { useWindow } from "./window/useWindow";

/** The whole window. */
export function App() {
  // Before the shortcuts, for which Escape is something else.
  useEscapeToNow();
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
      <BillDialog />
      <ComparisonDialog />
      <ExportRecordingDialog />
      <WaitingRunsDialog />
      <GrantsDialog />
      <ImportComparisonDialog />
      <ImportReportDialog />
      <VersionsDialog />
      <HostsDialog />
      <PublishDialog />
      <PublishedDialog />
      <HostFileDialog />
      <ProposalsDialog />
      <MatrixDialog />
      <ResultsDialog />
      <ReaderDialog />
      <DragGhost />
      <DropOverlay />
    </Tooltip.Provider>
  );
}
