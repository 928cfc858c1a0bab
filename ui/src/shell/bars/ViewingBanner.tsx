import { ChevronRight } from "lucide-react";
import { Button } from "@/design/controls/Button";
import { TEXTS } from "@/shell/texts";
import { useFlow, useWorkspace } from "@/workspace/context";

/** Shows that a run is on the canvas, with its parent runs and the way back. */
export function ViewingBanner() {
  const workspace = useWorkspace();
  const viewing = useFlow((state) => state.viewing);
  if (!viewing) return null;
  const above = viewing.above ?? [];
  return (
    <div
      className="flex shrink-0 items-center justify-center gap-3 border-line border-b bg-bg-1 px-3 py-1.5"
      role="status"
      data-testid="viewing-banner"
    >
      {above.length === 0 ? (
        <span className="truncate">
          {TEXTS.viewingRun} <b className="font-semibold">{viewing.label}</b>
        </span>
      ) : (
        <nav className="flex min-w-0 items-center gap-1" aria-label={TEXTS.parentRuns}>
          {above.map((one, depth) => (
            <span key={one.run} className="flex min-w-0 items-center gap-1">
              <button
                type="button"
                className="truncate rounded text-fg-2 hover:text-fg hover:underline"
                data-testid={`crumb-${depth}`}
                onClick={() => void workspace.runs.open(one.run)}
              >
                {one.label}
              </button>
              <ChevronRight size={13} className="shrink-0 text-fg-3" aria-hidden />
            </span>
          ))}
          <b className="min-w-[12ch] truncate font-semibold" aria-current="page" data-testid="crumb-here">
            {viewing.label}
          </b>
        </nav>
      )}
      <Button data-testid="leave-view" onClick={() => workspace.editor.leaveView()}>
        {TEXTS.backToEditing}
      </Button>
    </div>
  );
}
