import { BookOpen, CircleUser, CornerDownRight, FolderOpen } from "lucide-react";
import { MenuGroup, MenuItem, MenuList, rank, useMenuSearch } from "@/design/controls/Menu";
import { Dialog } from "@/design/dialogs/Dialog";
import { Icon, TypeBadge } from "@/design/icons/Icon";
import { Keys } from "@/design/keys/Keys";
import { plain } from "@/design/markdown/plain-text";
import { displayedFlow, fileName } from "@/flow/document/flow-state";
import { TEXTS } from "@/shell/texts";
import { type Command, GROUPS } from "@/workspace/commands/command";
import { useCommands, useFlow, useNodeTypes, useOverlays, useUsers, useWorkspace } from "@/workspace/context";
import { useFlowList } from "@/workspace/useFlowList";
import { recentCommands, rememberCommand } from "./recent-commands";

/** Everything one can do, found by typing: commands, node types to add, flows to open, nodes to go to. */
export function CommandPalette() {
  const workspace = useWorkspace();
  const open = useOverlays((state) => state.palette);
  const onlyNodes = useOverlays((state) => state.paletteLists === "nodes");
  return (
    <Dialog
      open={open}
      onClose={() => workspace.overlays.hidePalette()}
      onClosed={() => workspace.overlays.paletteClosed()}
      place="list"
      testId="command-palette"
      className="w-[560px]"
      label={onlyNodes ? TEXTS.searchThisFlow : TEXTS.commandPalette}
    >
      {open ? onlyNodes ? <NodesOfFlow /> : <Everything /> : null}
    </Dialog>
  );
}

/** Returns a function that closes the palette before it does something. `now` does it at once. */
function useAfterClosing(): (act: () => unknown, now?: boolean) => () => void {
  const { overlays } = useWorkspace();
  return (act, now) => () => {
    overlays.hidePalette(now ? undefined : act);
    if (now) act();
  };
}

function Everything() {
  const workspace = useWorkspace();
  const commands = useCommands();
  const after = useAfterClosing();
  const types = useNodeTypes((known) => known.list);
  const usable = commands.list.filter((one) => !one.keyOnly && one.id !== "help.palette" && commands.isEnabled(one));
  const titles = new Map(types.map(({ title }) => [TEXTS.addType(title), title]));
  return (
    <MenuList
      label={TEXTS.commandsAndNodes}
      placeholder={TEXTS.searchCommandsNodes}
      empty={TEXTS.noMatches}
      typeAhead={workspace.overlays.typeAhead}
      filter={(value, search, terms) => rankNamed(titles.get(value), search) || rank(value, search, terms)}
    >
      <RecentCommands commands={usable} />
      <MenuGroup heading={TEXTS.addNode}>
        {types.map((type) => (
          <MenuItem
            key={type.type}
            value={TEXTS.addType(type.title)}
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
              <CommandItem key={one.id} command={one} value={one.title} testId={`command-${one.id}`} />
            ))}
          </MenuGroup>
        );
      })}
      <FlowsToOpen />
      <OtherUsers />
      <NodesToGoTo />
    </MenuList>
  );
}

type CommandItemProps = { command: Command; value: string; testId: string };

function CommandItem({ command, value, testId }: CommandItemProps) {
  const workspace = useWorkspace();
  const commands = useCommands();
  const after = useAfterClosing();
  const choose = () => {
    rememberCommand(workspace.settings, command.id);
    return commands.run(command);
  };
  return (
    <MenuItem value={value} terms={command.terms} testId={testId} onChoose={after(choose, command.needsGesture)}>
      <span className="flex-1">{command.title}</span>
      {command.checked ? <OnOff on={command.checked(workspace)} /> : null}
      {command.keys?.[0] ? <Keys keys={command.keys[0]} /> : null}
    </MenuItem>
  );
}

/** What was chosen last comes first until something is typed. */
function RecentCommands({ commands }: { commands: readonly Command[] }) {
  const { settings } = useWorkspace();
  const search = useMenuSearch();
  const recent = recentCommands(settings).flatMap((id) => commands.find((one) => one.id === id) ?? []);
  if (search !== "" || recent.length === 0) return null;
  return (
    <MenuGroup heading={TEXTS.recentCommands}>
      {recent.map((one) => (
        <CommandItem key={one.id} command={one} value={`recent ${one.title}`} testId={`command-recent-${one.id}`} />
      ))}
    </MenuGroup>
  );
}

function NodesOfFlow() {
  const { overlays } = useWorkspace();
  return (
    <MenuList
      label={TEXTS.searchThisFlow}
      placeholder={TEXTS.searchThisFlow}
      empty={TEXTS.noMatches}
      typeAhead={overlays.typeAhead}
    >
      <NodesToGoTo />
    </MenuList>
  );
}

function OnOff({ on }: { on: boolean }) {
  return <span className="text-fg-3 text-xs">{on ? TEXTS.on : TEXTS.off}</span>;
}

/** A node type comes before everything else if each word is the start of one in its title; its whole title comes first. */
function rankNamed(title: string | undefined, search: string): number {
  if (title === undefined) return 0;
  if (title.toLowerCase() === search.trim().toLowerCase()) return 3;
  const score = rank(title, search);
  return score >= 0.8 ? 1 + score : 0;
}

/** The flows that were opened lately, and the examples. */
function FlowsToOpen() {
  const { files } = useWorkspace();
  const after = useAfterClosing();
  const recent = useFlowList("flow.recent");
  const examples = useFlowList("flow.examples");
  const found = recent.filter((flow) => !flow.missing);
  return (
    <>
      {found.length === 0 ? null : (
        <MenuGroup heading={TEXTS.recentFlows}>
          {found.map(({ name, path }) => (
            <MenuItem
              key={path}
              value={`${TEXTS.openNamed(name || fileName(path))} ${path}`}
              terms={["flow", "recent"]}
              testId={`command-recent-${path}`}
              onChoose={after(() => files.openPath(path))}
            >
              <FolderOpen size={14} className="shrink-0 text-fg-3" aria-hidden />
              <span className="shrink-0">{TEXTS.openNamed(name || fileName(path))}</span>
              <span className="ml-auto truncate pl-3 text-fg-3 text-xs">{path}</span>
            </MenuItem>
          ))}
        </MenuGroup>
      )}
      {examples.length === 0 ? null : (
        <MenuGroup heading={TEXTS.examples}>
          {examples.map(({ id, title, description }) => (
            <MenuItem
              key={id}
              value={TEXTS.openExample(title)}
              terms={["flow", description]}
              testId={`command-example-${id}`}
              onChoose={after(() => files.openExample(id))}
            >
              <BookOpen size={14} className="shrink-0 text-fg-3" aria-hidden />
              <span className="shrink-0">{TEXTS.openExample(title)}</span>
              <span className="ml-auto truncate pl-3 text-fg-3 text-xs">{plain(description)}</span>
            </MenuItem>
          ))}
        </MenuGroup>
      )}
    </>
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

/** The matches, in the order of the menu. */
function bestFirst<T extends { value: string; terms: string[] }>(all: readonly T[], search: string): T[] {
  const ranked = all.map((one) => ({ one, score: rank(one.value, search, one.terms) }));
  return ranked
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score)
    .map(({ one }) => one);
}
