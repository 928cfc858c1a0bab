import { ContextMenu } from "@base-ui/react/context-menu";
import { Plus, X } from "lucide-react";
import { type PointerEvent, useEffect, useRef } from "react";
import { useStore } from "zustand";
import type { RunStatus } from "@/bindings";
import { IconButton } from "@/design/controls/Button";
import { TEXTS } from "@/shell/texts";
import { useCommands, useLayout, useWorkspace } from "@/workspace/context";
import { FlowTabMenu } from "./FlowTabMenu";
import { type FlowTab, useTabs } from "./useTabs";
import "./tabs.css";

/** Whether the window is wide enough for tabs. If not, `TabMenu` lists the open flows. */
export function useHasTabBar(): boolean {
  return useLayout(({ size }) => size === "wide" || size === "medium");
}

/** A tab for each open flow. */
export function TabBar() {
  return useHasTabBar() ? <Tabs /> : null;
}

function Tabs() {
  const commands = useCommands();
  const tabs = useTabs();
  const row = useTabDrag();
  return (
    <nav className="tab-bar flex" aria-label={TEXTS.openFlows} data-testid="tab-bar">
      <img src="./icon.svg" alt={TEXTS.plait} width={22} height={22} className="mx-2 shrink-0 self-center" />
      <ul ref={row.ref} className="flex min-w-0 overflow-x-auto">
        {tabs.map((tab) => (
          <Tab key={tab.key} tab={tab} isOnly={tabs.length === 1} {...row.handlers(tab.key)} />
        ))}
      </ul>
      <IconButton
        label={TEXTS.newTab}
        keys={commands.get("flow.start").keys?.[0]}
        data-testid="new-tab"
        className="mx-1 self-center"
        icon={<Plus size={16} />}
        onClick={() => commands.run("flow.start")}
      />
    </nav>
  );
}

type TabProps = { tab: FlowTab; isOnly: boolean; onPointerDown: (event: PointerEvent) => void };

function Tab({ tab, isOnly, onPointerDown }: TabProps) {
  const { documents, files, layout } = useWorkspace();
  const item = useRef<HTMLLIElement>(null);
  useEffect(() => {
    if (tab.isShown) item.current?.scrollIntoView({ block: "nearest", inline: "nearest" });
  }, [tab.isShown]);
  return (
    <ContextMenu.Root>
      <ContextMenu.Trigger
        render={
          <li
            ref={item}
            className="flow-tab"
            data-shown={tab.isShown || undefined}
            data-key={tab.key}
            data-testid={`tab-${tab.name}`}
            onPointerDown={onPointerDown}
            // Without this, a middle click begins to scroll the row.
            onMouseDown={(event) => event.button === 1 && event.preventDefault()}
            onAuxClick={(event) => event.button === 1 && void files.close(tab.key)}
          />
        }
      >
        <button
          type="button"
          className="flow-tab-name"
          aria-current={tab.isShown ? "page" : undefined}
          title={[tab.path ?? tab.name, tab.state].filter(Boolean).join(" · ")}
          onClick={() => {
            documents.show(tab.key);
            layout.closePage();
          }}
        >
          <TabDot tab={tab} />
          <span className="truncate">{tab.name}</span>
          {tab.folder ? <span className="truncate text-fg-3 text-xs">{tab.folder}</span> : null}
        </button>
        <button
          type="button"
          className="flow-tab-close"
          aria-label={TEXTS.closeTab(tab.name)}
          title={TEXTS.closeTab(tab.name)}
          onClick={() => void files.close(tab.key)}
        >
          <X size={13} aria-hidden />
        </button>
      </ContextMenu.Trigger>
      <FlowTabMenu tab={tab} isOnly={isOnly} />
    </ContextMenu.Root>
  );
}

/** How far the pointer moves before a press on a tab is a drag. */
const DRAG_THRESHOLD_PX = 5;

/** Tabs change places while one is dragged along the row. */
function useTabDrag() {
  const { documents } = useWorkspace();
  const ref = useRef<HTMLUListElement>(null);
  const isMany = useStore(documents.store, (state) => state.documents.length > 1);
  const begin = (key: string, press: PointerEvent) => {
    if (press.button !== 0 || !isMany) return;
    let dragging = false;
    const move = (event: globalThis.PointerEvent) => {
      dragging ||= Math.abs(event.clientX - press.clientX) > DRAG_THRESHOLD_PX;
      if (!dragging) return;
      const others = [...(ref.current?.children ?? [])].filter((tab) => (tab as HTMLElement).dataset.key !== key);
      const passed = others.filter((tab) => {
        const { left, width } = tab.getBoundingClientRect();
        return left + width / 2 < event.clientX;
      });
      documents.move(key, passed.length);
    };
    const end = () => {
      window.removeEventListener("pointermove", move);
      window.removeEventListener("pointerup", end);
      window.removeEventListener("pointercancel", end);
    };
    window.addEventListener("pointermove", move);
    window.addEventListener("pointerup", end);
    window.addEventListener("pointercancel", end);
  };
  return { ref, handlers: (key: string) => ({ onPointerDown: (event: PointerEvent) => begin(key, event) }) };
}

const RUN_DOTS: Partial<Record<RunStatus, string>> = {
  running: "bg-accent tab-dot-running",
  waiting: "bg-wait",
  stopped: "bg-bad",
  failed: "bg-bad",
  interrupted: "bg-wait",
};

/** How a tab's run is doing; else whether the flow has unsaved changes. */
export function TabDot({ tab: { status, isDirty, state } }: { tab: FlowTab }) {
  const run = status && RUN_DOTS[status];
  if (!run && !isDirty) return null;
  return (
    <>
      <i className={`size-2 shrink-0 rounded-full ${run ?? "border-2 border-fg-3"}`} aria-hidden />
      <span className="sr-only">{state}</span>
    </>
  );
}
