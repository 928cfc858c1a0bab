import { Check } from "lucide-react";
import { type FormEvent, useId, useState } from "react";
import type { ErrorCode, TestReport } from "@/bindings";
import { Button } from "@/design/controls/Button";
import { CONTROL } from "@/design/controls/control";
import { ErrorMessage } from "@/design/text/ErrorMessage";
import { HostError } from "@/ipc";
import { useProviders, useWorkspace } from "@/workspace/context";
import { TEXTS } from "./texts";

/** Errors of servers that respond but have no model list: a test with a named model may work. */
const NO_MODEL_LIST_CODES: readonly (ErrorCode | undefined)[] = [
  "provider.no_models",
  "provider.not_found",
  "provider.invalid_response",
  "provider.bad_request",
];
const MAX_VISIBLE_MODELS = 6;

export function TestRow({ provider }: { provider: string }) {
  const workspace = useWorkspace();
  const [report, setReport] = useState<TestReport>();
  const [problem, setProblem] = useState<HostError>();
  const [busy, setBusy] = useState(false);
  /** Once set, the model field stays, because someone may be typing in it. */
  const [lacksList, setLacksList] = useState(false);
  const test = async (model?: string) => {
    setBusy(true);
    setReport(undefined);
    setProblem(undefined);
    try {
      const result = await workspace.host.call("provider.test", { provider, model });
      if (result.models) workspace.providers.setModels(provider, result.models);
      if (NO_MODEL_LIST_CODES.includes(result.fault?.code)) setLacksList(true);
      setReport(result);
    } catch (thrown) {
      setProblem(HostError.from(thrown));
    }
    setBusy(false);
  };
  const fault = problem ?? report?.fault;
  return (
    <div className="mb-1">
      <div className="flex min-h-[30px] items-center gap-2">
        <Button disabled={busy} aria-label={TEXTS.testProvider(provider)} onClick={() => test()}>
          {busy ? TEXTS.testing : TEXTS.test}
        </Button>
        <p className="text-xs" role="status" data-testid={`test-${provider}`}>
          {report && !fault ? (
            <span className="flex items-center gap-1 text-ok">
              <Check size={13} aria-hidden />
              {report.tested === "call" ? TEXTS.modelResponded : TEXTS.connected} ({duration(report.tookMs)})
            </span>
          ) : null}
        </p>
      </div>
      {fault ? <ErrorMessage className="mt-1.5 text-xs" error={fault} /> : null}
      {lacksList ? <WithModel busy={busy} onTest={test} /> : null}
      <Models provider={provider} />
    </div>
  );
}

/** Names a model to test with. */
function WithModel({ busy, onTest }: { busy: boolean; onTest: (model: string) => void }) {
  const id = useId();
  const [model, setModel] = useState("");
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onTest(model.trim());
  };
  return (
    <form className="mt-1.5" onSubmit={submit}>
      <label htmlFor={id} className="mb-0.5 block text-fg-2 text-xs">
        {TEXTS.testWithModel}
      </label>
      <div className="flex gap-1.5">
        <input
          id={id}
          className={`${CONTROL} h-[30px] min-w-0 text-sm`}
          value={model}
          onChange={(event) => setModel(event.target.value)}
        />
        <Button type="submit" disabled={busy || model.trim() === ""}>
          {TEXTS.testModel}
        </Button>
      </div>
    </form>
  );
}

function Models({ provider }: { provider: string }) {
  const models = useProviders((state) => state.models[provider]);
  const [all, setAll] = useState(false);
  if (!models || models.length === 0) return null;
  const displayed = all ? models : models.slice(0, MAX_VISIBLE_MODELS);
  return (
    <div className="mt-1.5">
      <p className="text-fg-2 text-xs">{models.length === 1 ? TEXTS.oneModel : `${models.length} models`}</p>
      <ul className="mt-0.5 max-h-40 overflow-y-auto" data-testid={`models-${provider}`}>
        {displayed.map((model) => (
          <li key={model} className="truncate font-mono text-2xs text-fg-2" title={model}>
            {model}
          </li>
        ))}
      </ul>
      {models.length > MAX_VISIBLE_MODELS ? (
        <Button kind="quiet" className="h-6 px-1 text-xs" aria-expanded={all} onClick={() => setAll(!all)}>
          {all ? TEXTS.showFewer : TEXTS.showAll(models.length)}
        </Button>
      ) : null}
    </div>
  );
}

function duration(ms: number): string {
  return ms < 1000 ? `${ms} ms` : `${(ms / 1000).toFixed(1)} s`;
}
