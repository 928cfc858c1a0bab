import type { Flow } from "@/bindings";
import { Button } from "@/design/controls/Button";
import { TEXTS } from "@/shell/texts";
import { useWorkspace } from "@/workspace/context";

/** What a person decides about a proposed edit that is compared on the canvas. */
export function ProposalButtons({ proposal, flow }: { proposal: string; flow: Flow }) {
  const { proposals, canvasComparison } = useWorkspace();
  const decide = async (decision: Promise<boolean>) => {
    if (await decision) canvasComparison.clear();
  };
  return (
    <span className="mx-1 flex gap-1.5">
      <Button data-testid="proposal-drop" onClick={() => void decide(proposals.drop(proposal))}>
        {TEXTS.dropProposal}
      </Button>
      <Button kind="main" data-testid="proposal-accept" onClick={() => void decide(proposals.accept(proposal, flow))}>
        {TEXTS.acceptProposal}
      </Button>
    </span>
  );
}
