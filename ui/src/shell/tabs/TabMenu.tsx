import { Menu } from "@base-ui/react/menu";
import { ChevronDown, X } from "lucide-react";
import { MenuPortal } from "@/design/controls/Menu";
import { TEXTS } from "@/shell/texts";
import { useCommands, useWorkspace } from "@/workspace/context";
import { TabDot } from "./TabBar";
import { useTabs } from "./useTabs";

const OTHER_COMMANDS = ["flow.import", "flow.saveTemplate", "window.new"];

/** The open flows as a menu, where the window is too narrow for tabs. */
export function TabMenu() {
  const { documents } = useWorkspace();
  const commands = useCommands();
  const tabs = useTabs();
  // A run that waits behind must not go unnoticed.
  const waiting = tabs.find(({ isShown, status }) => !isShown && status === "waiting");
  return (
    <Menu.Root>
      <Menu.Trigger
        className="inline-flex h-6 shrink-0 items-center gap-1 rounded-sm border border-line bg-bg-2 px-1.5 text-fg-2 text-xs hover:border-line-2 hover:bg-bg-3"
        data-testid="tab-menu"
        aria-label={TEXTS.openFlows}
      >
        {waiting ? <TabDot tab={waiting} /> : null}
        {TEXTS.flowCount(tabs.length)}
        <ChevronDown size={13} aria-hidden />
      </Menu.Trigger>
      <MenuPortal>
        <Menu.Positioner className="z-50" sideOffset={4} align="start">
          <Menu.Popup className="pop max-h-[60vh] min-w-[240px] max-w-[360px] overflow-auto p-1 outline-none">
            {tabs.map((tab) => (
              <Menu.Item key={tab.key} className="menu-item" onClick={() => documents.show(tab.key)}>
                <span className="inline-flex w-3 shrink-0">
                  <TabDot tab={tab} />
                </span>
                <span className={`flex-1 truncate ${tab.isShown ? "font-semibold" : ""}`}>{tab.name}</span>
                {tab.folder ? <span className="text-fg-3 text-xs">{tab.folder}</span> : null}
              </Menu.Item>
            ))}
            <Menu.Separator className="my-1 border-line border-t" />
            <Menu.Item className="menu-item" onClick={() => commands.run("flow.start")}>
              <span className="w-3" /> {TEXTS.newTab}
            </Menu.Item>
            {OTHER_COMMANDS.map((id) => commands.get(id)).map((command) => (
              <Menu.Item
                key={command.id}
                className="menu-item data-[disabled]:opacity-45"
                disabled={!commands.isEnabled(command)}
                onClick={() => commands.run(command)}
              >
                <span className="w-3" /> {command.title}
              </Menu.Item>
            ))}
            <Menu.Item className="menu-item" onClick={() => commands.run("flow.close")}>
              <X size={13} aria-hidden className="-ml-0.5 text-fg-3" /> {commands.get("flow.close").title}
            </Menu.Item>
          </Menu.Popup>
        </Menu.Positioner>
      </MenuPortal>
    </Menu.Root>
  );
}
