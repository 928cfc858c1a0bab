import { useRef } from "react";
import type { NodeId } from "@/bindings";
import { loopKind } from "@/canvas/cards/loop-summary";
import { nodeElement } from "@/canvas/select/keyboard-navigation";
import { TEXTS } from "@/canvas/texts";
import { MenuGroup, MenuItem, MenuList } from "@/design/controls/Menu";
import { Dialog, DialogTitle } from "@/design/dialogs/Dialog";
import { TypeBadge } from "@/design/icons/Icon";
import { useCanvas, useNodeTypes, useWorkspace } from "@/workspace/context";
import { loopsFor, moveIntoLoop } from "./loop-commands";

/** Choosing the loop that the selected nodes are moved into, from the keyboard. */
export function MoveIntoDialog() {
  const { canvas } = useWorkspace();
  const moved = useCanvas((state) => state.movingInto);
  const first = useRef<NodeId>(undefined);
  if (moved) first.current = moved[0];
  const close = () => canvas.set({ movingInto: undefined });
  return (
    <Dialog
      open={moved !== undefined}
      onClose={close}
      place="list"
      testId="move-into-dialog"
      className="w-[440px]"
      finalFocus={() => (first.current === undefined ? undefined : nodeElement(first.current))}
    >
      <DialogTitle className="px-3 pt-2.5 font-semibold">{TEXTS.moveIntoLoop}</DialogTitle>
      {moved ? <Loops moved={moved} close={close} /> : null}
    </Dialog>
  );
}

function Loops({ moved, close }: { moved: readonly NodeId[]; close: () => void }) {
  const workspace = useWorkspace();
  const { editor, nodeNames } = workspace;
  const types = useNodeTypes((all) => all);
  const { flow } = editor.state;
  return (
    <MenuList label={TEXTS.loops} placeholder={TEXTS.searchLoops} empty={TEXTS.noMatches}>
      <MenuGroup heading={TEXTS.loops}>
        {loopsFor(workspace, moved).map((id) => {
          const node = flow.nodes[id];
          const type = types.byType.get(node?.type ?? "");
          return (
            <MenuItem
              key={id}
              value={`${nodeNames.nameOf(id)} (${id})`}
              testId={`move-into-${id}`}
              onChoose={() => {
                moveIntoLoop(workspace, moved, id);
                close();
              }}
            >
              {type ? <TypeBadge type={type} /> : null}
              <span className="truncate">{nodeNames.nameOf(id)}</span>
              <span className="ml-auto truncate pl-3 text-fg-3 text-xs">{node ? loopKind(node) : ""}</span>
            </MenuItem>
          );
        })}
      </MenuGroup>
    </MenuList>
  );
}
