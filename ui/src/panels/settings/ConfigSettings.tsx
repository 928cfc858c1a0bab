import { Fragment, type ReactNode, useRef, useState } from "react";
import type { ConfigField, Settings } from "@/bindings";
import { CONFIG_FIELDS, CONFIG_SECTIONS, pathOf, setOrRemove, specOfField, valueAt } from "@/forms/config-fields";
import { FormField } from "@/forms/FormField";
import type { Path } from "@/forms/findings";
import { FormContext } from "@/forms/form-context";
import { HostError } from "@/ipc";
import { useSettings, useWorkspace } from "@/workspace/context";

/** Rows as high as those of the other settings, and as wide as the page. */
const FIELD = "[&_input]:h-[28px] [&_input]:max-w-none [&_input]:text-sm [&_select]:h-[28px] [&_select]:text-sm";

type Props = {
  /** The id of the section. */
  id: string;
  /** Other settings, each after the field of a key. */
  after?: Readonly<Record<string, ReactNode>>;
};

/** The settings of one section of the engine's table, and what they have in common. */
export function ConfigSettings({ id, after = {} }: Props) {
  const help = CONFIG_SECTIONS.find((section) => section.id === id)?.help;
  return (
    <>
      {CONFIG_FIELDS.filter(({ section }) => section === id).map((field) => (
        <Fragment key={field.key}>
          <ConfigSetting field={field} pointer={field.settings ?? ""} />
          {after[field.key]}
        </Fragment>
      ))}
      {help ? <p className="text-fg-3 text-xs">{help}</p> : null}
    </>
  );
}

/** One value. It is saved when its field is left; until the host accepts it, the field keeps what was entered. */
function ConfigSetting({ field, pointer }: { field: ConfigField; pointer: string }) {
  const { settings } = useWorkspace();
  const path = pathOf(pointer);
  const [name = "", ...below] = path;
  const stored = useSettings((all) => valueAt(all, path));
  const [entered, setEntered] = useState<{ value: unknown }>();
  const [problem, setProblem] = useState<string>();
  // What a click enters is saved before it is drawn.
  const latest = useRef(entered);
  const enter = (next: typeof entered) => {
    latest.current = next;
    setEntered(next);
  };
  const onChange = (at: Path, value: unknown) => {
    const before = latest.current ? latest.current.value : stored;
    enter({ value: setOrRemove(before, at.slice(path.length), value) });
  };
  const save = async () => {
    const { current } = latest;
    if (!current) return;
    const value = typeof current.value === "string" ? current.value.trim() || undefined : current.value;
    try {
      await settings.put((all) => ({ [name]: setOrRemove(all[name as keyof Settings], below, value) }));
      setProblem(undefined);
      if (latest.current === current) enter(undefined);
    } catch (thrown) {
      const { hint, message } = HostError.from(thrown);
      setProblem(hint ?? message);
    }
  };
  const spec = specOfField(field);
  return (
    <div data-setting={field.key} className={FIELD} data-testid={`setting-${field.key}`}>
      <FormContext value={{ onSettled: () => void save(), compact: true }}>
        <FormField
          label={spec.title ?? field.key}
          spec={spec}
          value={entered ? entered.value : stored}
          path={path}
          findings={[]}
          problem={problem}
          onChange={onChange}
          readOnly={false}
        />
      </FormContext>
    </div>
  );
}
