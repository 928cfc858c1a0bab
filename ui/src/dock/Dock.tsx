/** The dock below the canvas: the conversation, the timeline, the events, the problems. */
import { Tabs } from "@base-ui/react/tabs";
import { useLayout } from "@/workbench/layout";
import "./run.css";
import { useEventCount, useRunHead } from "@/run/live/active-run";
import { formatCount } from "@/run/values/format";
import { DOCK_TABS, type DockTab, dockStore, selectDockTab } from "@/workbench/dock-tabs";
import { Conversation } from "./conversation/ConversationTab";
import { Events } from "./events/EventsTab";
import { Problems } from "./problems/ProblemsTab";
import { useProblemCount } from "./problems/problem-list";
import { Timeline } from "./timeline/TimelineTab";

const TITLES: Record<DockTab, string> = {
  conversation: "Conversation",
  timeline: "Timeline",
  events: "Events",
  problems: "Problems",
};

export function Dock() {
  const tab = dockStore((state) => state.tab);
  // Folded, it costs nothing.
  const open = useLayout((layout) => layout.open.dock);
  return (
    <Tabs.Root
      value={tab}
      onValueChange={(value) => selectDockTab(value as DockTab)}
      className="flex h-full min-h-0 flex-col bg-bg-1"
    >
      <Tabs.List className="flex h-[36px] shrink-0 items-stretch gap-0.5 border-line border-b px-2.5" aria-label="Dock">
        {DOCK_TABS.map((name) => (
          <Tabs.Tab
            key={name}
            value={name}
            data-testid={`dock-tab-${name}`}
            className="-mb-px flex items-center gap-1.5 border-transparent border-b-2 px-2.5 text-fg-2 text-sm hover:text-fg data-[active]:border-accent data-[active]:font-semibold data-[active]:text-fg"
          >
            {TITLES[name]}
            <TabCount tab={name} />
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {open ? <Panels /> : null}
    </Tabs.Root>
  );
}

function Panels() {
  return (
    <>
      <Tabs.Panel value="conversation" className="min-h-0 flex-1 outline-none">
        <Conversation />
      </Tabs.Panel>
      <Tabs.Panel value="timeline" className="min-h-0 flex-1 outline-none">
        <Timeline />
      </Tabs.Panel>
      <Tabs.Panel value="events" className="min-h-0 flex-1 outline-none">
        <Events />
      </Tabs.Panel>
      <Tabs.Panel value="problems" className="min-h-0 flex-1 outline-none">
        <Problems />
      </Tabs.Panel>
    </>
  );
}

function TabCount({ tab }: { tab: DockTab }) {
  if (tab === "events") return <EventsCount />;
  if (tab === "problems") return <ProblemsCount />;
  if (tab === "conversation") return <OpenQuestions />;
  return null;
}

function EventsCount() {
  const count = useEventCount();
  return count === 0 ? null : <span className="text-fg-3 tabular-nums">{formatCount(count)}</span>;
}

function ProblemsCount() {
  const { total, errors } = useProblemCount();
  return total === 0 ? null : <span className={errors > 0 ? "text-bad" : "text-wait"}>{total}</span>;
}

function OpenQuestions() {
  const count = useRunHead((head) => head.pauses.length);
  if (count === 0) return null;
  return (
    <span
      className="size-2 rounded-full bg-wait"
      role="img"
      aria-label={`${count} open ${count === 1 ? "question" : "questions"}`}
    />
  );
}
