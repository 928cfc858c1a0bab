import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { App } from "@/app/App";
import { start } from "@/app/start";
import { connect } from "@/ipc";
import { preloadMarkdown } from "@/look/Markdown";
import "@xyflow/react/dist/base.css";
import "@/look/look.css";

const root = document.getElementById("root");
if (root) {
  await connect();
  await start();
  createRoot(root).render(
    <StrictMode>
      <App />
    </StrictMode>,
  );
  // After the first paint.
  requestAnimationFrame(() => setTimeout(preloadMarkdown));
}
