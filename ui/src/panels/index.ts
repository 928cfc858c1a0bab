/**
 * The panels of the left side. An entry here is all a panel needs: its rail button, its command with the shortcut, and
 * its place in the layout come from it.
 */
import {
  Brain,
  FlaskConical,
  FolderOpen,
  History,
  Library,
  type LucideIcon,
  MessagesSquare,
  Plug,
  Plus,
  ShieldCheck,
} from "lucide-react";
import { type ComponentType, lazy } from "react";
import { ConversationsPanel } from "./conversations/ConversationsPanel";
import { FlowsPanel } from "./flows/FlowsPanel";
import { NodesPanel } from "./nodes/NodesPanel";
import { RunsPanel } from "./runs/RunsPanel";

export type PanelDefinition = {
  /** Stable: the layout remembers it, and the command's id and the rail button's test id end with it. */
  id: string;
  title: string;
  /** The title of the command that shows it. */
  command: string;
  /** Shortcut in the notation of `design/keys/keys.ts`. */
  keys: string;
  icon: LucideIcon;
  /** May be lazy: the shell waits for it. */
  Component: ComponentType;
};

/** Rarely opened, so the window doesn't load them at start. */
const KnowledgePanel = lazy(() =>
  import("./knowledge/KnowledgePanel").then((module) => ({ default: module.KnowledgePanel })),
);
export const GuidePage = lazy(() => import("./guide/GuidePage").then((module) => ({ default: module.GuidePage })));

export const SettingsPage = lazy(() =>
  import("./settings/SettingsPage").then((module) => ({ default: module.SettingsPage })),
);

const GrantsPanel = lazy(() => import("./grants/GrantsPanel").then((module) => ({ default: module.GrantsPanel })));

const MemoryPanel = lazy(() => import("./memory/MemoryPanel").then((module) => ({ default: module.MemoryPanel })));

const TestsPanel = lazy(() => import("./tests/TestsPanel").then((module) => ({ default: module.TestsPanel })));

const McpPanel = lazy(() => import("./mcp/McpPanel").then((module) => ({ default: module.McpPanel })));

export const PANELS: readonly PanelDefinition[] = [
  {
    id: "flows",
    title: "Flows",
    command: "Show flows",
    keys: "Alt+1",
    icon: FolderOpen,
    Component: FlowsPanel,
  },
  {
    id: "nodes",
    title: "Nodes",
    command: "Show node types",
    keys: "Alt+2",
    icon: Plus,
    Component: NodesPanel,
  },
  { id: "runs", title: "Runs", command: "Show runs", keys: "Alt+3", icon: History, Component: RunsPanel },
  { id: "tests", title: "Tests", command: "Show tests", keys: "Alt+0", icon: FlaskConical, Component: TestsPanel },
  {
    id: "conversations",
    title: "Conversations",
    command: "Show conversations",
    keys: "Alt+4",
    icon: MessagesSquare,
    Component: ConversationsPanel,
  },
  {
    id: "knowledge",
    title: "Knowledge",
    command: "Show knowledge bases",
    keys: "Alt+6",
    icon: Library,
    Component: KnowledgePanel,
  },
  {
    id: "memory",
    title: "Memory",
    command: "Show memory",
    keys: "Alt+8",
    icon: Brain,
    Component: MemoryPanel,
  },
  {
    id: "mcp",
    title: "MCP servers",
    command: "Show MCP servers",
    keys: "Alt+7",
    icon: Plug,
    Component: McpPanel,
  },
  {
    id: "grants",
    title: "What this flow may do",
    command: "Show what this flow may do",
    keys: "Alt+9",
    icon: ShieldCheck,
    Component: GrantsPanel,
  },
];
