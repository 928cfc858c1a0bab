/**
 * The tabs of the dock. An entry here is all a tab needs: the tab, the command that shows it and its shortcut come from it.
 */
import type { ComponentType } from "react";
import { useLayout } from "@/workspace/context";
import { CONVERSATION, showsChat } from "@/workspace/window/layout";
import { BreakpointCount } from "./breakpoints/BreakpointCount";
import { BreakpointsTab } from "./breakpoints/BreakpointsTab";
import { ConversationTab } from "./conversation/ConversationTab";
import { OpenQuestions } from "./conversation/OpenQuestions";
import { EventCount } from "./events/EventCount";
import { EventsTab } from "./events/EventsTab";
import { LineageTab } from "./lineage/LineageTab";
import { ProblemCount } from "./problems/ProblemCount";
import { ProblemsTab } from "./problems/ProblemsTab";
import { TimelineTab } from "./timeline/TimelineTab";
import { WatchesTab } from "./watches/WatchesTab";

export type DockTabDefinition = {
  /** Stable: the layout remembers it, and the command's id and the tab's test id end with it. */
  id: string;
  title: string;
  /** Shortcut in the notation of `design/keys/keys.ts`. */
  keys: string;
  Component: ComponentType;
  /** Shown next to the title, for example a count. */
  Badge?: ComponentType;
};

export const DOCK_TABS: readonly DockTabDefinition[] = [
  {
    id: CONVERSATION,
    title: "Conversation",
    keys: "Alt+Shift+1",
    Component: ConversationTab,
    Badge: OpenQuestions,
  },
  { id: "timeline", title: "Timeline", keys: "Alt+Shift+2", Component: TimelineTab },
  { id: "events", title: "Events", keys: "Alt+Shift+3", Component: EventsTab, Badge: EventCount },
  { id: "problems", title: "Problems", keys: "Alt+Shift+4", Component: ProblemsTab, Badge: ProblemCount },
  {
    id: "breakpoints",
    title: "Breakpoints",
    keys: "Alt+Shift+5",
    Component: BreakpointsTab,
    Badge: BreakpointCount,
  },
  { id: "lineage", title: "Lineage", keys: "Alt+Shift+6", Component: LineageTab },
  { id: "watches", title: "Watches", keys: "Alt+Shift+7", Component: WatchesTab },
];

const WITHOUT_CONVERSATION = DOCK_TABS.filter(({ id }) => id !== CONVERSATION);

/** The tabs that the dock has now: the conversation may stand on the right. */
export function useDockTabs(): readonly DockTabDefinition[] {
  return useLayout((layout) => (showsChat(layout) ? WITHOUT_CONVERSATION : DOCK_TABS));
}
