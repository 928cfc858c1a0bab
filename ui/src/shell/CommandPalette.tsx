import { Dialog } from "@base-ui/react/dialog";
import { CircleUser, CornerDownRight } from "lucide-react";
import { Icon } from "@/design/Icon";
import { Keys } from "@/design/Keys";
import { MenuGroup, MenuItem, MenuList, rank, useMenuSearch } from "@/design/Menu";
import { TypeBadge } from "@/design/TypeBadge";
import { displayedFlow } from "@/flow/flow-state";
import { GROUPS } from "@/workspace/command";
import { useCommands, useFlow, useNodeTypes, useOverlays, useUsers, useWorkspace } from "@/workspace/context";
import { TEXTS } from "./texts";

/** Everything one can do, found by typing: commands, node types to add, nodes to go to. */
export function CommandPalette() {
  const workspace = useWorkspace();
  const open = useOverlays((state) => state.palette);
  return (
    <Dialog.Root open={open} onOpenChange={(next) => !next && workspace.overlays.hidePalette()}>
      <Dialog.Portal>
        <Dialog.Backdrop className="fixed inset-0 z-40 bg-black/20" />
        <Dialog.Popup
          className="pop fixed top-[14%] left-1/2 z-40 w-[560px] max-w-[92vw] -translate-x-1/2"
          data-testid="command-palette"
          aria-label={TEXTS.commandPalette}
        >
          {open ? <Everything /> : null}
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

/** Returns a function that closes the palette before it does something, because that may move the focus elsewhere. */
function useAfterClosing(): (act: () => unknown) => () => void {
  const { overlays } = useWorkspace();
  return (act) => () => {
    overlays.hidePalette();
    requestAnimationFrame(() => void act());
  };
}

function Everything() {
  const workspace = useWorkspace();
  const commands = useCommands();
  const after = useAfterClosing();
  const types = useNodeTypes((known) => known.list);
  const usable = commands.list.filter((one) => !one.keyOnly && one.id !== "help.palette" && commands.isEnabled(one));
  return (
    <MenuList label={TEXTS.commandsAndNodes} placeholder={TEXTS.searchCommandsNodes} empty={TEXTS.noMatches}>
      <MenuGroup heading={TEXTS.addNode}>
        {types.map((type) => (
          <MenuItem
            key={type.type}
            value={`Add ${type.title}`}
            terms={[...type.terms, type.summary]}
            testId={`command-add-${type.type}`}
            onChoose={after(() => workspace.canvas.addNode(type.type, workspace.overlays.store.getState().paletteAt))}
          >
            <TypeBadge type={type} />
            <span className="shrink-0">{TEXTS.addType(type.title)}</span>
            <span className="ml-auto truncate pl-3 text-fg-3 text-xs">{type.summary}</span>
          </MenuItem>
        ))}
      </MenuGroup>
      {GROUPS.map((group) => {
        const listed = usable.filter((one) => one.group === group);
        return listed.length === 0 ? null : (
          <MenuGroup key={group} heading={group}>
            {listed.map((one) => (
              <MenuItem
                key={one.id}
                value={one.title}
                terms={one.terms}
                testId={`command-${one.id}`}
                onChoose={after(() => commands.run(one))}
              >
                <span className="flex-1">{one.title}</span>
                {one.keys?.[0] ? <Keys keys={one.keys[0]} /> : null}
              </MenuItem>
            ))}
          </MenuGroup>
        );
      })}
      <OtherUsers />
      <NodesToGoTo />
    </MenuList>
  );
}

function OtherUsers() {
  const { users } = useWorkspace();
  const after = useAfterClosing();
  const { current, names } = useUsers((known) => known);
  const others = names.filter((name) => name !== current);
  if (others.length === 0) return null;
  return (
    <MenuGroup heading={TEXTS.users}>
      {others.map((name) => (
        <MenuItem
          key={name}
          value={TEXTS.switchTo(name)}
          terms={["switch", "person", "account"]}
          testId={`command-user-${name}`}
          onChoose={after(() => users.switchTo(name))}
        >
          <CircleUser size={14} className="text-fg-3" aria-hidden />
          <span className="truncate">{TEXTS.switchTo(name)}</span>
        </MenuItem>
      ))}
    </MenuGroup>
  );
}

/** More items would make typing slow. */
const MAX_LISTED_NODES = 300;

function NodesToGoTo() {
  const { canvas } = useWorkspace();
  const after = useAfterClosing();
  const byType = useNodeTypes((known) => known.byType);
  const nodes = useFlow((state) => displayedFlow(state).nodes);
  const search = useMenuSearch();
  const all = Object.entries(nodes).map(([id, { type, title }]) => {
    const name = title ?? byType.get(type)?.title ?? type;
    return { id, name, icon: byType.get(type)?.icon, value: `Go to ${name} ${id}`, terms: [type] };
  });
  const displayed = (search === "" ? all : bestFirst(all, search)).slice(0, MAX_LISTED_NODES);
  const heading =
    all.length > MAX_LISTED_NODES ? `Go to node (first ${MAX_LISTED_NODES}, type to filter)` : "Go to node";
  return (
    <MenuGroup heading={heading}>
      {displayed.map(({ id, name, icon, value, terms }) => (
        <MenuItem
          key={id}
          value={value}
          terms={terms}
          testId={`command-go-${id}`}
          onChoose={after(() => canvas.reveal({ node: id, center: true }))}
        >
          <Icon name={icon} className="text-fg-3" />
          <span className="truncate">{name}</span>
          <span className="text-fg-3 text-xs">{id}</span>
          <CornerDownRight size={13} className="ml-auto text-fg-3" aria-hidden />
        </MenuItem>
      ))}
    </MenuGroup>
  );
}

/** Those that match, as the menu itself would order them. */
function bestFirst<T extends { value: string; terms: string[] }>(all: readonly T[], search: string): T[] {
  const ranked = all.map((one) => ({ one, score: rank(one.value, search, one.terms) }));
  return ranked
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score)
    .map(({ one }) => one);
}
