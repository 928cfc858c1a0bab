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
} from "lucide-react";
import { type MouseEvent, type ReactElement, useState } from "react";
import { Keys } from "@/design/Keys";
import type { Command } from "@/workspace/command";
import { useCommands, useWorkspace } from "@/workspace/context";
import { TEXTS } from "./texts";

const LOOP_COMMANDS = ["loop.fold", "loop.wrap", "loop.moveInto", "loop.moveOut", "loop.ungroup"];
const ON_NODES = [
  "edit.rename",
  "edit.connect",
  "edit.disable",
  "innerFlow.edit",
  ...LOOP_COMMANDS,
  "edit.cut",
  "edit.copy",
  "edit.duplicate",
  "edit.delete",
];
const ON_PANE = ["edit.paste", "edit.selectAll", "arrange.tidy", "view.fit", "image.copy", "image.exportSvg"];
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

/** The menu under the right mouse button: what can be done with what was clicked. */
export function CanvasMenu({ children }: { children: ReactElement<Record<string, unknown>> }) {
  const workspace = useWorkspace();
  const commands = useCommands();
  const [items, setItems] = useState<readonly Command[]>([]);
  const [onNode, setOnNode] = useState(false);
  const prepare = (event: MouseEvent) => {
    const target = event.target instanceof Element ? event.target : undefined;
    const node = target?.closest<HTMLElement>(".react-flow__node")?.dataset.id;
    const edge = target?.closest<HTMLElement>(".react-flow__edge")?.dataset.id;
    const { editor, canvas } = workspace;
    const { selection } = editor.state;
    if (node !== undefined && !selection.nodes.has(node)) editor.selectOnly({ nodes: [node] });
    if (edge !== undefined && !selection.edges.has(edge)) editor.selectOnly({ edges: [edge] });
    const at = canvas.instance?.screenToFlowPosition({ x: event.clientX, y: event.clientY });
    const add: Command = {
      id: "menu.add",
      title: TEXTS.addNodeMenu,
      group: "Edit",
      run: () => workspace.overlays.showPalette(at),
    };
    setOnNode(node !== undefined);
    if (node !== undefined) {
      const runs = commands.list.filter((one) => one.group === "Run" && one.terms?.includes("node"));
      setItems([...runs, ...ON_NODES.map((id) => commands.get(id))].filter((one) => commands.isEnabled(one)));
    } else if (edge !== undefined) setItems([commands.get("edit.delete")]);
    else setItems([add, ...ON_PANE.map((id) => commands.get(id))].filter((one) => commands.isEnabled(one)));
  };
  return (
    <ContextMenu.Root>
      <ContextMenu.Trigger className="h-full" onContextMenu={prepare}>
        {children}
      </ContextMenu.Trigger>
      <ContextMenu.Portal>
        <ContextMenu.Positioner className="z-40">
          <ContextMenu.Popup className="pop min-w-[200px] p-1 outline-none" data-testid="canvas-menu">
            {items.map((item) => (
              <ContextMenu.Item
                key={item.id}
                className="menu-item"
                data-testid={`menu-${item.id}`}
                onClick={() => commands.run(item)}
              >
                <span className="flex-1">{item.title}</span>
                {item.keys?.[0] ? <Keys keys={item.keys[0]} /> : null}
              </ContextMenu.Item>
            ))}
            {onNode ? <ArrangeRow /> : null}
          </ContextMenu.Popup>
        </ContextMenu.Positioner>
      </ContextMenu.Portal>
    </ContextMenu.Root>
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
