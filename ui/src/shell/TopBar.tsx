import { FolderOpen, PanelBottom, PanelRight, Redo2, Save, Search, Undo2 } from "lucide-react";
import { IconButton } from "@/design/Button";
import { Keys } from "@/design/Keys";
import { documentName, fileName, isDirty } from "@/flow/flow-state";
import { useCommands, useFlow, useLayout, useWorkspace } from "@/workspace/context";
import { ConversationChip } from "./ConversationChip";
import { RunControls } from "./RunControls";
import { RunTotals } from "./RunTotals";
import { StatusPill } from "./StatusPill";
import { TEXTS } from "./texts";

/** The flow and its file on the left, how the run is doing in the middle, Run and Stop at the right end, where they never move. */
export function TopBar() {
  const workspace = useWorkspace();
  const commands = useCommands();
  return (
    <header className="grid h-[46px] shrink-0 grid-cols-[minmax(0,1fr)_auto_minmax(max-content,1fr)] items-center gap-3 border-line border-b bg-bg-1 px-3">
      <div className="flex min-w-0 items-center gap-2">
        <img src="./icon.svg" alt={TEXTS.plait} width={24} height={24} className="shrink-0" />
        <DocumentName />
        <span className="flex shrink-0 items-center">
          <IconButton
            label={TEXTS.openFlow}
            keys="Mod+O"
            data-testid="open-button"
            icon={<FolderOpen size={16} />}
            onClick={() => commands.run("flow.open")}
          />
          <SaveButton />
          <HistoryButtons />
        </span>
      </div>
      <div className="flex items-center justify-center gap-2">
        <StatusPill />
        <ConversationChip />
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
          <Keys keys="Mod+K" />
        </button>
        <FoldButtons />
        <RunControls />
      </div>
    </header>
  );
}

function DocumentName() {
  const name = useFlow(documentName);
  const path = useFlow((state) => state.path);
  const dirty = useFlow(isDirty);
  const saved = path === undefined ? "Not saved" : `${fileName(path)} · ${dirty ? "Unsaved changes" : "Saved"}`;
  return (
    <span className="flex min-w-0 items-baseline gap-2">
      <h1 className="truncate font-semibold" data-testid="flow-name">
        {name}
      </h1>
      <span className="truncate text-fg-3 text-sm" title={path} data-testid="flow-file" data-dirty={dirty || undefined}>
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
      keys="Mod+S"
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

function HistoryButtons() {
  const commands = useCommands();
  const back = useFlow((state) => state.history.past.at(-1)?.label);
  const forth = useFlow((state) => state.history.future.at(-1)?.label);
  const viewing = useFlow((state) => state.viewing !== undefined);
  return (
    <>
      <IconButton
        label={back ? TEXTS.undo(back) : TEXTS.nothingToUndo}
        keys="Mod+Z"
        data-testid="undo-button"
        disabled={!back || viewing}
        icon={<Undo2 size={16} />}
        onClick={() => commands.run("edit.undo")}
      />
      <IconButton
        label={forth ? TEXTS.redo(forth) : TEXTS.nothingToRedo}
        keys="Mod+Shift+Z"
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
  const open = useLayout((layout) => layout.open);
  return (
    <span className="flex shrink-0">
      <IconButton
        label={TEXTS.dock}
        keys="Mod+J"
        pressed={open.dock}
        icon={<PanelBottom size={16} />}
        onClick={() => workspace.layout.toggle("dock")}
      />
      <IconButton
        label={TEXTS.inspector}
        keys="Mod+I"
        pressed={open.right}
        icon={<PanelRight size={16} />}
        onClick={() => workspace.layout.toggle("right")}
      />
    </span>
  );
}
