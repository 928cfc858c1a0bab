import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { App } from "@/app/App";
import { connect } from "@/ipc";
import "@xyflow/react/dist/style.css";
import "@/look/look.css";

const root = document.getElementById("root");
if (root) {
  await connect();
  createRoot(root).render(
    <StrictMode>
      <App />
    </StrictMode>,
  );
}
