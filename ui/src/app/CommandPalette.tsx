import { Dialog } from "@base-ui/react/dialog";
import { CornerDownRight } from "lucide-react";
import { addNodeOf } from "@/canvas/add";
import { reveal } from "@/canvas/reveal";
import { useNodeTypes } from "@/flow/node-types";
import { shownFlow, useFlow } from "@/flow/store";
import { Icon } from "@/look/Icon";
import { Keys } from "@/look/Keys";
import { MenuGroup, MenuItem, MenuList } from "@/look/Menu";
import { TypeBadge } from "@/palette/TypeBadge";
import { GROUPS } from "./command";
import { COMMANDS } from "./commands";
import { hidePalette, overlayStore, useOverlays } from "./overlays";

/** Everything one can do, found by typing: commands, node types to add, nodes to go to. */
export function CommandPalette() {
  const open = useOverlays((state) => state.palette);
  return (
    <Dialog.Root open={open} onOpenChange={(next) => !next && hidePalette()}>
      <Dialog.Portal>
        <Dialog.Backdrop className="fixed inset-0 z-40 bg-black/20" />
        <Dialog.Popup
          className="pop fixed top-[14%] left-1/2 z-40 w-[560px] max-w-[92vw] -translate-x-1/2"
          data-testid="command-palette"
          aria-label="Find a command or a node"
        >
          {open ? <Everything /> : null}
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

/** Closes first: what follows may move the keyboard's focus elsewhere. */
function after(run: () => unknown): () => void {
  return () => {
    hidePalette();
    requestAnimationFrame(() => void run());
  };
}

function Everything() {
  const types = useNodeTypes((known) => known.list);
  const byType = useNodeTypes((known) => known.byType);
  const flow = useFlow(shownFlow);
  const usable = COMMANDS.filter((one) => !one.keyOnly && one.id !== "help.palette" && (one.enabled?.() ?? true));
  return (
    <MenuList
      label="Commands and nodes"
      placeholder="Type a command, a node type or a node’s name"
      empty="Nothing is called that."
    >
      <MenuGroup heading="Add a node">
        {types.map((type) => (
          <MenuItem
            key={type.type}
            value={`Add ${type.title}`}
            terms={[...type.terms, type.summary]}
            testId={`command-add-${type.type}`}
            onChoose={after(() => addNodeOf(type.type, overlayStore.getState().paletteAt))}
          >
            <TypeBadge type={type} />
            <span className="shrink-0">Add {type.title}</span>
            <span className="ml-auto truncate pl-3 text-fg-3 text-xs">{type.summary}</span>
          </MenuItem>
        ))}
      </MenuGroup>
      {GROUPS.map((group) => {
        const commands = usable.filter((one) => one.group === group);
        return commands.length === 0 ? null : (
          <MenuGroup key={group} heading={group}>
            {commands.map((one) => (
              <MenuItem
                key={one.id}
                value={one.title}
                terms={one.terms}
                testId={`command-${one.id}`}
                onChoose={after(one.run)}
              >
                <span className="flex-1">{one.title}</span>
                {one.keys?.[0] ? <Keys keys={one.keys[0]} /> : null}
              </MenuItem>
            ))}
          </MenuGroup>
        );
      })}
      <MenuGroup heading="Go to a node">
        {Object.entries(flow.nodes)
          .slice(0, 300)
          .map(([id, node]) => (
            <MenuItem
              key={id}
              value={`Go to ${node.title ?? byType.get(node.type)?.title ?? node.type} ${id}`}
              terms={[node.type]}
              onChoose={after(() => reveal({ node: id, centre: true }))}
            >
              <Icon name={byType.get(node.type)?.icon ?? "circle-question-mark"} className="text-fg-3" />
              <span className="truncate">{node.title ?? byType.get(node.type)?.title ?? node.type}</span>
              <span className="text-fg-3 text-xs">{id}</span>
              <CornerDownRight size={13} className="ml-auto text-fg-3" aria-hidden />
            </MenuItem>
          ))}
      </MenuGroup>
    </MenuList>
  );
}
