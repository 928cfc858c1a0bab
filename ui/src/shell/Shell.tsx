import { type ReactNode, Suspense, useEffect } from "react";
import { Group, Panel, Separator, usePanelRef } from "react-resizable-panels";
import { Canvas } from "@/canvas/Canvas";
import { Dock } from "@/dock/Dock";
import { Inspector } from "@/inspector/Inspector";
import { PANELS } from "@/panels";
import { useLayout, useWorkspace } from "@/workspace/context";
import type { Part } from "@/workspace/layout";
import { InnerFlowBanner } from "./InnerFlowBanner";
import { Rail } from "./Rail";
import { Toasts } from "./Toasts";
import { TopBar } from "./TopBar";
import { TEXTS } from "./texts";
import { ViewingBanner } from "./ViewingBanner";

type Sizes = Record<string, number>;

/** The window's parts and the seams between them, which can be dragged, folded and are remembered. */
export function Shell() {
  useNarrowWindow();
  return (
    <div className="flex h-full flex-col">
      <TopBar />
      <div className="flex min-h-0 flex-1">
        <Rail />
        <main className="min-w-0 flex-1">
          <RememberedGroup name="columns" orientation="horizontal">
            <FoldingPanel part="left" defaultSize="226px" minSize="190px" maxSize="420px">
              <section className="h-full overflow-hidden" aria-label={TEXTS.leftPanel}>
                <LeftPanel />
              </section>
            </FoldingPanel>
            <Separator className="seam" aria-label={TEXTS.resizeLeftPanel} />
            <Panel id="part-middle" minSize="320px">
              <RememberedGroup name="rows" orientation="vertical">
                <Panel id="part-canvas" minSize="160px">
                  <div className="relative h-full">
                    <Canvas />
                    <ViewingBanner />
                    <InnerFlowBanner />
                    <Toasts />
                  </div>
                </Panel>
                <Separator className="seam" aria-label={TEXTS.resizeDock} />
                <FoldingPanel part="dock" defaultSize="216px" minSize="120px">
                  <Dock />
                </FoldingPanel>
              </RememberedGroup>
            </Panel>
            <Separator className="seam" aria-label={TEXTS.resizeInspector} />
            <FoldingPanel part="right" defaultSize="340px" minSize="270px" maxSize="640px">
              <section className="h-full overflow-hidden" aria-label={TEXTS.inspector}>
                <Inspector />
              </section>
            </FoldingPanel>
          </RememberedGroup>
        </main>
      </div>
    </div>
  );
}

/** Narrower than this, the left panel would leave the canvas too little room. */
const NARROW_WINDOW = "(max-width: 1099px)";

function useNarrowWindow(): void {
  const { layout } = useWorkspace();
  useEffect(() => {
    const narrow = window.matchMedia(NARROW_WINDOW);
    const follow = () => layout.setNarrow(narrow.matches);
    follow();
    narrow.addEventListener("change", follow);
    return () => narrow.removeEventListener("change", follow);
  }, [layout]);
}

type GroupProps = { name: "columns" | "rows"; orientation: "horizontal" | "vertical"; children: ReactNode };

/** Panels side by side. The sizes that a person gives them are remembered between sessions. */
function RememberedGroup({ name, orientation, children }: GroupProps) {
  const { settings } = useWorkspace();
  return (
    <Group
      className="h-full"
      orientation={orientation}
      defaultLayout={settings.remembered<Sizes>(name)}
      onLayoutChanged={(layout, { isUserInteraction }) => isUserInteraction && settings.remember(name, layout)}
    >
      {children}
    </Group>
  );
}

type FoldingProps = { part: Part; defaultSize: string; minSize: string; maxSize?: string; children: ReactNode };

/** A part that can be folded away. */
function FoldingPanel({ part, ...props }: FoldingProps) {
  const folding = useFolding(part);
  return (
    <Panel
      id={`part-${part}`}
      {...folding}
      {...props}
      groupResizeBehavior="preserve-pixel-size"
      collapsible
      className="bg-bg-1"
    />
  );
}

function LeftPanel() {
  const remembered = useLayout((layout) => layout.leftPanel);
  // A remembered panel may be one that this version doesn't have.
  const panel = PANELS.find((one) => one.id === remembered) ?? PANELS[0];
  return <Suspense>{panel ? <panel.Component /> : null}</Suspense>;
}

/** Keeps a panel's collapsed state in sync with the layout. */
function useFolding(part: Part) {
  const workspace = useWorkspace();
  const panelRef = usePanelRef();
  const open = useLayout((layout) => layout.open[part]);
  useEffect(() => {
    const panel = panelRef.current;
    if (!panel || panel.isCollapsed() === !open) return;
    if (open) panel.expand();
    else panel.collapse();
  }, [open, panelRef]);
  const onResize = (size: { inPixels: number }, _: unknown, before: { inPixels: number } | undefined) => {
    if (before === undefined) return;
    const isOpen = size.inPixels > 1;
    if (isOpen !== before.inPixels > 1) workspace.layout.setOpen(part, isOpen);
  };
  return { panelRef, onResize };
}
