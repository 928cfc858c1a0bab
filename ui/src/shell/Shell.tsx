import { Suspense, useEffect } from "react";
import { Group, Panel, Separator, usePanelRef } from "react-resizable-panels";
import { Canvas } from "@/canvas/Canvas";
import { Dock } from "@/dock/Dock";
import { Inspector } from "@/inspector/Inspector";
import { PANELS } from "@/panels";
import { useLayout, useWorkspace } from "@/workspace/context";
import type { Part } from "@/workspace/layout";
import { Rail } from "./Rail";
import { TopBar } from "./TopBar";
import { ViewingBanner } from "./ViewingBanner";

type Sizes = Record<string, number>;

/** The window's parts and the seams between them, which can be dragged, folded and are remembered. */
export function Shell() {
  const workspace = useWorkspace();
  const left = useFolding("left");
  const right = useFolding("right");
  const dock = useFolding("dock");
  return (
    <div className="flex h-full flex-col">
      <TopBar />
      <div className="flex min-h-0 flex-1">
        <Rail />
        <main className="min-w-0 flex-1">
          <Group
            className="h-full"
            orientation="horizontal"
            defaultLayout={workspace.settings.remembered<Sizes>("columns")}
            onLayoutChanged={(layout, { isUserInteraction }) =>
              isUserInteraction && workspace.settings.remember("columns", layout)
            }
          >
            <Panel
              id="part-left"
              {...left}
              defaultSize="226px"
              minSize="190px"
              maxSize="420px"
              groupResizeBehavior="preserve-pixel-size"
              collapsible
              className="bg-bg-1"
            >
              <section className="h-full overflow-hidden" aria-label="Left panel">
                <LeftPanel />
              </section>
            </Panel>
            <Separator className="seam" aria-label="Resize left panel" />
            <Panel id="part-middle" minSize="320px">
              <Group
                className="h-full"
                orientation="vertical"
                defaultLayout={workspace.settings.remembered<Sizes>("rows")}
                onLayoutChanged={(layout, { isUserInteraction }) =>
                  isUserInteraction && workspace.settings.remember("rows", layout)
                }
              >
                <Panel id="part-canvas" minSize="160px">
                  <div className="relative h-full">
                    <Canvas />
                    <ViewingBanner />
                  </div>
                </Panel>
                <Separator className="seam" aria-label="Resize dock" />
                <Panel
                  id="part-dock"
                  {...dock}
                  defaultSize="216px"
                  minSize="120px"
                  groupResizeBehavior="preserve-pixel-size"
                  collapsible
                  className="bg-bg-1"
                >
                  <Dock />
                </Panel>
              </Group>
            </Panel>
            <Separator className="seam" aria-label="Resize inspector" />
            <Panel
              id="part-right"
              {...right}
              defaultSize="340px"
              minSize="270px"
              maxSize="640px"
              groupResizeBehavior="preserve-pixel-size"
              collapsible
              className="bg-bg-1"
            >
              <section className="h-full overflow-hidden" aria-label="Inspector">
                <Inspector />
              </section>
            </Panel>
          </Group>
        </main>
      </div>
    </div>
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
