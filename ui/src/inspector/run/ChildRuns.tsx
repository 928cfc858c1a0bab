import { CornerDownRight } from "lucide-react";
import { Button } from "@/design/controls/Button";
import type { EpochView } from "@/run/fold/types";
import { useWorkspace } from "@/workspace/context";
import { Section } from "./Section";
import { TEXTS } from "./texts";

/** The runs that this activation began, one for each try: each opens on the canvas. */
export function ChildRuns({ view }: { view: EpochView }) {
  const workspace = useWorkspace();
  const children = view.children ?? [];
  if (children.length === 0) return null;
  return (
    <Section title={children.length === 1 ? TEXTS.subFlow : TEXTS.subFlowAttempts}>
      <div className="flex flex-wrap gap-1.5">
        {children.map((run, index) => (
          <Button key={run} data-testid={`open-child-${index}`} onClick={() => void workspace.runs.open(run)}>
            <CornerDownRight size={14} aria-hidden />
            {children.length === 1 ? TEXTS.openRun : `Open attempt ${index + 1}`}
          </Button>
        ))}
      </div>
    </Section>
  );
}
