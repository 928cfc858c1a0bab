import { ContextMenu } from "@base-ui/react/context-menu";
import {
  AlignCenterHorizontal,
  AlignCenterVertical,
  AlignEndHorizontal,
  AlignEndVertical,
  AlignHorizontalDistributeCenter,
  AlignStartHorizontal,
  AlignStartVertical,
  AlignVerticalDistributeCenter,
  Ban,
  Check,
} from "lucide-react";
import { type MouseEvent, type ReactElement, useState } from "react";
import { CANVAS_COLORS } from "@/bindings/constants";
import { addRoutePoint, routeRefusal } from "@/canvas/edges/route-commands";
import { frameIdOf } from "@/canvas/elements/frame-ids";
import { TEXTS } from "@/canvas/texts";
import { MenuPortal } from "@/design/controls/Menu";
import { Keys } from "@/design/keys/Keys";
import { tint } from "@/flow/edits/canvas-colors";
import type { Command } from "@/workspace/commands/command";
import { useCommands, useWorkspace } from "@/workspace/context";
import { colorCommands } from "./edit-commands";
import { breakpointOfEdge, breakpointOfHandle } from "./port-breakpoints";

const LOOP_COMMANDS = ["loop.fold", "loop.wrap", "loop.moveInto", "loop.moveOut", "loop.ungroup"];
const ON_NODES = [
  "edit.rename",
  "frame.add",
  "edit.connect",
  "edit.disable",
  "edit.trigger",
  "pin.set",
  "pin.edit",
  "pin.remove",
  "innerFlow.edit",
  "subflow.convert",
  "subflow.dissolve",
  ...LOOP_COMMANDS,
  "edit.cut",
  "edit.copy",
  "edit.duplicate",
  "edit.delete",
];
const ON_PANE = [
  "edit.paste",
  "edit.selectAll",
  "arrange.tidy",
  "arrange.guides",
  "arrange.grid",
  "view.fit",
  "image.copy",
  "image.exportSvg",
];
/** How several nodes can be arranged, each with its icon. */
const ARRANGE = [
  ["arrange.left", AlignStartVertical],
  ["arrange.center", AlignCenterVertical],
  ["arrange.right", AlignEndVertical],
  ["arrange.top", AlignStartHorizontal],
  ["arrange.middle", AlignCenterHorizontal],
  ["arrange.bottom", AlignEndHorizontal],
  ["arrange.horizontal", AlignHorizontalDistributeCenter],
  ["arrange.vertical", AlignVerticalDistributeCenter],
] as const;

/** What the menu offers; with a reason, it cannot be done now. */
type MenuEntry = Command & { reason?: string };

/** The menu under the right mouse button: what can be done with what was clicked. */
export function CanvasMenu({ children }: { children: ReactElement<Record<string, unknown>> }) {
  const workspace = useWorkspace();
  const commands = useCommands();
  const [items, setItems] = useState<readonly MenuEntry[]>([]);
  const [onNode, setOnNode] = useState(false);
  const prepare = (event: MouseEvent) => {
    const target = event.target instanceof Element ? event.target : undefined;
    const element = target?.closest<HTMLElement>(".react-flow__node")?.dataset.id;
    const frame = element === undefined ? undefined : frameIdOf(element);
    const node = frame === undefined ? element : undefined;
    const edge = target?.closest<HTMLElement>(".react-flow__edge")?.dataset.id;
    const { editor, canvas } = workspace;
    const { selection } = editor.state;
    if (node !== undefined && !selection.nodes.has(node)) editor.selectOnly({ nodes: [node] });
    if (frame !== undefined && !selection.frames?.has(frame)) editor.selectOnly({ frames: [frame] });
    if (edge !== undefined && !selection.edges.has(edge)) editor.selectOnly({ edges: [edge] });
    const at = canvas.instance?.screenToFlowPosition({ x: event.clientX, y: event.clientY });
    const add: Command = {
      id: "menu.add",
      title: TEXTS.addNodeMenu,
      group: "Edit",
      run: () => workspace.overlays.showPalette(at),
    };
    setOnNode(element !== undefined);
    if (element !== undefined) {
      const runs = commands.list.filter(
        (one) => node !== undefined && one.group === "Run" && one.terms?.includes("node"),
      );
      const handle = target?.closest<HTMLElement>(".react-flow__handle");
      const pause = handle ? breakpointOfHandle(workspace, handle) : undefined;
      setItems(
        [...(pause ? [pause] : []), ...runs, ...ON_NODES.map((id) => commands.get(id))].filter((one) =>
          commands.isEnabled(one),
        ),
      );
    } else if (edge !== undefined) {
      const addPoint: MenuEntry = {
        ...commands.get("edge.addPoint"),
        run: () => addRoutePoint(workspace, edge, at),
        reason: routeRefusal(workspace, edge),
      };
      const others = [commands.get("edge.clearPoints"), commands.get("edit.delete")];
      const mayAddPoint = addPoint.reason !== undefined || commands.isEnabled(addPoint);
      const pause = breakpointOfEdge(workspace, edge);
      const enabled = [...(pause ? [pause] : []), ...others.filter((one) => commands.isEnabled(one))];
      setItems(mayAddPoint && !editor.state.viewing ? [addPoint, ...enabled] : enabled);
    } else setItems([add, ...ON_PANE.map((id) => commands.get(id))].filter((one) => commands.isEnabled(one)));
  };
  return (
    <ContextMenu.Root>
      <ContextMenu.Trigger className="h-full" onContextMenu={prepare}>
        {children}
      </ContextMenu.Trigger>
      <MenuPortal>
        <ContextMenu.Positioner className="z-40">
          <ContextMenu.Popup className="pop min-w-[200px] p-1 outline-none" data-testid="canvas-menu">
            {items.map((item) => (
              <ContextMenu.Item
                key={item.id}
                className="menu-item"
                data-testid={`menu-${item.id}`}
                disabled={item.reason !== undefined}
                onClick={() => commands.run(item)}
              >
                <span className="flex-1">
                  {item.title}
                  {item.reason ? <span className="block max-w-[240px] text-fg-3 text-xs">{item.reason}</span> : null}
                </span>
                {item.checked?.(workspace) ? <Check size={14} className="text-fg-2" aria-label={TEXTS.on} /> : null}
                {item.keys?.[0] ? <Keys keys={item.keys[0]} /> : null}
              </ContextMenu.Item>
            ))}
            {onNode ? <ColorRow /> : null}
            {onNode ? <ArrangeRow /> : null}
          </ContextMenu.Popup>
        </ContextMenu.Positioner>
      </MenuPortal>
    </ContextMenu.Root>
  );
}

/** The colors that the selected nodes can have. */
function ColorRow() {
  const workspace = useWorkspace();
  const commands = useCommands();
  return (
    <ContextMenu.Group className="arrange-row" aria-label={TEXTS.color}>
      {colorCommands.map((command, index) => (
        <ContextMenu.Item
          key={command.id}
          className="swatch"
          data-testid={`menu-${command.id}`}
          data-pressed={command.checked?.(workspace) || undefined}
          aria-label={command.title}
          title={command.title}
          onClick={() => commands.run(command)}
        >
          {index === 0 ? <Ban size={14} aria-hidden /> : <i style={{ background: tint(CANVAS_COLORS[index - 1]) }} />}
        </ContextMenu.Item>
      ))}
    </ContextMenu.Group>
  );
}

/** Aligning and distributing, where several nodes are selected. */
function ArrangeRow() {
  const commands = useCommands();
  if (!commands.isEnabled(commands.get("arrange.left"))) return null;
  return (
    <ContextMenu.Group className="arrange-row" aria-label={TEXTS.arrange}>
      {ARRANGE.map(([id, Sign]) => {
        const command = commands.get(id);
        return (
          <ContextMenu.Item
            key={id}
            className="arrange-item"
            data-testid={`menu-${id}`}
            aria-label={command.title}
            title={command.title}
            disabled={!commands.isEnabled(command)}
            onClick={() => commands.run(command)}
          >
            <Sign size={15} aria-hidden />
          </ContextMenu.Item>
        );
      })}
    </ContextMenu.Group>
  );
}
