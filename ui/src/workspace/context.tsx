/** Provides the workspace and its commands to components, with hooks for parts of its stores. */
import { createContext, type ReactNode, useContext, useMemo } from "react";
import { useStore } from "zustand";
import type { Settings, UserList } from "@/bindings";
import type { FlowState } from "@/flow/document/flow-state";
import type { NodeTypes } from "@/flow/node-types/node-types";
import type { CommandName } from "@/ipc";
import type { CanvasState } from "./canvas-store";
import type { Command } from "./commands/command";
import { CommandRegistry } from "./commands/command-registry";
import type { Remote } from "./hosts/remote-host";
import type { OwnTools } from "./settings/own-tools";
import type { Providers } from "./settings/providers";
import type { Layout } from "./window/layout";
import type { Overlays } from "./window/overlays";
import { floats, type Part } from "./window/window-size";
import type { Workspace } from "./workspace";

const WorkspaceContext = createContext<Workspace | undefined>(undefined);
const CommandsContext = createContext<CommandRegistry | undefined>(undefined);
const NO_COMMANDS: readonly Command[] = [];

type ProviderProps = { workspace: Workspace; commands?: readonly Command[]; children: ReactNode };

export function WorkspaceProvider({ workspace, commands = NO_COMMANDS, children }: ProviderProps) {
  const changed = useStore(workspace.settings.store, () => workspace.shortcuts.changed);
  const registry = useMemo(() => new CommandRegistry(commands, workspace, changed), [commands, changed, workspace]);
  return (
    <WorkspaceContext value={workspace}>
      <CommandsContext value={registry}>{children}</CommandsContext>
    </WorkspaceContext>
  );
}

export function useWorkspace(): Workspace {
  return required(useContext(WorkspaceContext));
}

export function useCommands(): CommandRegistry {
  return required(useContext(CommandsContext));
}

/** The shortcut of a command as it is shown beside it; none if it has none. */
export function useKeys(command: string): string | undefined {
  return useCommands().keysOf(command);
}

/** Subscribes a component to a part of the document. */
export function useFlow<T>(select: (state: FlowState) => T): T {
  return useStore(useWorkspace().editor.store, select);
}

export function useNodeTypes<T>(select: (types: NodeTypes) => T): T {
  return useStore(useWorkspace().nodeTypes.store, select);
}

export function useCanvas<T>(select: (state: CanvasState) => T): T {
  return useStore(useWorkspace().canvas.store, select);
}

export function useSettings<T>(select: (settings: Settings) => T): T {
  return useStore(useWorkspace().settings.store, select);
}

export function useProviders<T>(select: (providers: Providers) => T): T {
  return useStore(useWorkspace().providers.store, select);
}

export function useOwnTools<T>(select: (tools: OwnTools) => T): T {
  return useStore(useWorkspace().ownTools.store, select);
}

export function useUsers<T>(select: (users: UserList) => T): T {
  return useStore(useWorkspace().users.store, select);
}

export function useLayout<T>(select: (layout: Layout) => T): T {
  return useStore(useWorkspace().layout.store, select);
}

/** A part of what is known of the host that the window belongs to; nothing in a window of this machine. */
export function useRemote<T>(select: (remote: Remote) => T): T | undefined {
  const { remote, remoteState } = useWorkspace();
  return useStore(remoteState, (state) => (remote ? select(state) : undefined));
}

/** Whether the host of the window may execute a command for its token. */
export function useMay(command: CommandName): boolean {
  return useRemote(({ info }) => info?.commands.includes(command) ?? true) ?? true;
}

/** Whether a part floats over the canvas, as the window has no room beside it. */
export function useFloats(part: Part): boolean {
  return useLayout((layout) => floats(part, layout));
}

export function useOverlays<T>(select: (overlays: Overlays) => T): T {
  return useStore(useWorkspace().overlays.store, select);
}

function required<T>(value: T | undefined): T {
  if (value === undefined) throw new Error("This component needs a WorkspaceProvider above it.");
  return value;
}
