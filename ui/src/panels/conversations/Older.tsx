import { conversationsStore, moreConversations } from "@/conversations/conversation-list";
import { Button } from "@/design/Button";
import { formatCount } from "@/run/values/format";

/** Says that there are older conversations than those listed, and lists them when that is wanted. */
export function Older() {
  const { list, cut, error } = conversationsStore();
  if (!cut || error) return null;
  return (
    <p
      className="flex shrink-0 items-center gap-2 border-line border-t px-2.5 py-1.5 text-fg-3 text-xs"
      data-testid="conversations-cut"
    >
      Showing the latest {formatCount(list.length)} conversations
      <Button className="ml-auto" onClick={moreConversations}>
        Show older
      </Button>
    </p>
  );
}
