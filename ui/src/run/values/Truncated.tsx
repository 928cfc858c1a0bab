import { Scissors } from "lucide-react";
import { TEXTS } from "@/run/texts";

/** Stands below a reply without its end. */
export function Truncated({ className = "" }: { className?: string }) {
  return (
    <p
      className={`flex items-center gap-1 text-wait text-xs ${className}`}
      title={TEXTS.truncatedHint}
      data-testid="truncated"
    >
      <Scissors size={12} className="shrink-0" aria-hidden /> {TEXTS.truncated}
    </p>
  );
}
