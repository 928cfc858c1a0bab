import { Menu } from "@base-ui/react/menu";
import { Brain, Check, CircleUser } from "lucide-react";
import { MenuPortal } from "@/design/controls/Menu";
import { TEXTS } from "@/shell/texts";
import { useUsers, useWorkspace } from "@/workspace/context";

/** The current user, at the end of the rail: a menu to switch to another one. */
export function UserMenu() {
  const { current } = useUsers((users) => users);
  return (
    <Menu.Root>
      <Menu.Trigger
        className="rail-button"
        aria-label={TEXTS.userIs(current)}
        title={TEXTS.userIs(current)}
        data-testid="rail-user"
      >
        <CircleUser size={18} aria-hidden />
      </Menu.Trigger>
      <MenuPortal>
        <Menu.Positioner className="z-40" side="right" align="end" sideOffset={6}>
          <Menu.Popup className="pop max-h-[60vh] min-w-[180px] overflow-auto p-1 outline-none" data-testid="user-menu">
            <UserItems />
          </Menu.Popup>
        </Menu.Positioner>
      </MenuPortal>
    </Menu.Root>
  );
}

/** The users to switch to, as items of a menu. */
export function UserItems() {
  const workspace = useWorkspace();
  const { current, names } = useUsers((users) => users);
  return (
    <>
      {names.map((name) => (
        <Menu.Item
          key={name}
          className="menu-item"
          data-testid={`user-${name}`}
          onClick={() => void workspace.users.switchTo(name)}
        >
          <Check size={14} aria-hidden className={name === current ? "" : "invisible"} />
          <span className="min-w-0 flex-1 truncate">{name}</span>
        </Menu.Item>
      ))}
      <Menu.Separator className="my-1 border-line border-t" />
      <Menu.Item className="menu-item" data-testid="user-manage" onClick={() => workspace.layout.showPanel("memory")}>
        <Brain size={14} aria-hidden />
        <span className="flex-1">{TEXTS.memoryAndUsers}</span>
      </Menu.Item>
    </>
  );
}
