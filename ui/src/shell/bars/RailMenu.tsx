import { Menu } from "@base-ui/react/menu";
import { CircleQuestionMark, Keyboard, type LucideIcon, Menu as MenuIcon, Settings } from "lucide-react";
import { MenuPortal } from "@/design/controls/Menu";
import { Keys } from "@/design/keys/Keys";
import { PANELS } from "@/panels";
import { TEXTS } from "@/shell/texts";
import { useCommands, useUsers, useWorkspace } from "@/workspace/context";
import { UserItems } from "./UserMenu";

/** The buttons of the bar that have no room there in a tiny window. */
const BAR_COMMANDS = ["flow.open", "flow.save", "edit.undo", "edit.redo"];

/** The rail of a window that has no room for one: a menu of the panels, and of what the top bar leaves out. */
export function RailMenu() {
  const { layout, overlays, remote } = useWorkspace();
  const commands = useCommands();
  const { current } = useUsers((users) => users);
  return (
    <Menu.Root>
      <Menu.Trigger className="rail-button shrink-0" aria-label={TEXTS.menu} data-testid="rail-menu">
        <MenuIcon size={18} aria-hidden />
      </Menu.Trigger>
      <MenuPortal>
        <Menu.Positioner className="z-40" side="bottom" align="start" sideOffset={4}>
          <Menu.Popup className="pop max-h-[var(--available-height)] min-w-[230px] overflow-auto p-1 outline-none">
            {PANELS.map(({ id, title, icon }) => (
              <Item
                key={id}
                id={`rail-${id}`}
                title={title}
                keys={commands.keysOf(`view.${id}`)}
                icon={icon}
                onClick={() => layout.showPanel(id)}
              />
            ))}
            <Menu.Separator className="my-1 border-line border-t" />
            {BAR_COMMANDS.map((id) => {
              const command = commands.get(id);
              return (
                <Item
                  key={id}
                  id={`rail-${id}`}
                  title={command.title}
                  keys={command.keys?.[0]}
                  disabled={!commands.isEnabled(command)}
                  onClick={() => commands.run(command)}
                />
              );
            })}
            <Item
              id="rail-settings"
              title={TEXTS.settings}
              keys={commands.keysOf("view.settings")}
              icon={Settings}
              onClick={() => layout.showSettings()}
            />
            <Item
              id="rail-help"
              title={TEXTS.help}
              keys={commands.keysOf("help.guide")}
              icon={CircleQuestionMark}
              onClick={() => commands.run("help.guide")}
            />
            <Item
              id="rail-shortcuts"
              title={TEXTS.keyboardShortcuts}
              keys={commands.keysOf("help.shortcuts")}
              icon={Keyboard}
              onClick={() => overlays.showShortcuts()}
            />
            {remote ? null : (
              <>
                <Menu.Separator className="my-1 border-line border-t" />
                <Menu.Group>
                  <Menu.GroupLabel className="px-2 pt-1 pb-0.5 text-2xs text-fg-3">
                    {TEXTS.userIs(current)}
                  </Menu.GroupLabel>
                  <UserItems />
                </Menu.Group>
              </>
            )}
          </Menu.Popup>
        </Menu.Positioner>
      </MenuPortal>
    </Menu.Root>
  );
}

type ItemProps = {
  id: string;
  title: string;
  keys?: string;
  icon?: LucideIcon;
  disabled?: boolean;
  onClick: () => void;
};

function Item({ id, title, keys, icon: ItemIcon, disabled, onClick }: ItemProps) {
  return (
    <Menu.Item className="menu-item data-[disabled]:opacity-45" data-testid={id} disabled={disabled} onClick={onClick}>
      <span className="grid w-4 place-items-center">{ItemIcon ? <ItemIcon size={15} aria-hidden /> : null}</span>
      <span className="flex-1">{title}</span>
      {keys ? <Keys keys={keys} /> : null}
    </Menu.Item>
  );
}
