/** Provides the workspace and its commands to components, with hooks for parts of its stores. */
import { createContext, type ReactNode, useContext, useMemo } from "react";
import { useStore } from "zustand";
import type { Settings } from "@/bindings";
import type { Layout } from "@/workbench/layout";
import type { Overlays } from "@/workbench/overlays";
import type { Providers } from "@/workbench/providers";
import type { Command } from "./command";
import { CommandRegistry } from "./command-registry";
import type { Workspace } from "./workspace";

const WorkspaceContext = createContext<Workspace | undefined>(undefined);
const CommandsContext = createContext<CommandRegistry | undefined>(undefined);
const NO_COMMANDS: readonly Command[] = [];

type ProviderProps = { workspace: Workspace; commands?: readonly Command[]; children: ReactNode };

export function WorkspaceProvider({ workspace, commands = NO_COMMANDS, children }: ProviderProps) {
  const registry = useMemo(() => new CommandRegistry(commands, workspace), [commands, workspace]);
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

export function useSettings<T>(select: (settings: Settings) => T): T {
  return useStore(useWorkspace().settings.store, select);
}

export function useProviders<T>(select: (providers: Providers) => T): T {
  return useStore(useWorkspace().providers.store, select);
}

export function useLayout<T>(select: (layout: Layout) => T): T {
  return useStore(useWorkspace().layout.store, select);
}

export function useOverlays<T>(select: (overlays: Overlays) => T): T {
  return useStore(useWorkspace().overlays.store, select);
}

function required<T>(value: T | undefined): T {
  if (value === undefined) throw new Error("This component needs a WorkspaceProvider above it.");
  return value;
}
