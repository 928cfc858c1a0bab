import { CircleAlert, Crosshair, TriangleAlert } from "lucide-react";
import { Button } from "@/design/controls/Button";
import { Empty } from "@/design/text/Empty";
import { ErrorMessage } from "@/design/text/ErrorMessage";
import { useWorkspace } from "@/workspace/context";
import { ErrorActionButton, ErrorHelpButton } from "@/workspace/errors/ErrorActionButton";
import { QuickFixButton } from "@/workspace/errors/QuickFixButton";
import { type Problem, placeOf, useProblems } from "./problem-list";
import { TEXTS } from "./texts";

/** Everything that is wrong with the flow or its run: what, what to do, and the way there. */
export function ProblemsTab() {
  const problems = useProblems();
  if (problems.length === 0) {
    return (
      <Empty title={TEXTS.noProblems}>
        <p>{TEXTS.problemsFlowRunAppear}</p>
      </Empty>
    );
  }
  return (
    <ul className="h-full overflow-auto py-1" data-testid="problems">
      {problems.map((problem) => (
        <ProblemRow key={problem.key} problem={problem} />
      ))}
    </ul>
  );
}

function ProblemRow({ problem }: { problem: Problem }) {
  const workspace = useWorkspace();
  const place = placeOf(problem, workspace.nodeNames);
  const error = problem.severity === "error";
  const Sign = error ? CircleAlert : TriangleAlert;
  const show = () => {
    workspace.canvas.reveal({ node: problem.node, edge: problem.edge });
    if (problem.node !== undefined && problem.epoch) workspace.epochChoice.choose(problem.node, problem.epoch);
  };
  return (
    <li
      className="flex items-start gap-2.5 px-3.5 py-2 hover:bg-bg-3/50"
      data-testid="problem"
      data-code={problem.code}
    >
      <Sign size={15} className={`mt-0.5 shrink-0 ${error ? "text-bad" : "text-wait"}`} aria-label={problem.severity} />
      <ErrorMessage error={problem} plain note={problem.ofRun ? TEXTS.thisRun : ""} className="flex-1" />
      <ErrorActionButton error={problem} />
      {problem.ofRun ? null : <QuickFixButton finding={problem} />}
      {place ? (
        <Button onClick={show} title={TEXTS.showOnCanvas(place)} className="max-w-[40%]">
          <Crosshair size={13} aria-hidden /> <span className="truncate">{place}</span>
        </Button>
      ) : null}
      <ErrorHelpButton code={problem.code} />
    </li>
  );
}
