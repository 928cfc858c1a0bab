import { useId } from "react";
import { CONTROL } from "@/design/controls/control";
import { numberOf, type QuestionField } from "./answer-schema";
import { TEXTS } from "./texts";

/** The values entered so far: texts, also for numbers; flags; lists of choices. */
export type FieldValues = Readonly<Record<string, unknown>>;

/** The fields as the tool proposes to fill them. */
export function initialValues(fields: readonly QuestionField[]): FieldValues {
  const initial = (field: QuestionField): unknown => {
    switch (field.kind) {
      case "flag":
        return field.initial === true;
      case "choices":
        return Array.isArray(field.initial) ? field.initial : [];
      default:
        return field.initial === undefined || field.initial === null ? "" : String(field.initial);
    }
  };
  return Object.fromEntries(fields.map((field) => [field.name, initial(field)]));
}

/** The answer that the fields make; undefined while a required one is empty or one is invalid. */
export function contentOf(fields: readonly QuestionField[], values: FieldValues): Record<string, unknown> | undefined {
  const content: Record<string, unknown> = {};
  for (const field of fields) {
    const value = values[field.name];
    if (field.kind === "flag") {
      content[field.name] = value === true;
    } else if (Array.isArray(value)) {
      if (value.length > 0 || field.required) content[field.name] = value;
    } else if (typeof value !== "string" || value.trim() === "") {
      if (field.required) return undefined;
    } else if (field.kind === "number") {
      const number = numberOf(value, field.integer);
      if (number === undefined) return undefined;
      content[field.name] = number;
    } else {
      content[field.name] = value;
    }
  }
  return content;
}

type Props = {
  fields: readonly QuestionField[];
  values: FieldValues;
  onChange: (name: string, value: unknown) => void;
};

/** The fields of a tool's question. */
export function QuestionFields({ fields, values, onChange }: Props) {
  return (
    <div className="mt-1.5 flex flex-col gap-2">
      {fields.map((field, index) => (
        <Field
          key={field.name}
          field={field}
          value={values[field.name]}
          first={index === 0}
          onChange={(value) => onChange(field.name, value)}
        />
      ))}
    </div>
  );
}

type FieldProps = { field: QuestionField; value: unknown; first: boolean; onChange: (value: unknown) => void };

function Field({ field, value, first, onChange }: FieldProps) {
  const id = useId();
  const help = field.description === undefined ? undefined : `${id}-help`;
  // The keyboard goes to the first one.
  const shared = { id, "aria-describedby": help, "data-testid": first ? "pause-answer" : undefined };
  if (field.kind === "choices") {
    return (
      <fieldset aria-describedby={help}>
        <legend className="mb-0.5 text-sm">{field.label}</legend>
        {field.options.map((option) => {
          const chosen = Array.isArray(value) ? value : [];
          const toggle = (on: boolean) =>
            onChange(on ? [...chosen, option.value] : chosen.filter((one) => one !== option.value));
          return (
            <label key={option.value} className="mr-3 inline-flex items-center gap-1.5 text-sm">
              <input
                type="checkbox"
                checked={chosen.includes(option.value)}
                onChange={(event) => toggle(event.target.checked)}
              />
              {option.label}
            </label>
          );
        })}
        <Help id={help} text={field.description} />
      </fieldset>
    );
  }
  if (field.kind === "flag") {
    return (
      <div>
        <label className="inline-flex items-center gap-1.5 text-sm">
          <input
            {...shared}
            type="checkbox"
            checked={value === true}
            onChange={(event) => onChange(event.target.checked)}
          />
          {field.label}
        </label>
        <Help id={help} text={field.description} />
      </div>
    );
  }
  return (
    <div>
      <label className="mb-0.5 block text-sm" htmlFor={id}>
        {field.label}
        {field.required ? null : <span className="text-fg-3"> ({TEXTS.optional})</span>}
      </label>
      {field.kind === "choice" ? (
        <select
          {...shared}
          className={CONTROL}
          value={String(value)}
          onChange={(event) => onChange(event.target.value)}
        >
          <option value="">{TEXTS.notChosen}</option>
          {field.options.map((option) => (
            <option key={option.value} value={option.value}>
              {option.label}
            </option>
          ))}
        </select>
      ) : (
        <input
          {...shared}
          className={CONTROL}
          inputMode={field.kind === "number" ? (field.integer ? "numeric" : "decimal") : undefined}
          placeholder={field.kind === "text" ? field.format : undefined}
          value={String(value)}
          onChange={(event) => onChange(event.target.value)}
        />
      )}
      <Help id={help} text={field.description} />
    </div>
  );
}

function Help({ id, text }: { id: string | undefined; text: string | undefined }) {
  return text === undefined ? null : (
    <p id={id} className="mt-0.5 text-fg-3 text-xs">
      {text}
    </p>
  );
}
