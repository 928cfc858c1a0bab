/** The conversation as a column of full height, right of everything else. Folded away where it stands in the dock. */
import { PanelBottom } from "lucide-react";
import { useEffect, useRef } from "react";
import { Panel, Separator, usePanelRef } from "react-resizable-panels";
import { IconButton } from "@/design/controls/Button";
import { ConversationTab } from "@/dock/conversation/ConversationTab";
import { OpenQuestions } from "@/dock/conversation/OpenQuestions";
import { isStartPage } from "@/flow/document/flow-state";
import { TEXTS } from "@/shell/texts";
import { useFlow, useLayout, useWorkspace } from "@/workspace/context";
import { showsChat } from "@/workspace/window/layout";

const DEFAULT_WIDTH_PX = 340;

export function ChatColumn() {
  const { layout } = useWorkspace();
  const panelRef = usePanelRef();
  const isStart = useFlow(isStartPage);
  const shown = useLayout(showsChat) && !isStart;
  const width = useRef(DEFAULT_WIDTH_PX);
  useEffect(() => {
    const panel = panelRef.current;
    if (!panel || panel.isCollapsed() === !shown) return;
    // Not `expand`: a column that was never open has no size to go back to.
    if (shown) panel.resize(`${width.current}px`);
    else panel.collapse();
  }, [shown, panelRef]);
  const onResize = (size: { inPixels: number }, _: unknown, before: { inPixels: number } | undefined) => {
    if (size.inPixels > 1) width.current = size.inPixels;
    // A column that was dragged to nothing goes back below.
    if (shown && before !== undefined && before.inPixels > 1 && size.inPixels <= 1) layout.putChat("below");
  };
  return (
    <>
      <Separator className={shown ? "seam" : "seam invisible"} disabled={!shown} aria-label={TEXTS.resizeChat} />
      <Panel
        id="part-chat"
        panelRef={panelRef}
        onResize={onResize}
        defaultSize={`${DEFAULT_WIDTH_PX}px`}
        minSize="290px"
        maxSize="640px"
        groupResizeBehavior="preserve-pixel-size"
        collapsible
        className="bg-bg-1"
      >
        {shown ? (
          <div className="flex h-full flex-col" data-testid="chat-column">
            <header className="flex h-[36px] shrink-0 items-center gap-1.5 border-line border-b pr-1.5 pl-3.5">
              <h2 className="font-semibold text-sm">{TEXTS.chat}</h2>
              <OpenQuestions />
              <span className="flex-1" />
              <IconButton
                label={TEXTS.chatBelow}
                icon={<PanelBottom size={15} aria-hidden />}
                className="!size-7"
                onClick={() => layout.putChat("below")}
              />
            </header>
            <div className="min-h-0 flex-1">
              <ConversationTab alone />
            </div>
          </div>
        ) : null}
      </Panel>
    </>
  );
}
