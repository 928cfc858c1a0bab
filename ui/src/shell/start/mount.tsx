import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { registerCanvas } from "@/canvas/register";
import { preloadMarkdown } from "@/design/markdown/Markdown";
import type { Host } from "@/ipc";
import { App } from "@/shell/App";
import { COMMANDS } from "@/shell/commands";
import { WorkspaceProvider } from "@/workspace/context";
import { createWorkspace } from "@/workspace/workspace";
import { start } from "./start";
import { waitForHost } from "./wait-for-host";
import "@xyflow/react/dist/base.css";
import "@/design/design.css";

/** Waits for the host, creates the workspace of a window, loads what the first render needs and renders. */
export async function mount(host: Host): Promise<void> {
  const element = document.getElementById("root");
  if (!element) return;
  const root = createRoot(element);
  if (!(await waitForHost(host, root))) return;
  const workspace = createWorkspace(host);
  registerCanvas(workspace);
  await start(workspace);
  root.render(
    <StrictMode>
      <WorkspaceProvider workspace={workspace} commands={COMMANDS}>
        <App />
      </WorkspaceProvider>
    </StrictMode>,
  );
  // After the first paint.
  requestAnimationFrame(() => setTimeout(preloadMarkdown));
}
