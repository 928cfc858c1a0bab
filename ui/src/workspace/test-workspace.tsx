/** For tests: renders components inside of a workspace of their own. */
import { type RenderOptions, type RenderResult, render } from "@testing-library/react";
import type { ReactElement, ReactNode } from "react";
import type { Command } from "./command";
import { WorkspaceProvider } from "./context";
import { createWorkspace, type Workspace } from "./workspace";

type Options = { workspace?: Workspace; commands?: readonly Command[] };

export function withWorkspace({
  workspace = createWorkspace(),
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
