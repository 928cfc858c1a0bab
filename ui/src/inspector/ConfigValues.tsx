import type { ResolvedConfig } from "@/bindings";
import { type Spec, specOf } from "@/flow/node-types/config-spec";
import { FormField } from "@/forms/FormField";
import type { Path } from "@/forms/findings";
import { type Inherited, withInherited } from "@/forms/inherited";
import { configLabel } from "@/workspace/settings/config-labels";
import { TEXTS } from "./texts";

/** Where values of the flow stand that have no field of their own. */
const PREFIX = "/settings/config/";

type Props = {
  resolved: readonly ResolvedConfig[];
  inherited: Inherited;
  /** What the flow sets, by key. */
  values: Readonly<Record<string, unknown>>;
  onChange: (values: Record<string, unknown>, key: string) => void;
  readOnly: boolean;
};

/** What the flow sets for those of its loops and nodes that leave it open. */
export function ConfigValues({ resolved, inherited, values, onChange, readOnly }: Props) {
  const keys = resolved.filter((one) => one.layers.some(({ pointer }) => pointer?.startsWith(PREFIX)));
  if (keys.length === 0) return null;
  const set = ([, key]: Path, value: unknown) => {
    const { [key as string]: _, ...others } = values;
    onChange(value === undefined ? others : { ...others, [key as string]: value }, key as string);
  };
  return (
    <details className="section mb-3.5" open={Object.keys(values).length > 0}>
      <summary>{TEXTS.nodeDefaults}</summary>
      <p className="py-2 text-fg-3 text-xs">{TEXTS.nodeDefaultsHelp}</p>
      {keys.map(({ key, help, schema }) => {
        const spec: Spec = { ...specOf(schema), optional: true, help };
        return (
          <FormField
            key={key}
            label={configLabel(key)}
            spec={withInherited(spec, inherited, `${PREFIX}${key}`)}
            value={values[key]}
            path={["config", key]}
            findings={[]}
            onChange={set}
            readOnly={readOnly}
          />
        );
      })}
    </details>
  );
}
