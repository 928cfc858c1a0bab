/** For tests: renders components inside of a workspace of their own. */
import { type RenderOptions, type RenderResult, render } from "@testing-library/react";
import type { ReactElement, ReactNode } from "react";
import type { Host } from "@/ipc";
import { testHost } from "@/ipc/test-host";
import type { Command } from "./commands/command";
import { WorkspaceProvider } from "./context";
import { createWorkspace, type Workspace } from "./workspace";

/** A workspace on a host that answers only what `host` does. */
export function createTestWorkspace(host?: Partial<Host>): Workspace {
  return createWorkspace(testHost(host));
}

type Options = { workspace?: Workspace; commands?: readonly Command[] };

export function withWorkspace({
  workspace = createTestWorkspace(),
  commands,
}: Options = {}): Pick<RenderOptions, "wrapper"> {
  return {
    wrapper: ({ children }: { children: ReactNode }) => (
      <WorkspaceProvider workspace={workspace} commands={commands}>
        {children}
      </WorkspaceProvider>
    ),
  };
}

export function renderInWorkspace(ui: ReactElement, options?: Options): RenderResult {
  return render(ui, withWorkspace(options));
}
