import { Button } from "@/design/controls/Button";
import { formatCount } from "@/run/values/format";
import { useWorkspace } from "@/workspace/context";
import { useConversations } from "@/workspace/run-hooks";
import { TEXTS } from "./texts";

/** Says that there are older conversations than the listed ones, and lists them on request. */
export function LoadMore() {
  const workspace = useWorkspace();
  const { list, cut, error } = useConversations((conversations) => conversations);
  if (!cut || error) return null;
  return (
    <p
      className="flex shrink-0 items-center gap-2 border-line border-t px-2.5 py-1.5 text-fg-3 text-xs"
      data-testid="conversations-cut"
    >
      Showing the latest {formatCount(list.length)} conversations
      <Button className="ml-auto" onClick={() => workspace.conversations.loadMore()}>
        {TEXTS.showOlder}
      </Button>
    </p>
  );
}
