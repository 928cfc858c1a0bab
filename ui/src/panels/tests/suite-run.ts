/** Running the cases of suites: the bill first, a few at once, outcomes as they come. */
import type { CaseOutcome, OpenedSuite, SuiteCase } from "@/bindings";
import { notify } from "@/design/dialogs/notify";
import { HostError } from "@/ipc";
import { formatCost } from "@/run/values/format";
import type { Workspace } from "@/workspace/workspace";
import { TEXTS } from "./texts";

/** How many cases run at once. */
const CASES_AT_ONCE = 4;

export type TestCaseRef = { file: string; case: SuiteCase };

/** Identifies a case as one of its variants. */
export function keyOf({ file, case: { name, variant } }: TestCaseRef): string {
  return JSON.stringify([file, name, variant]);
}

/** The name of a case with its variant. */
export function titleOf({ name, variant }: Pick<SuiteCase, "name" | "variant">): string {
  const parts = Object.entries(variant).map(
    ([key, value]) => `${key}=${typeof value === "string" ? value : JSON.stringify(value)}`,
  );
  return parts.length === 0 ? name : `${name} [${parts.join(", ")}]`;
}

/** The cases of a suite as they are listed: those of a dataset’s rows together, by the case that names it. */
export type ListedTest = { test: TestCaseRef } | { dataset: string; rows: TestCaseRef[] };

export function listed({ file, cases }: OpenedSuite): ListedTest[] {
  const items: ListedTest[] = [];
  for (const found of cases) {
    const [test, last] = [{ file, case: found }, items.at(-1)];
    if (found.row === undefined) items.push({ test });
    else if (last !== undefined && "rows" in last && last.dataset === found.row.dataset) last.rows.push(test);
    else items.push({ dataset: found.row.dataset, rows: [test] });
  }
  return items;
}

/** The suites beside a flow’s file. */
export async function loadSuites({ host }: Workspace, flow: string): Promise<OpenedSuite[]> {
  const files = await host.call("suite.find", { paths: [flow] });
  return await Promise.all(files.map((file) => host.call("suite.open", { file })));
}

export type RunObserver = {
  /** Whether no further case is to begin. */
  isStopped: () => boolean;
  onStart: (key: string) => void;
  /** Without an outcome, the case could not be run, which has been reported. */
  onEnd: (key: string, outcome: CaseOutcome | undefined) => void;
};

/** Runs cases, if the person agrees to their bill. */
export async function runCases(workspace: Workspace, cases: readonly TestCaseRef[], observer: RunObserver) {
  const { host } = workspace;
  try {
    if (!(await confirm(workspace, cases))) return;
    // Of a single one the newest result counts; those of its other variants stay.
    if (cases.length > 1)
      for (const [file, names] of byFile(cases)) await host.call("suite.forget", { file, cases: names });
  } catch (thrown) {
    notify.error(HostError.from(thrown));
    return;
  }
  const waiting = [...cases];
  const work = async () => {
    for (let next = waiting.shift(); next !== undefined && !observer.isStopped(); next = waiting.shift()) {
      const { name, variant } = next.case;
      observer.onStart(keyOf(next));
      let outcome: CaseOutcome | undefined;
      try {
        outcome = await host.call("suite.run", { file: next.file, case: name, variant });
      } catch (thrown) {
        notify.error(HostError.from(thrown));
      }
      observer.onEnd(keyOf(next), outcome);
    }
  };
  await Promise.all(Array.from({ length: CASES_AT_ONCE }, work));
  workspace.runList.refresh();
}

function byFile(cases: readonly TestCaseRef[]): Map<string, string[]> {
  const files = new Map<string, string[]>();
  for (const { file, case: found } of cases) files.set(file, [...(files.get(file) ?? []), found.name]);
  return files;
}

/** Asks if anything may be bought or done outside. */
async function confirm({ host, questions }: Workspace, cases: readonly TestCaseRef[]): Promise<boolean> {
  const sum = { liveRuns: 0, judgments: 0, atMostNanoUsd: 0, hasUnknown: false, actsOutside: false };
  const paid = cases.filter(({ case: found }) => found.mayBuy);
  for (const file of byFile(paid).keys()) {
    const refs = paid.filter((found) => found.file === file);
    const bill = await host.call("suite.bill", {
      file,
      cases: refs.map(({ case: { name, variant } }) => ({ case: name, variant })),
    });
    sum.liveRuns += bill.liveRuns;
    sum.judgments += bill.judgments;
    sum.atMostNanoUsd += bill.atMostNanoUsd;
    sum.hasUnknown ||= bill.hasUnknown;
    sum.actsOutside ||= bill.actsOutside;
  }
  const { liveRuns, judgments, atMostNanoUsd, hasUnknown, actsOutside } = sum;
  if (judgments === 0 && atMostNanoUsd === 0 && !hasUnknown && !actsOutside) return true;
  const atMost = formatCost({ nanoUsd: atMostNanoUsd });
  const choice = await questions.ask({
    title: TEXTS.billTitle,
    text: TEXTS.bill(liveRuns, atMost, hasUnknown, judgments, actsOutside),
    actions: [{ id: "run", label: TEXTS.runAll, kind: "main" }],
  });
  return choice === "run";
}

/** Shows a failing case as a run that stands still at its first difference. */
export async function debugCase(workspace: Workspace, { file, case: { name, variant } }: TestCaseRef): Promise<void> {
  try {
    const { run, at } = await workspace.host.call("suite.debug", { file, case: name, variant });
    workspace.runList.refresh();
    await workspace.runs.open(run);
    if (at === undefined) notify.info(TEXTS.ended);
  } catch (thrown) {
    notify.error(HostError.from(thrown));
  }
}

/** Shows what varies between the runs of a case. */
export async function showMatrix({ host, matrices }: Workspace, runs: readonly string[]): Promise<void> {
  try {
    await matrices.ask(await host.call("lens.matrix", { runs: [...runs] }));
  } catch (thrown) {
    notify.error(HostError.from(thrown));
  }
}

/** Makes a test of a run, and shows it. */
export async function makeTest(workspace: Workspace, run: string): Promise<void> {
  try {
    const added = await workspace.host.call("suite.add", { run });
    const [failure] = added.outcome.results.flatMap(({ failures }) => failures);
    workspace.layout.showPanel("tests");
    if (failure === undefined) notify.done(TEXTS.added(added.case));
    else notify.info(TEXTS.addedFailing(added.case, failure.message));
  } catch (thrown) {
    notify.error(HostError.from(thrown));
  }
}
