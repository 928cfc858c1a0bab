import { Plus, Trash2 } from "lucide-react";
import { Button, IconButton } from "@/design/controls/Button";
import { CONTROL } from "@/design/controls/control";
import { isComposing } from "@/design/keys/keys";
import { blankOf, type Spec } from "@/flow/node-types/config-spec";
import { focusNewField } from "./focus-new-field";
import { useStepwise } from "./form-context";
import type { NestingProps } from "./props";
import { TEXTS } from "./texts";

type MapSpec = Extract<Spec, { kind: "map" }>;

/** A map with entries that can be added, renamed and removed. */
export function MapControl({
  id,
  label,
  spec,
  value,
  path,
  findings,
  onChange,
  readOnly,
  nested: Nested,
}: NestingProps<MapSpec>) {
  const held =
    typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {};
  const names = Object.keys(held);
  const change = useStepwise(onChange);
  const rename = (from: string, to: string) => {
    if (to === "" || to === from || to in held) return;
    change(path, Object.fromEntries(Object.entries(held).map(([name, one]) => [name === from ? to : name, one])));
  };
  const fresh = () => {
    let number = names.length + 1;
    while (`name${number}` in held) number += 1;
    return `name${number}`;
  };
  return (
    <fieldset id={id} aria-label={label} className="flex flex-col gap-2">
      {names.map((name) => (
        <div key={name} className="flex items-start gap-1.5 rounded-lg border border-line bg-bg-2 p-2">
          <div className="flex min-w-0 flex-1 flex-col gap-1.5">
            <input
              id={`${id}-${name}-name`}
              className={`${CONTROL} h-7 font-mono text-xs`}
              aria-label={TEXTS.nameOf(name)}
              defaultValue={name}
              disabled={readOnly}
              onBlur={(event) => rename(name, event.target.value.trim())}
              onKeyDown={(event) => event.key === "Enter" && !isComposing(event) && event.currentTarget.blur()}
            />
            <Nested
              id={`${id}-${name}`}
              label={TEXTS.valueOf(name)}
              spec={spec.value}
              value={held[name]}
              path={[...path, name]}
              findings={findings}
              onChange={onChange}
              readOnly={readOnly}
            />
          </div>
          <IconButton
            label={TEXTS.remove(name)}
            icon={<Trash2 size={13} />}
            className="size-6"
            disabled={readOnly}
            onClick={() => change([...path, name], undefined)}
          />
        </div>
      ))}
      <Button
        className="self-start"
        disabled={readOnly}
        onClick={() => {
          const name = fresh();
          change([...path, name], blankOf(spec.value));
          focusNewField(`${id}-${name}-name`);
        }}
      >
        <Plus size={14} aria-hidden /> {TEXTS.addEntry}
      </Button>
    </fieldset>
  );
}
