import { FileText, X } from "lucide-react";
import { useEffect, useState } from "react";
import type { Attachment } from "@/bindings";
import { formatBytes } from "@/run/values/attachments";
import { useWorkspace } from "./context";

type Props = {
  attachments: readonly Attachment[];
  /** Takes one out of the list; without it, the list can't be changed. */
  onRemove?: (attachment: Attachment) => void;
};

/** Images and files: each with its name and size, an image with a preview. */
export function AttachmentList({ attachments, onRemove }: Props) {
  if (attachments.length === 0) return null;
  return (
    <ul className="mt-1.5 flex flex-wrap gap-1.5" aria-label="Attachments" data-testid="attachments">
      {attachments.map((attachment) => (
        <li
          key={attachment.hash}
          className="flex items-center gap-1.5 rounded-md border border-line bg-bg-2 px-1.5 py-1 text-xs"
          title={`${attachment.name}, ${attachment.mediaType}, ${formatBytes(attachment.bytes)}`}
        >
          <Preview attachment={attachment} />
          <span className="min-w-0">
            <span className="block max-w-48 truncate text-fg">{attachment.name}</span>
            <span className="block text-fg-3">{sizeOf(attachment)}</span>
          </span>
          {onRemove ? (
            <button
              type="button"
              aria-label={`Remove ${attachment.name}`}
              className="inline-flex size-5 items-center justify-center rounded-sm text-fg-3 hover:bg-bg-3 hover:text-fg"
              onClick={() => onRemove(attachment)}
            >
              <X size={12} aria-hidden />
            </button>
          ) : null}
        </li>
      ))}
    </ul>
  );
}

function sizeOf({ bytes, width, height, pages }: Attachment): string {
  const size = formatBytes(bytes);
  if (width !== undefined && height !== undefined) return `${width} × ${height}, ${size}`;
  return pages === undefined ? size : `${pages} ${pages === 1 ? "page" : "pages"}, ${size}`;
}

/** The image, once the host has given its bytes; an icon for everything else. */
function Preview({ attachment }: { attachment: Attachment }) {
  const { host } = useWorkspace();
  const { hash, mediaType, name } = attachment;
  const [url, setUrl] = useState<string>();
  const [missing, setMissing] = useState(false);
  const isImage = mediaType.startsWith("image/");
  useEffect(() => {
    if (!isImage) return;
    let isCurrent = true;
    host.call("attachment.get", { hash }).then(
      ({ data }) => {
        if (isCurrent) setUrl(`data:${mediaType};base64,${data}`);
      },
      () => {
        if (isCurrent) setMissing(true);
      },
    );
    return () => {
      isCurrent = false;
    };
  }, [host, hash, mediaType, isImage]);
  if (missing) return <span className="text-bad">Missing</span>;
  if (url !== undefined) return <img src={url} alt={name} className="max-h-24 max-w-32 rounded-sm" />;
  return <FileText size={16} aria-hidden className="shrink-0 text-fg-3" />;
}
