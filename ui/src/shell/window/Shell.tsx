import { type ReactNode, type RefObject, Suspense, useEffect, useLayoutEffect, useRef } from "react";
import { Group, Panel, Separator, usePanelRef } from "react-resizable-panels";
import { Canvas } from "@/canvas/Canvas";
import { Dock } from "@/dock/Dock";
import { DockLine } from "@/dock/DockLine";
import { isStartPage } from "@/flow/document/flow-state";
import { Inspector } from "@/inspector/Inspector";
import { GuidePage, PANELS, SettingsPage } from "@/panels";
import { ComparisonBar } from "@/shell/bars/ComparisonBar";
import { InnerFlowBanner } from "@/shell/bars/InnerFlowBanner";
import { Rail } from "@/shell/bars/Rail";
import { TopBar } from "@/shell/bars/TopBar";
import { ViewingBanner } from "@/shell/bars/ViewingBanner";
import { HostBar } from "@/shell/hosts/HostBar";
import { ImportStepsBanner } from "@/shell/import/ImportStepsBanner";
import { StopBar } from "@/shell/run/StopBar";
import { StartPage } from "@/shell/start-page/StartPage";
import { TabBar } from "@/shell/tabs/TabBar";
import { TEXTS } from "@/shell/texts";
import { useFloats, useFlow, useLayout, useWorkspace } from "@/workspace/context";
import { type Part, showsInspector } from "@/workspace/window/layout";
import { floats } from "@/workspace/window/window-size";
import { ChatColumn } from "./ChatColumn";
import { FloatingPart } from "./FloatingPart";
import { Toasts } from "./Toasts";
import { useInspectedSelection } from "./useInspectedSelection";

type Sizes = Record<string, number>;

/** Has no size in what versions without it remembered. */
const CHAT_PANEL = "part-chat";

/**
 * The window's parts and the seams between them, which can be dragged, folded and are remembered. A part for which there is
 * no room beside the canvas floats over it.
 */
export function Shell() {
  const shell = useRef<HTMLDivElement>(null);
  useWindowWidth(shell);
  useInspectedSelection();
  const page = useLayout((layout) => layout.page);
  const isStart = useFlow(isStartPage);
  const leftFloats = useFloats("left");
  const dockFloats = useFloats("dock") && !isStart;
  const hasInspector = useLayout(showsInspector);
  const rightFloats = useFloats("right") && hasInspector && !isStart;
  return (
    <div ref={shell} className="flex h-full flex-col" data-shell>
      <HostBar />
      <TabBar />
      <TopBar />
      <div className="@container">
        <StopBar />
      </div>
      <div className="flex min-h-0 flex-1">
        <Rail />
        <main className="flex min-w-0 flex-1 flex-col">
          <div className="relative min-h-0 flex-1">
            {/* What a page covers can't be reached behind it. */}
            <div className="h-full" inert={page !== undefined}>
              <RememberedGroup name="columns" orientation="horizontal">
                <FoldingPanel part="left" defaultSize="226px" minSize="190px" maxSize="420px">
                  <section className="h-full overflow-hidden" aria-label={TEXTS.leftPanel}>
                    <LeftPanel />
                  </section>
                </FoldingPanel>
                <Seam part="left" label={TEXTS.resizeLeftPanel} />
                <Panel id="part-middle" minSize="320px">
                  <RememberedGroup name="rows" orientation="vertical">
                    <Panel id="part-canvas" minSize="160px">
                      <div className="flex h-full flex-col">
                        <ComparisonBar />
                        <ViewingBanner />
                        <InnerFlowBanner />
                        <ImportStepsBanner />
                        <div className="relative min-h-0 flex-1">
                          <Canvas />
                          <StartPage />
                          {page === undefined ? <Toasts /> : null}
                        </div>
                      </div>
                    </Panel>
                    <Seam part="dock" label={TEXTS.resizeDock} />
                    <FoldingPanel part="dock" defaultSize="216px" minSize="120px">
                      <Dock />
                    </FoldingPanel>
                  </RememberedGroup>
                </Panel>
                <Seam part="right" label={TEXTS.resizeInspector} />
                <FoldingPanel part="right" defaultSize="340px" minSize="270px" maxSize="640px">
                  <section className="h-full overflow-hidden" aria-label={TEXTS.inspector}>
                    <Inspector />
                  </section>
                </FoldingPanel>
                <ChatColumn />
              </RememberedGroup>
            </div>
            {dockFloats ? (
              <FloatingPart part="dock" label={TEXTS.dock}>
                <Dock />
              </FloatingPart>
            ) : null}
            {rightFloats ? (
              <FloatingPart part="right" label={TEXTS.inspector}>
                <Inspector />
              </FloatingPart>
            ) : null}
            {leftFloats ? (
              <FloatingPart part="left" label={TEXTS.leftPanel}>
                <LeftPanel />
              </FloatingPart>
            ) : null}
            {page !== undefined ? (
              <div className="absolute inset-0 z-20">
                <Suspense>{page === "settings" ? <SettingsPage /> : <GuidePage />}</Suspense>
                <Toasts />
              </div>
            ) : null}
          </div>
          {dockFloats ? <DockLine /> : null}
        </main>
      </div>
    </div>
  );
}

/** Tells the layout how wide the window is: in its own pixels, which are fewer when the interface is enlarged. */
function useWindowWidth(shell: RefObject<HTMLElement | null>): void {
  const { layout } = useWorkspace();
  useLayoutEffect(() => {
    const box = shell.current;
    if (!box) return;
    const follow = () => layout.setWindowWidth(box.clientWidth);
    follow();
    const observer = new ResizeObserver(follow);
    observer.observe(box);
    return () => observer.disconnect();
  }, [layout, shell]);
}

type GroupProps = { name: "columns" | "rows"; orientation: "horizontal" | "vertical"; children: ReactNode };

/** Panels side by side. The sizes that a person gives them are remembered between sessions. */
function RememberedGroup({ name, orientation, children }: GroupProps) {
  const { settings } = useWorkspace();
  const remembered = settings.remembered<Sizes>(name);
  return (
    <Group
      className="h-full"
      orientation={orientation}
      defaultLayout={remembered && name === "columns" ? { [CHAT_PANEL]: 0, ...remembered } : remembered}
      onLayoutChanged={(layout, { isUserInteraction }) => isUserInteraction && settings.remember(name, layout)}
    >
      {children}
    </Group>
  );
}

type FoldingProps = { part: Part; defaultSize: string; minSize: string; maxSize?: string; children: ReactNode };

/** The seam beside a part; there is none while the part floats. */
function Seam({ part, label }: { part: Part; label: string }) {
  const isFloating = useFloats(part);
  const isNone = useHasNone(part);
  // One that takes part in no layout has no value for screen readers when it is back.
  const className = isFloating ? "hidden" : isNone ? "seam invisible" : "seam";
  return <Separator className={className} disabled={isFloating} aria-label={label} />;
}

/** A part that can be folded away. It is empty while it floats over the canvas instead. */
function FoldingPanel({ part, children, ...props }: FoldingProps) {
  const folding = useFolding(part);
  const isFloating = useFloats(part);
  const isNone = useHasNone(part);
  return (
    <Panel
      id={`part-${part}`}
      {...folding}
      {...props}
      groupResizeBehavior="preserve-pixel-size"
      collapsible
      className="bg-bg-1"
    >
      {isFloating || isNone ? null : children}
    </Panel>
  );
}

function LeftPanel() {
  const remembered = useLayout((layout) => layout.leftPanel);
  // A remembered panel may be one that this version doesn't have.
  const panel = PANELS.find((one) => one.id === remembered) ?? PANELS[0];
  return <Suspense>{panel ? <panel.Component /> : null}</Suspense>;
}

/** The start page has no inspector and no dock; without a selection, there is no inspector. */
function useHasNone(part: Part): boolean {
  const isStart = useFlow(isStartPage);
  const isAboutNothing = useLayout((layout) => !layout.inspected && !layout.flowSettings);
  return part !== "left" && (isStart || (part === "right" && isAboutNothing));
}

/** Keeps a panel's collapsed state in sync with the layout. */
function useFolding(part: Part) {
  const workspace = useWorkspace();
  const panelRef = usePanelRef();
  const isNone = useHasNone(part);
  const open = useLayout((layout) => layout.open[part] && !floats(part, layout)) && !isNone;
  useEffect(() => {
    const panel = panelRef.current;
    if (!panel || panel.isCollapsed() === !open) return;
    if (open) panel.expand();
    else panel.collapse();
  }, [open, panelRef]);
  const onResize = (size: { inPixels: number }, _: unknown, before: { inPixels: number } | undefined) => {
    if (before === undefined) return;
    const isOpen = size.inPixels > 1;
    if (isOpen === before.inPixels > 1 || floats(part, workspace.layout.store.getState())) return;
    if (isNone) return;
    workspace.layout.setOpen(part, isOpen);
  };
  return { panelRef, onResize };
}
