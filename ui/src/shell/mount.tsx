import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { preloadMarkdown } from "@/design/Markdown";
import { connect, type Host } from "@/ipc";
import { WorkspaceProvider } from "@/workspace/context";
import { createWorkspace } from "@/workspace/workspace";
import { App } from "./App";
import { COMMANDS } from "./commands";
import { start } from "./start";
import "@xyflow/react/dist/base.css";
import "@/design/design.css";

/** Connects the window to a host, loads what the first render needs and renders. */
export async function mount(host: Host): Promise<void> {
  const root = document.getElementById("root");
  if (!root) return;
  connect(host);
  const workspace = createWorkspace();
  await start(workspace);
  createRoot(root).render(
    <StrictMode>
      <WorkspaceProvider workspace={workspace} commands={COMMANDS}>
        <App />
      </WorkspaceProvider>
    </StrictMode>,
  );
  // After the first paint.
  requestAnimationFrame(() => setTimeout(preloadMarkdown));
}
