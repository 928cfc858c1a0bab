import { FolderOpen, PanelBottom, PanelRight, Redo2, Save, Search, SlidersHorizontal, Undo2 } from "lucide-react";
import { IconButton } from "@/design/controls/Button";
import { Keys } from "@/design/keys/Keys";
import { documentName, fileName, isDirty, isStartPage } from "@/flow/document/flow-state";
import { RunControls } from "@/shell/run/RunControls";
import { RunTotals } from "@/shell/run/RunTotals";
import { useHasTabBar } from "@/shell/tabs/TabBar";
import { TabMenu } from "@/shell/tabs/TabMenu";
import { TEXTS } from "@/shell/texts";
import { useCommands, useFlow, useKeys, useLayout, useWorkspace } from "@/workspace/context";
import { showsInspector } from "@/workspace/window/layout";
import { ConversationChip } from "./ConversationChip";
import { ProposalChip } from "./ProposalChip";
import { RailMenu } from "./RailMenu";
import { StatusPill } from "./StatusPill";

/** The flow and its file on the left, how the run is doing in the middle, Run and Stop at the right end, where they never move. */
export function TopBar() {
  const workspace = useWorkspace();
  const commands = useCommands();
  const paletteKeys = useKeys("help.palette");
  const tiny = useLayout((layout) => layout.size === "tiny");
  const hasTabs = useHasTabBar();
  return (
    <header className="@container h-[46px] shrink-0 border-line border-b bg-bg-1 px-3">
      <div className="grid h-full grid-cols-[minmax(0,1fr)_minmax(0,auto)_minmax(max-content,1fr)] items-center gap-3 @max-[1100px]:gap-2 @max-[900px]:grid-cols-[minmax(40px,1fr)_minmax(0,auto)_max-content]">
        <div className="flex min-w-0 items-center gap-2">
          {tiny ? <RailMenu /> : hasTabs ? null : <img src="./icon.svg" alt={TEXTS.plait} width={24} height={24} />}
          <DocumentName />
          {hasTabs ? null : <TabMenu />}
          <span className="flex shrink-0 items-center @max-[900px]:hidden">
            <IconButton
              label={TEXTS.openFlow}
              keys={commands.keysOf("flow.open")}
              data-testid="open-button"
              icon={<FolderOpen size={16} />}
              onClick={() => commands.run("flow.open")}
            />
            <SaveButton />
            <FlowSettingsButton />
            <HistoryButtons />
          </span>
        </div>
        <div className="flex min-w-0 items-center justify-center gap-2">
          <StatusPill />
          <ConversationChip />
          <ProposalChip />
        </div>
        <div className="flex min-w-0 items-center justify-end gap-2">
          <RunTotals />
          <button
            type="button"
            className="flex h-[30px] shrink-0 items-center gap-2 rounded-md border border-line bg-bg-2 px-2.5 text-fg-2 text-sm hover:border-line-2 hover:bg-bg-3"
            aria-label={TEXTS.commandPalette}
            data-testid="palette-button"
            onClick={() => workspace.overlays.showPalette()}
          >
            <Search size={14} aria-hidden />
            <span className="contents @max-[1100px]:hidden">{paletteKeys ? <Keys keys={paletteKeys} /> : null}</span>
          </button>
          <FoldButtons />
          <RunControls />
        </div>
      </div>
    </header>
  );
}

function DocumentName() {
  const name = useFlow(documentName);
  const path = useFlow((state) => state.path);
  const dirty = useFlow(isDirty);
  const isStart = useFlow(isStartPage);
  if (isStart) return <h1 className="font-semibold">{TEXTS.start}</h1>;
  const saved = path === undefined ? "Not saved" : `${fileName(path)} · ${dirty ? "Unsaved changes" : "Saved"}`;
  return (
    <span className="flex min-w-0 items-baseline gap-2">
      <h1 className="truncate font-semibold" data-testid="flow-name">
        {name}
      </h1>
      <span
        className="shrink-[1000] truncate text-fg-3 text-sm @max-[1100px]:hidden"
        title={path}
        data-testid="flow-file"
        data-dirty={dirty || undefined}
      >
        {saved}
      </span>
    </span>
  );
}

function SaveButton() {
  const commands = useCommands();
  const dirty = useFlow(isDirty);
  return (
    <IconButton
      label={TEXTS.save}
      keys={commands.keysOf("flow.save")}
      data-testid="save-button"
      icon={
        <span className="relative">
          <Save size={16} />
          {dirty ? (
            <i className="-top-0.5 -right-1 absolute size-1.5 rounded-full bg-wait" data-testid="dirty-marker" />
          ) : null}
        </span>
      }
      onClick={() => commands.run("flow.save")}
    />
  );
}

function FlowSettingsButton() {
  const commands = useCommands();
  const isStart = useFlow(isStartPage);
  const shown = useLayout((state) => showsInspector(state) && !state.inspected);
  return (
    <IconButton
      label={TEXTS.flowSettings}
      keys={commands.keysOf("view.flowSettings")}
      data-testid="flow-settings-button"
      pressed={shown}
      disabled={isStart}
      icon={<SlidersHorizontal size={16} />}
      onClick={() => commands.run("view.flowSettings")}
    />
  );
}

function HistoryButtons() {
  const commands = useCommands();
  const back = useFlow((state) => state.history.past.at(-1)?.label);
  const forth = useFlow((state) => state.history.future.at(-1)?.label);
  const viewing = useFlow((state) => state.viewing !== undefined);
  return (
    <>
      <IconButton
        label={back ? TEXTS.undo(back) : TEXTS.nothingToUndo}
        keys={commands.keysOf("edit.undo")}
        data-testid="undo-button"
        disabled={!back || viewing}
        icon={<Undo2 size={16} />}
        onClick={() => commands.run("edit.undo")}
      />
      <IconButton
        label={forth ? TEXTS.redo(forth) : TEXTS.nothingToRedo}
        keys={commands.keysOf("edit.redo")}
        data-testid="redo-button"
        disabled={!forth || viewing}
        icon={<Redo2 size={16} />}
        onClick={() => commands.run("edit.redo")}
      />
    </>
  );
}

function FoldButtons() {
  const workspace = useWorkspace();
  const dock = useLayout((layout) => layout.open.dock);
  const inspector = useLayout(showsInspector);
  const dockKeys = useKeys("view.fold.dock");
  const inspectorKeys = useKeys("view.fold.right");
  return (
    <span className="flex shrink-0">
      <IconButton
        label={TEXTS.dock}
        keys={dockKeys}
        className="@max-[900px]:hidden"
        pressed={dock}
        icon={<PanelBottom size={16} />}
        onClick={() => workspace.layout.toggle("dock")}
      />
      <IconButton
        label={TEXTS.inspector}
        keys={inspectorKeys}
        pressed={inspector}
        icon={<PanelRight size={16} />}
        onClick={() => workspace.layout.toggle("right")}
      />
    </span>
  );
}
