import { memo } from "react";
import { attachmentsIn, attachmentsWithin } from "@/run/values/attachments";
import { ValueView } from "@/run/values/ValueView";
import { AttachmentList } from "./AttachmentList";

/** Any value. Images and files are shown as such: in place of the value if it is nothing else, below it if they are inside. */
export const AttachedValue = memo(function AttachedValue({ value, label }: { value: unknown; label: string }) {
  const attachments = attachmentsIn(value);
  if (attachments.length > 0) return <AttachmentList attachments={attachments} />;
  return (
    <>
      <ValueView value={value} label={label} />
      <AttachmentList attachments={attachmentsWithin(value)} />
    </>
  );
});
