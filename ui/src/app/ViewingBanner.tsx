import { leaveView } from "@/flow/actions";
import { useFlow } from "@/flow/store";
import { Button } from "@/look/Button";

/** Says that an earlier run is on the canvas and how to get back to the document. */
export function ViewingBanner() {
  const viewing = useFlow((state) => state.viewing);
  if (!viewing) return null;
  return (
    <div
      className="absolute top-3 left-1/2 z-20 flex max-w-[90%] -translate-x-1/2 items-center gap-3 rounded-lg border border-line-2 bg-bg-1 py-1.5 pr-1.5 pl-3 shadow-pop"
      role="status"
      data-testid="viewing-banner"
    >
      <span className="truncate">
        You are looking at a run: <b className="font-semibold">{viewing.label}</b>
      </span>
      <Button data-testid="leave-view" onClick={leaveView}>
        Back to editing
      </Button>
    </div>
  );
}
