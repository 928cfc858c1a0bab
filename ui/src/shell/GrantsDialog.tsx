import { Dialog } from "@base-ui/react/dialog";
import { Shield } from "lucide-react";
import { useState } from "react";
import { useStore } from "zustand";
import type { NeedStatus } from "@/bindings";
import { Button } from "@/design/Button";
import { ChoiceBar } from "@/design/ChoiceBar";
import { GRANT_ICONS } from "@/design/grant-icons";
import { NeedSummary, needName } from "@/panels/grants/NeedSummary";
import type { GrantRequest } from "@/run/grant-requests";
import { countChoices, DEFAULT_CHOICE, type GrantChoice, needsByKind, rulesOf } from "@/run/grants";
import { useWorkspace } from "@/workspace/context";
import { TEXTS } from "./texts";

/** Asks before the first run what the flow may use. What nobody chooses is denied for that run. */
export function GrantsDialog() {
  const { grantRequests } = useWorkspace();
  const { request, settle } = useStore(grantRequests.store);
  return (
    <Dialog.Root open={request !== undefined} onOpenChange={(open) => !open && settle()}>
      <Dialog.Portal>
        <Dialog.Backdrop className="fixed inset-0 z-40 bg-black/45" />
        <Dialog.Popup
          className="pop fixed top-1/2 left-1/2 z-40 flex max-h-[86vh] w-[760px] max-w-[94vw] -translate-x-1/2 -translate-y-1/2 flex-col"
          data-testid="grants-dialog"
        >
          {request ? <GrantForm request={request} settle={settle} /> : null}
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

type FormProps = { request: GrantRequest; settle: (answer?: ReturnType<typeof rulesOf>) => void };

function GrantForm({ request, settle }: FormProps) {
  const { flowName, hasFile, needs } = request;
  const [choices, setChoices] = useState<ReadonlyMap<string, GrantChoice>>(new Map());
  const choose = (target: string, choice: GrantChoice) => setChoices((before) => new Map(before).set(target, choice));
  const counts = countChoices(needs, choices);
  const changed = needs.some((one) => one.state === "changed");
  return (
    <>
      <header className="px-5 pt-4 pb-3">
        <div className="flex items-center gap-2.5">
          <Shield size={18} className="shrink-0 text-context" aria-hidden />
          <Dialog.Title className="min-w-0 flex-1 truncate font-semibold text-lg">
            {TEXTS.whatThisFlowNeeds}
          </Dialog.Title>
          <span className="rounded border border-line-2 bg-bg-3 px-1.5 py-0.5 text-fg-2 text-xs">
            {changed ? TEXTS.changedNeeds : TEXTS.nothingRanYet}
          </span>
        </div>
        <Dialog.Description className="mt-1 text-fg-2 text-sm">
          {TEXTS.needsExplained(flowName)} {hasFile ? TEXTS.changeLater : TEXTS.saveToKeep}
        </Dialog.Description>
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
      <footer className="flex flex-wrap items-center justify-end gap-2 border-line border-t px-5 py-3">
        <p className="min-w-40 flex-1 text-fg-2 text-xs" role="status">
          {TEXTS.grantCounts(counts)}
        </p>
        <Button onClick={() => settle()}>{TEXTS.cancel}</Button>
        <Button data-testid="grants-deny-all" onClick={() => setChoices(new Map())} disabled={choices.size === 0}>
          {TEXTS.denyAll}
        </Button>
        <Button kind="main" data-testid="grants-run" onClick={() => settle(rulesOf(needs, choices, hasFile))}>
          {TEXTS.runWithChoices}
        </Button>
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
