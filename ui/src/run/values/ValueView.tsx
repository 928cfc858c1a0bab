import { Check, Copy } from "lucide-react";
import { memo, useEffect, useState } from "react";
import { notify } from "@/design/dialogs/notify";
import { formatJson } from "@/design/json/exact-json";
import { JsonView } from "@/design/json/JsonView";
import { truncate, truncateText } from "./truncate";

const SCALE_STEP = 10;

/** Any value: texts verbatim, everything else as a tree. Large values are truncated, with more on demand. */
export const ValueView = memo(function ValueView({ value, label }: { value: unknown; label: string }) {
  const [scale, setScale] = useState(1);
  if (typeof value === "string") {
    const { text, left } = truncateText(value, scale);
    return (
      <>
        <p className="whitespace-pre-wrap break-words text-fg text-sm">
          {text}
          {text === "" ? <span className="text-fg-3">Empty</span> : null}
          {left > 0 ? "…" : null}
        </p>
        {left > 0 ? (
          <More what={`${left.toLocaleString("en")} more characters`} onMore={() => setScale(scale * SCALE_STEP)} />
        ) : null}
      </>
    );
  }
  const { value: displayed, left } = truncate(value, scale);
  return (
    <>
      <JsonView value={displayed} label={label} />
      {left > 0 ? <More what="Truncated" onMore={() => setScale(scale * SCALE_STEP)} /> : null}
    </>
  );
});

function More({ what, onMore }: { what: string; onMore: () => void }) {
  return (
    <button type="button" className="mt-1 text-accent text-xs hover:underline" onClick={onMore}>
      {what} · show more
    </button>
  );
}

const COPIED_FEEDBACK_MS = 1200;

/** Copies a value: texts verbatim, everything else as JSON. */
export function CopyButton({ value, label }: { value: unknown; label: string }) {
  const [copied, setCopied] = useState(false);
  useEffect(() => {
    if (!copied) return;
    const timer = setTimeout(() => setCopied(false), COPIED_FEEDBACK_MS);
    return () => clearTimeout(timer);
  }, [copied]);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(typeof value === "string" ? value : (formatJson(value, 2) ?? ""));
      setCopied(true);
    } catch {
      notify.info("Couldn’t write to the clipboard. Select the text and copy it manually.");
    }
  };
  return (
    <button
      type="button"
      aria-label={label}
      title={label}
      className="inline-flex size-6 shrink-0 items-center justify-center rounded-sm text-fg-3 hover:bg-bg-3 hover:text-fg"
      onClick={() => void copy()}
    >
      {copied ? <Check size={13} aria-hidden className="text-ok" /> : <Copy size={13} aria-hidden />}
    </button>
  );
}
