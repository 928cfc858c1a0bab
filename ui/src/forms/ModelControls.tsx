import { CONTROL } from "@/design/controls/control";
import { useFlow, useProviders, useRemote, useSettings, useWorkspace } from "@/workspace/context";
import { useSettle, useStepwise } from "./form-context";
import { type FieldProps, shared, type TextSpec } from "./props";
import { TEXTS } from "./texts";

/** One of the providers the host knows. */
export function ProviderControl(props: FieldProps<TextSpec>) {
  const { spec, value, path } = props;
  const onChange = useStepwise(props.onChange);
  const own = Object.keys(useSettings((settings) => settings.providers));
  const known = useRemote((remote) => remote.providers ?? []) ?? own;
  const providers = known.length > 0 ? known : ["offline"];
  const displayed = typeof value === "string" ? value : typeof spec.default === "string" ? spec.default : "";
  const listed = displayed === "" || providers.includes(displayed) ? providers : [displayed, ...providers];
  return (
    <select
      {...shared(props)}
      className={`${CONTROL} h-[30px]`}
      value={displayed}
      onChange={(event) =>
        onChange(path, ["", spec.default].includes(event.target.value) ? undefined : event.target.value)
      }
    >
      {displayed === "" || (spec.optional && spec.default === undefined) ? (
        <option value="">{spec.unset ?? TEXTS.fromContext}</option>
      ) : null}
      {listed.map((provider) => (
        <option key={provider} value={provider}>
          {provider === "offline" ? TEXTS.offlineSimulator : provider}
        </option>
      ))}
    </select>
  );
}

/** A model's name. Suggests the models of this flow's providers, and the models that the flow uses elsewhere. */
export function ModelControl(props: FieldProps<TextSpec>) {
  const settle = useSettle();
  const workspace = useWorkspace();
  const { id, spec, value, path, onChange } = props;
  const nodes = useFlow((state) => state.flow.nodes);
  const models = useProviders((state) => state.models);
  const namesOf = (...keys: string[]) => {
    const values = Object.values(nodes).flatMap((node) => keys.map((key) => node.config?.[key]));
    return [...new Set(values.filter((name) => typeof name === "string"))];
  };
  const providers = namesOf("provider", "overrideProvider");
  const offered = providers.flatMap((provider) => (models[provider] ?? []).map((model) => ({ model, provider })));
  const used = namesOf("model", "overrideModel").filter((model) => !offered.some((other) => other.model === model));
  return (
    <>
      <input
        {...shared(props)}
        className={`${CONTROL} h-[30px]`}
        list={`${id}-models`}
        placeholder={
          typeof spec.default === "string"
            ? spec.default
            : spec.optional
              ? (spec.unset ?? TEXTS.fromContext)
              : undefined
        }
        value={typeof value === "string" ? value : ""}
        onChange={(event) => onChange(path, event.target.value === "" ? undefined : event.target.value)}
        // Fetched on focus only; the host asks each provider once a session.
        onFocus={() => {
          for (const name of providers) void workspace.providers.fetchModels(name);
        }}
        onBlur={settle}
      />
      <datalist id={`${id}-models`}>
        {offered.map(({ model, provider }) => (
          <option key={`${provider}/${model}`} value={model} label={`${model} (${provider})`} />
        ))}
        {used.map((model) => (
          <option key={model} value={model} />
        ))}
      </datalist>
    </>
  );
}
