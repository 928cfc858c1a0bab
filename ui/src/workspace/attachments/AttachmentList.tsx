import { FileText, X } from "lucide-react";
import { useEffect, useState } from "react";
import type { Attachment } from "@/bindings";
import { formatBytes, isImage } from "@/run/values/attachments";
import { useWorkspace } from "../context";

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

function Preview({ attachment }: { attachment: Attachment }) {
  if (isImage(attachment)) return <AttachmentImage attachment={attachment} className="max-h-24 max-w-32" />;
  return <FileIcon />;
}

function FileIcon() {
  return <FileText size={16} aria-hidden className="shrink-0 text-fg-3" />;
}

/** An image, once the host has given its bytes. */
export function AttachmentImage({ attachment, className = "" }: { attachment: Attachment; className?: string }) {
  const { host } = useWorkspace();
  const { hash, mediaType, name } = attachment;
  const [url, setUrl] = useState<string>();
  const [missing, setMissing] = useState(false);
  useEffect(() => {
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
  }, [host, hash, mediaType]);
  if (missing) return <span className="text-bad">Missing</span>;
  if (url === undefined) return <FileIcon />;
  return <img src={url} alt={name} className={`rounded-sm ${className}`} draggable={false} />;
}
