import { ReactFlow, SelectionMode } from "@xyflow/react";
import { type FocusEvent, type MouseEvent, useMemo } from "react";
import { openChild, runsFlow } from "@/run/control/child-run";
import type { CanvasNode, FrameNode } from "@/workspace/canvas-store";
import { useFlow, useLayout, useWorkspace } from "@/workspace/context";
import type { Workspace } from "@/workspace/workspace";
import { QuickAddMenu } from "./add/QuickAddMenu";
import { CanvasControls } from "./CanvasControls";
import { CommentCard } from "./cards/CommentCard";
import { NodeCard } from "./cards/NodeCard";
import { CanvasMenu } from "./commands/CanvasMenu";
import { ComparisonLayer } from "./comparison/ComparisonLayer";
import { ConnectionLine } from "./connect/ConnectionLine";
import { useConnections } from "./connect/useConnections";
import { EmptyCanvas } from "./EmptyCanvas";
import { ConfigReads } from "./edges/ConfigReads";
import { useLitWays } from "./edges/lit-way";
import { PeekPlaces } from "./edges/PeekPlaces";
import { RoutedEdge } from "./edges/RoutedEdge";
import { addRoutePoint } from "./edges/route-commands";
import { StrandEdge } from "./edges/StrandEdge";
import { withFrameElements } from "./elements/frame-elements";
import { FarFrame, FarNode, withFarView } from "./far/FarElement";
import { FarPicture } from "./far/FarPicture";
import { useInPage } from "./far/in-page";
import { haveWholeTitles } from "./far/whole-titles";
import { FrameBox } from "./frames/FrameBox";
import { foldFrame } from "./frames/frame-commands";
import { useLineageLights } from "./lineage-lights";
import { LoopContainer } from "./loops/LoopContainer";
import { AlignmentGuides } from "./move/AlignmentGuides";
import { Minimap } from "./overview/Minimap";
import { selectFocused } from "./select/multi-select";
import { useBoxSelection } from "./select/useBoxSelection";
import { TEXTS } from "./texts";
import { useElements } from "./useElements";
import { AnimationLimit } from "./view/AnimationLimit";
import { Backdrop } from "./view/Backdrop";
import { KeepSelectionInView } from "./view/KeepSelectionInView";
import { useFitNewDocuments } from "./view/useFitNewDocuments";
import { MANY_NODES, MAX_ZOOM, MIN_ZOOM } from "./view/view";
// In the order of the cascade: a later file refines an earlier one.
import "./canvas.css";
import "./cards/card.css";
import "./cards/status-ring.css";
import "./connect/ports.css";
import "./edges/edges.css";
import "./loops/loops.css";
import "./arrange/arrange-menu.css";
import "./cards/comment.css";
import "./view/detail.css";
import "./far/far.css";
import "./overview/overview.css";
import "./select/select.css";
import "./move/guides.css";
import "./frames/frames.css";
import "./cards/node-colors.css";

const NODE_TYPES = {
  card: withFarView<CanvasNode>(NodeCard, FarNode),
  comment: withFarView<CanvasNode>(CommentCard, FarNode),
  loop: withFarView<CanvasNode>(LoopContainer, FarNode),
  frame: withFarView<FrameNode>(FrameBox, FarFrame),
};
const EDGE_TYPES = { strand: StrandEdge, routed: RoutedEdge };
const ADDING_KEYS = ["Shift", "Meta", "Control"];
/** How far the pointer may move while a node is pressed, in pixels: a press that moves less is a click, and one that moves more drags. */
const PRESS_DISTANCE = 2;

/** The canvas: draws the flow and turns what people do on it into edits. */
export function Canvas() {
  const workspace = useWorkspace();
  const { nodes, frames, edges, onNodesChange, onEdgesChange, onDragStart, onDrag, onDragStop } = useElements();
  const connections = useConnections();
  const boxSelection = useBoxSelection();
  const viewing = useFlow((state) => state.viewing !== undefined);
  const hasRoom = useLayout((layout) => layout.size !== "tiny");
  const [drawnNodes, drawnEdges] = useInPage(
    useMemo(() => withFrameElements(frames, nodes), [frames, nodes]),
    edges,
  );
  const section = useLitWays();
  useLineageLights();
  useFitNewDocuments(nodes.length + frames.length, haveWholeTitles);
  return (
    <CanvasMenu>
      <section
        ref={section}
        className="canvas"
        data-testid="canvas"
        data-many={nodes.length > MANY_NODES || undefined}
        aria-label={TEXTS.canvas}
        onFocus={(event) => selectOnKeyboardFocus(event, workspace)}
        onPointerDownCapture={boxSelection.onPress}
      >
        <ReactFlow
          nodes={drawnNodes}
          edges={drawnEdges}
          nodeTypes={NODE_TYPES}
          edgeTypes={EDGE_TYPES}
          onNodesChange={onNodesChange}
          onEdgesChange={onEdgesChange}
          onNodeDragStart={(_, __, all) => onDragStart(all)}
          onNodeDrag={(event, grabbed, all) => onDrag(event, grabbed, all)}
          onNodeDragStop={(event, grabbed, all) => onDragStop(event, grabbed, all)}
          {...boxSelection.handlers}
          onPaneClick={(event) => addOnDoubleClick(event, workspace)}
          onNodeDoubleClick={(_, { id, type, data }) => {
            if (type === "frame") {
              if (data.folded) foldFrame(workspace, data.frameId, false);
            } else if (data.folded) workspace.editor.fold({ nodes: [id] }, false);
            else if (runsFlow(workspace.nodeTypes.all, data.node)) openChild(workspace, id);
            else if (workspace.canvas.state.far) workspace.canvas.reveal({ node: id, center: true });
          }}
          onEdgeDoubleClick={({ clientX: x, clientY: y }, { id }) => {
            if (workspace.editor.mayEdit())
              addRoutePoint(workspace, id, workspace.canvas.instance?.screenToFlowPosition({ x, y }));
          }}
          onMoveEnd={() => workspace.session.viewMoved()}
          onInit={(instance) => workspace.canvas.set({ instance })}
          {...connections}
          connectionLineComponent={ConnectionLine}
          connectionRadius={22}
          nodesDraggable={!viewing}
          nodesConnectable={!viewing}
          edgesReconnectable={!viewing}
          onlyRenderVisibleElements={nodes.length > MANY_NODES}
          minZoom={MIN_ZOOM}
          maxZoom={MAX_ZOOM}
          selectionMode={SelectionMode.Partial}
          multiSelectionKeyCode={ADDING_KEYS}
          deleteKeyCode={null}
          panActivationKeyCode={null}
          zoomOnDoubleClick={false}
          disableKeyboardA11y
          elevateNodesOnSelect={false}
          nodeDragThreshold={PRESS_DISTANCE}
          nodeClickDistance={PRESS_DISTANCE}
          proOptions={{ hideAttribution: true }}
        >
          <Backdrop />
          <FarPicture nodes={nodes} frames={frames} edges={edges} />
          <PeekPlaces nodes={nodes} frames={frames} edges={edges} />
          <ConfigReads nodes={nodes} frames={frames} />
          <ComparisonLayer nodes={nodes} frames={frames} />
          <AlignmentGuides />
          <KeepSelectionInView />
          {nodes.length + frames.length > 0 ? (
            <>
              <CanvasControls />
              {hasRoom ? <Minimap nodes={nodes} frames={frames} /> : null}
            </>
          ) : null}
        </ReactFlow>
        <AnimationLimit />
        <EmptyCanvas />
        <QuickAddMenu />
      </section>
    </CanvasMenu>
  );
}

/** A double click on empty canvas offers what can be added there. */
function addOnDoubleClick(event: MouseEvent, workspace: Workspace): void {
  if (event.detail !== 2) return;
  const { clientX: x, clientY: y } = event;
  const { editor, canvas, overlays } = workspace;
  if (editor.mayEdit()) overlays.showPalette(canvas.instance?.screenToFlowPosition({ x, y }));
}

/** A node or an edge that is reached with the keyboard, not with the pointer, is selected. */
function selectOnKeyboardFocus(event: FocusEvent, workspace: Workspace): void {
  if (event.target.matches(":focus-visible")) selectFocused(workspace, event.target);
}
