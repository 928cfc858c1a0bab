/** React Flow with as many plain nodes and nothing of ours: what the editor's canvas is compared with. */
import { ReactFlow } from "@xyflow/react";
import { createRoot } from "react-dom/client";
import "@xyflow/react/dist/style.css";
import { gridEdges, gridPositions } from "./grid";

const asked = new URLSearchParams(window.location.search);
const count = Number(asked.get("nodes") ?? "1000");
const zoom = Number(asked.get("zoom") ?? "1");
const nodes = gridPositions(count).map((position, index) => ({
  id: `n${index}`,
  position,
  data: { label: `Node ${index}` },
  style: { width: 206, height: 64 },
}));
const edges = gridEdges(count).map(([source, target]) => ({
  id: `e${source}-${target}`,
  source: `n${source}`,
  target: `n${target}`,
}));

const root = document.getElementById("root");
if (root) {
  createRoot(root).render(
    <ReactFlow
      defaultNodes={nodes}
      defaultEdges={edges}
      defaultViewport={{ x: 40, y: 40, zoom }}
      onlyRenderVisibleElements
      minZoom={0.1}
      proOptions={{ hideAttribution: true }}
    />,
  );
}
