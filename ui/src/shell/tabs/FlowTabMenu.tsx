import { ContextMenu } from "@base-ui/react/context-menu";
import { MenuPortal } from "@/design/controls/Menu";
import { Keys } from "@/design/keys/Keys";
import { copyPath } from "@/shell/commands/flow";
import { TEXTS } from "@/shell/texts";
import { useKeys, useWorkspace } from "@/workspace/context";
import type { FlowTab } from "./useTabs";

/** The menu under the right mouse button of a tab: what can be done with its flow, also while another one is shown. */
export function FlowTabMenu({ tab: { key, path }, isOnly }: { tab: FlowTab; isOnly: boolean }) {
  const { files } = useWorkspace();
  const closeKeys = useKeys("flow.close");
  const item = "menu-item data-[disabled]:opacity-45";
  return (
    <MenuPortal>
      <ContextMenu.Positioner className="z-40">
        <ContextMenu.Popup className="pop min-w-[180px] p-1 outline-none" data-testid="flow-tab-menu">
          <ContextMenu.Item className={item} onClick={() => void files.close(key)}>
            <span className="flex-1">{TEXTS.close}</span>
            {closeKeys ? <Keys keys={closeKeys} /> : null}
          </ContextMenu.Item>
          <ContextMenu.Item className={item} disabled={isOnly} onClick={() => void files.closeOthers(key)}>
            {TEXTS.closeOthers}
          </ContextMenu.Item>
          <ContextMenu.Separator className="my-1 border-line border-t" />
          <ContextMenu.Item className={item} disabled={path === undefined} onClick={() => void copyPath(path)}>
            {TEXTS.copyPath}
          </ContextMenu.Item>
        </ContextMenu.Popup>
      </ContextMenu.Positioner>
    </MenuPortal>
  );
}
