import type { ReplySource } from "@/bindings";
import { Select } from "@/design/controls/Select";
import { TEXTS } from "@/shell/texts";

const SOURCES = [
  { id: "earlier", label: TEXTS.repliesEarlier },
  { id: "any", label: TEXTS.repliesAny },
] as const;

type RepliesProps = { replies: ReplySource; onChoose: (replies: ReplySource) => void };

/** Which runs the fork takes replies of models from. */
export function BillReplies({ replies, onChoose }: RepliesProps) {
  return (
    <>
      <span className="text-fg-2" title={TEXTS.repliesHint}>
        {TEXTS.replies}
      </span>
      <Select label={TEXTS.replies} testId="bill-replies" options={SOURCES} value={replies} onChange={onChoose} />
    </>
  );
}
