/** The dock below the canvas: the slider over the run, a row of tabs and the one that is selected. */
import { Tabs } from "@base-ui/react/tabs";
import { DOCK_TABS } from ".";
import "./run.css";
import { useLayout, useWorkspace } from "@/workspace/context";
import { TEXTS } from "./texts";
import { TimeBar } from "./time-travel/TimeBar";

export function Dock() {
  const workspace = useWorkspace();
  const remembered = useLayout((layout) => layout.dockTab);
  // A remembered tab may be one that this version doesn't have.
  const tab = DOCK_TABS.find((one) => one.id === remembered) ?? DOCK_TABS[0];
  // A closed dock renders none of its tabs.
  const open = useLayout((layout) => layout.open.dock);
  return (
    <Tabs.Root
      value={tab?.id}
      onValueChange={(value) => workspace.layout.selectDockTab(String(value))}
      className="flex h-full min-h-0 flex-col bg-bg-1"
    >
      {open ? <TimeBar className="border-line border-b" /> : null}
      <Tabs.List className="flex h-[36px] shrink-0 gap-0.5 border-line border-b px-2.5" aria-label={TEXTS.dock}>
        {DOCK_TABS.map(({ id, title, Badge }) => (
          <Tabs.Tab
            key={id}
            value={id}
            data-testid={`dock-tab-${id}`}
            className="-mb-px flex items-center gap-1.5 border-transparent border-b-2 px-2.5 text-fg-2 text-sm hover:text-fg data-[active]:border-accent data-[active]:font-semibold data-[active]:text-fg"
          >
            {title}
            {Badge ? <Badge /> : null}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {open
        ? DOCK_TABS.map(({ id, Component }) => (
            <Tabs.Panel key={id} value={id} className="min-h-0 flex-1 outline-none">
              <Component />
            </Tabs.Panel>
          ))
        : null}
    </Tabs.Root>
  );
}
