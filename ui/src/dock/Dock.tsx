/** The dock below the canvas: the slider over the run, a row of tabs and the one that is selected. */
import { Tabs } from "@base-ui/react/tabs";
import { PanelRight } from "lucide-react";
import { IconButton } from "@/design/controls/Button";
import { useDockTabs } from ".";
import "./run.css";
import { useFloats, useLayout, useWorkspace } from "@/workspace/context";
import { CONVERSATION } from "@/workspace/window/layout";
import { TEXTS } from "./texts";
import { TimeBar } from "./time-travel/TimeBar";

export function Dock() {
  const workspace = useWorkspace();
  const remembered = useLayout((layout) => layout.dockTab);
  const tabs = useDockTabs();
  // A remembered tab may be one that this version doesn't have, or the conversation, which is on the right.
  const tab = tabs.find((one) => one.id === remembered) ?? tabs[0];
  const isBeside = !useFloats("dock");
  // A closed dock renders none of its tabs.
  const open = useLayout((layout) => layout.open.dock);
  return (
    <Tabs.Root
      value={tab?.id}
      onValueChange={(value) => workspace.layout.selectDockTab(String(value))}
      className="flex h-full min-h-0 flex-col bg-bg-1"
    >
      {open ? <TimeBar className="border-line border-b" /> : null}
      <div className="flex h-[36px] shrink-0 items-center border-line border-b pr-1.5">
        <Tabs.List className="flex h-full min-w-0 flex-1 gap-0.5 px-2.5" aria-label={TEXTS.dock}>
          {tabs.map(({ id, title, Badge }) => (
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
        {tab?.id === CONVERSATION && isBeside ? (
          <IconButton
            label={TEXTS.chatOnRight}
            icon={<PanelRight size={15} aria-hidden />}
            className="!size-7"
            data-testid="chat-right"
            onClick={() => workspace.layout.putChat("right")}
          />
        ) : null}
      </div>
      {open
        ? tabs.map(({ id, Component }) => (
            <Tabs.Panel key={id} value={id} className="min-h-0 flex-1 outline-none">
              <Component />
            </Tabs.Panel>
          ))
        : null}
    </Tabs.Root>
  );
}
