import { Shield } from "lucide-react";
import { type RefObject, useState } from "react";
import { useStore } from "zustand";
import type { NeedStatus } from "@/bindings";
import { ChoiceBar } from "@/design/controls/ChoiceBar";
import { Dialog, DialogButtons, DialogText, DialogTitle, useSafeButton } from "@/design/dialogs/Dialog";
import { GRANT_ICONS } from "@/design/icons/grant-icons";
import { NeedSummary, needName } from "@/panels/grants/NeedSummary";
import type { GrantRequest } from "@/run/grants/grant-requests";
import { countChoices, DEFAULT_CHOICE, type GrantChoice, needsByKind, rulesOf } from "@/run/grants/grants";
import { TEXTS } from "@/shell/texts";
import { useWorkspace } from "@/workspace/context";

/** Asks before the first run what the flow may use. What nobody chooses is denied for that run. */
export function GrantsDialog() {
  const { grantRequests } = useWorkspace();
  const { request, settle } = useStore(grantRequests.store);
  const safe = useSafeButton();
  return (
    <Dialog
      open={request !== undefined}
      onClose={() => settle()}
      testId="grants-dialog"
      initialFocus={safe}
      className="flex max-h-[86vh] w-[760px] flex-col"
    >
      {request ? <GrantForm request={request} settle={settle} safe={safe} /> : null}
    </Dialog>
  );
}

type FormProps = {
  request: GrantRequest;
  safe: RefObject<HTMLButtonElement | null>;
  settle: (answer?: ReturnType<typeof rulesOf>) => void;
};

function GrantForm({ request, safe, settle }: FormProps) {
  const { flowName, hasFile, needs } = request;
  const [choices, setChoices] = useState<ReadonlyMap<string, GrantChoice>>(new Map());
  const choose = (target: string, choice: GrantChoice) => setChoices((before) => new Map(before).set(target, choice));
  const counts = countChoices(needs, choices);
  const nothingChosen = choices.size === 0;
  const changed = needs.some((one) => one.state === "changed");
  return (
    <>
      <header className="px-5 pt-4 pb-3">
        <div className="flex items-center gap-2.5">
          <Shield size={18} className="shrink-0 text-context" aria-hidden />
          <DialogTitle className="min-w-0 flex-1 truncate font-semibold text-lg">{TEXTS.whatThisFlowNeeds}</DialogTitle>
          <span className="rounded border border-line-2 bg-bg-3 px-1.5 py-0.5 text-fg-2 text-xs">
            {changed ? TEXTS.changedNeeds : TEXTS.nothingRanYet}
          </span>
        </div>
        <DialogText className="mt-1 text-fg-2 text-sm">
          {TEXTS.needsExplained(flowName)} {hasFile ? TEXTS.changeLater : TEXTS.saveToKeep}
        </DialogText>
      </header>
      <div className="min-h-0 flex-1 overflow-y-auto">
        {needsByKind(needs).map(({ kind, needs: ofKind }) => {
          const Icon = GRANT_ICONS[kind];
          return (
            <section key={kind} aria-label={TEXTS.grantKinds[kind]}>
              <h3 className="flex items-center gap-2 border-line border-b px-5 py-1.5 font-semibold text-fg-2 text-xs">
                <Icon size={13} aria-hidden />
                {TEXTS.grantKinds[kind]}
              </h3>
              <ul>
                {ofKind.map((status) => (
                  <NeedRow
                    key={status.need.target}
                    status={status}
                    hasFile={hasFile}
                    choice={choices.get(status.need.target) ?? DEFAULT_CHOICE}
                    onChoose={(choice) => choose(status.need.target, choice)}
                  />
                ))}
              </ul>
            </section>
          );
        })}
      </div>
      <footer className="border-line border-t px-5 py-3">
        <DialogButtons
          safe={safe}
          cancelLabel={TEXTS.cancel}
          onCancel={() => settle()}
          actions={[
            {
              id: "deny-all",
              label: TEXTS.denyAll,
              kind: "plain",
              testId: "grants-deny-all",
              disabled: nothingChosen,
              run: () => setChoices(new Map()),
            },
            {
              id: "run",
              label: nothingChosen ? TEXTS.runAllDenied : TEXTS.runWithChoices,
              // What nobody has chosen is denied, so Enter runs nothing before something is chosen.
              kind: nothingChosen ? "plain" : "main",
              testId: "grants-run",
              run: () => settle(rulesOf(needs, choices, hasFile)),
            },
          ]}
        >
          <p className="min-w-40 flex-1 text-fg-2 text-xs" role="status">
            {nothingChosen ? TEXTS.nothingChosen : TEXTS.grantCounts(counts)}
          </p>
        </DialogButtons>
      </footer>
    </>
  );
}

type RowProps = {
  status: NeedStatus;
  hasFile: boolean;
  choice: GrantChoice;
  onChoose: (choice: GrantChoice) => void;
};

function NeedRow({ status, hasFile, choice, onChoose }: RowProps) {
  const options = [
    { id: "once" as const, label: TEXTS.allowOnce },
    { id: "always" as const, label: TEXTS.alwaysAllow, disabled: !hasFile },
    { id: "ask" as const, label: TEXTS.askEachTime },
    { id: "denyOnce" as const, label: TEXTS.denyOnce, tone: "bad" as const },
    { id: "never" as const, label: TEXTS.alwaysDeny, disabled: !hasFile, tone: "bad" as const },
  ];
  return (
    <li
      className="flex flex-wrap items-center gap-x-3 gap-y-1.5 border-line border-b px-5 py-2"
      data-testid={`need-${status.need.target}`}
      data-state={status.state}
    >
      <div className="min-w-52 flex-1">
        <NeedSummary status={status} />
      </div>
      <ChoiceBar label={TEXTS.decisionAbout(needName(status))} options={options} value={choice} onChange={onChoose} />
    </li>
  );
}
