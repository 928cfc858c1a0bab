import { ChevronRight } from "lucide-react";
import { useEffect, useId, useRef, useState } from "react";
import type { KeyLocation, ProviderSettings, ProviderStatus } from "@/bindings";
import { Button } from "@/design/controls/Button";
import { ErrorMessage } from "@/design/text/ErrorMessage";
import { HostError } from "@/ipc";
import { useLayout, useProviders, useWorkspace } from "@/workspace/context";
import { KeyField } from "./KeyField";
import { kindName, standing } from "./labels";
import { ChoiceField, TextField } from "./ProviderFields";
import { ServerDetails } from "./ServerDetails";
import { setText } from "./server-details";
import { TestRow } from "./TestRow";
import { TEXTS } from "./texts";

type Props = { provider: ProviderStatus; place: KeyLocation; kinds: readonly string[] };

/** One provider: its status, and its settings when expanded. */
export function ProviderCard({ provider, place, kinds }: Props) {
  const id = useId();
  const [open, setOpen] = useState(false);
  const head = useRef<HTMLButtonElement>(null);
  const { layout } = useWorkspace();
  const isShown = useLayout((state) => state.shownProvider === provider.name);
  useEffect(() => {
    if (!isShown) return;
    setOpen(true);
    head.current?.focus();
    head.current?.scrollIntoView?.({ block: "start" });
    layout.providerShown();
  }, [isShown, layout]);
  const running = useProviders((state) => state.found.find((server) => server.providers.includes(provider.name)));
  const isReady = running !== undefined || !provider.needsKey || provider.key.source !== undefined;
  // Where one is needed, it comes first.
  const key = <KeyField provider={provider} place={place} />;
  return (
    <section
      data-setting="API key"
      className="mb-1.5 rounded-lg border border-line bg-bg-2"
      aria-label={provider.name}
      data-testid={`provider-${provider.name}`}
    >
      <h4>
        <button
          ref={head}
          type="button"
          className="flex w-full scroll-mt-2 items-center gap-1.5 rounded-lg px-2 py-1.5 text-left hover:bg-bg-3"
          aria-expanded={open}
          aria-controls={open ? id : undefined}
          onClick={() => setOpen(!open)}
        >
          <ChevronRight size={14} aria-hidden className={`shrink-0 text-fg-3 ${open ? "rotate-90" : ""}`} />
          <span className="min-w-0 flex-1 truncate font-medium text-sm">{provider.name}</span>
          <span
            className={`shrink-0 text-2xs ${running ? "text-ok" : isReady && !provider.key.problem ? "text-fg-3" : "text-wait"}`}
          >
            {standing(provider, running !== undefined)}
          </span>
        </button>
      </h4>
      {open ? (
        <div id={id} className="border-line border-t px-2.5 pt-2 pb-2.5">
          {running ? (
            <p className="mb-2 text-ok text-xs">
              {running.software} {TEXTS.isRunningHere}
              {running.models.length === 0 ? TEXTS.withoutModels : ""}.
            </p>
          ) : null}
          {provider.needsKey ? key : null}
          {provider.settings.kind === "offline" ? (
            <p className="mb-2 text-fg-2 text-xs">{TEXTS.simulatorEchoesInputFollows}</p>
          ) : (
            <Where provider={provider} kinds={kinds} />
          )}
          {provider.takesKey && !provider.needsKey ? key : null}
          <TestRow provider={provider.name} />
          <Leave provider={provider} />
        </div>
      ) : null}
    </section>
  );
}

/** Its protocol, its address, and the environment variable that may hold its key. */
function Where({ provider: { name, settings, builtIn }, kinds }: Pick<Props, "provider" | "kinds">) {
  const workspace = useWorkspace();
  const [problem, setProblem] = useState<HostError>();
  const change = async (next: ProviderSettings) => {
    try {
      await workspace.providers.put(name, next);
      setProblem(undefined);
    } catch (thrown) {
      setProblem(HostError.from(thrown));
    }
  };
  const field = (key: "baseUrl" | "keyEnv", label: string, placeholder: string) => (
    <TextField
      label={label}
      value={settings[key]}
      placeholder={placeholder}
      invalid={key === "baseUrl" && problem !== undefined}
      onLeave={(typed) => {
        if (typed.trim() === (settings[key] ?? "")) setProblem(undefined);
        else change(setText(settings, key, typed));
      }}
    />
  );
  return (
    <>
      {builtIn ? (
        <p className="mb-2 text-fg-2 text-xs">{kindName(settings.kind)}</p>
      ) : (
        <ChoiceField
          label={TEXTS.protocol}
          value={settings.kind}
          choices={kinds.map((kind) => [kind, kindName(kind)] as const)}
          onChange={(kind) => change({ ...settings, kind: kind as ProviderSettings["kind"] })}
        />
      )}
      {field("baseUrl", "Base URL", "http://127.0.0.1:8000/v1")}
      {problem ? (
        <div className="-mt-1 mb-2">
          <ErrorMessage className="mt-1.5 text-xs" error={problem} />
        </div>
      ) : null}
      {field("keyEnv", "API key environment variable", "None")}
      <ServerDetails settings={settings} onChange={change} />
    </>
  );
}

/** Removes a provider, or puts a built-in one back. */
function Leave({ provider: { name, builtIn, changed, key } }: Pick<Props, "provider">) {
  const workspace = useWorkspace();
  const [problem, setProblem] = useState<HostError>();
  if (builtIn && !changed) return null;
  const leave = async () => {
    if (!builtIn) {
      const choice = await workspace.questions.ask({
        title: TEXTS.removeTitle(name),
        text: `Nodes that use ${name} can’t run without it.${key.source ? " Its API key is removed, too." : ""}`,
        actions: [{ id: "remove", label: TEXTS.remove, kind: "danger" }],
      });
      if (choice !== "remove") return;
    }
    workspace.providers.put(name, undefined).catch((thrown) => setProblem(HostError.from(thrown)));
  };
  return (
    <div className="mt-2 border-line border-t pt-1.5">
      <Button
        kind={builtIn ? "quiet" : "danger"}
        className="h-[26px] px-1.5 text-xs"
        aria-label={builtIn ? TEXTS.resetProvider(name) : TEXTS.removeProviderNamed(name)}
        onClick={leave}
      >
        {builtIn ? TEXTS.resetToDefaults : TEXTS.removeProvider}
      </Button>
      {problem ? <ErrorMessage className="mt-1.5 text-xs" error={problem} /> : null}
    </div>
  );
}
