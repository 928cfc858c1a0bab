import { type ReactNode, useEffect, useId, useRef, useState } from "react";
import type { Mark, ResultRow } from "@/bindings";
import { Button } from "@/design/controls/Button";
import { ChoiceBar } from "@/design/controls/ChoiceBar";
import { CONTROL } from "@/design/controls/control";
import { readDecimal } from "@/design/controls/parse-number";
import { InlineCode } from "@/design/text/InlineCode";
import { formatDate } from "@/run/values/format";
import { markText, nameOf, textOf } from "./result-rows";
import { TEXTS } from "./texts";

type Props = {
  row: ResultRow;
  dataset: string | undefined;
  onGrade: (mark: Mark | undefined, note: string | undefined) => void;
  onOpenRun: (run: string) => void;
};

/** One row whole: what was given, what came of it, and the grades that people gave. */
export function RowDetails({ row, dataset, onGrade, onOpenRun }: Props) {
  const { result, earlier = [] } = row;
  const run = result?.run;
  return (
    <div className="flex min-h-0 flex-1 flex-col gap-3 overflow-y-auto p-4 text-sm" data-testid="result-details">
      <div className="flex items-baseline gap-2">
        <h3 className="min-w-0 truncate font-semibold">
          {dataset === undefined ? nameOf(row, dataset) : TEXTS.rowNamed(nameOf(row, dataset))}
        </h3>
        {run === undefined ? null : (
          <Button className="!h-6 !px-2 !text-xs ml-auto" onClick={() => onOpenRun(run)}>
            {TEXTS.openRun}
          </Button>
        )}
      </div>
      {result ? <GradeForm row={row} onGrade={onGrade} /> : <p className="text-fg-2 text-xs">{TEXTS.couldntGrade}</p>}
      {result && result.failures.length > 0 ? (
        <Section title={TEXTS.failures}>
          {result.failures.map(({ check, message }, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: failures don't change places.
            <p key={index} className="break-words text-xs">
              <b className="font-medium text-bad">{check}</b>{" "}
              <span className="text-fg-2">
                <InlineCode text={message} />
              </span>
            </p>
          ))}
        </Section>
      ) : null}
      <Values title={TEXTS.outputs} values={result?.outputs ?? {}} />
      <Values title={TEXTS.inputs} values={row.columns} />
      {earlier.length > 0 ? (
        <Section title={TEXTS.earlier}>
          {earlier.map(({ grade, result: before, hasSameOutputs }) => (
            <div key={grade.at} className="text-xs" data-testid="earlier-grade">
              <b className="font-medium">{markText(grade.mark)}</b>{" "}
              <span className="text-fg-3">
                {formatDate(grade.at)}, {hasSameOutputs ? TEXTS.sameOutput : TEXTS.otherOutput}
              </span>
              {grade.note === undefined ? null : <p className="whitespace-pre-wrap text-fg-2">{grade.note}</p>}
              {hasSameOutputs ? null : (
                <p className="line-clamp-4 whitespace-pre-wrap break-words text-fg-2">
                  {Object.values(before.outputs ?? {})
                    .map(textOf)
                    .join("\n")}
                </p>
              )}
            </div>
          ))}
        </Section>
      ) : null}
    </div>
  );
}

function Section({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section className="flex flex-col gap-1.5" aria-label={title}>
      <h4 className="text-fg-3 text-xs">{title}</h4>
      {children}
    </section>
  );
}

function Values({ title, values }: { title: string; values: Record<string, unknown> }) {
  const entries = Object.entries(values);
  return entries.length === 0 ? null : (
    <Section title={title}>
      {entries.map(([name, value]) => (
        <div key={name} className="text-xs">
          <span className="text-fg-3">{name}</span>
          <p className="max-h-[180px] overflow-y-auto whitespace-pre-wrap break-words">{textOf(value)}</p>
        </div>
      ))}
    </Section>
  );
}

/** Pass, fail or a number, with a note. Each is kept as soon as it is chosen or left. */
function GradeForm({ row: { grade }, onGrade }: Pick<Props, "row" | "onGrade">) {
  const id = useId();
  const mark = grade?.mark;
  const [note, setNote] = useState(grade?.note ?? "");
  const [number, setNumber] = useState(typeof mark === "number" ? String(mark) : "");
  useEffect(() => setNumber(typeof mark === "number" ? String(mark) : ""), [mark]);
  const noted = note.trim() === "" ? undefined : note.trim();
  const written = useRef(noted);
  written.current = noted;
  // What was given last, also before the host has kept it.
  const given = useRef({ mark, note: grade?.note });
  useEffect(() => {
    given.current = { mark, note: grade?.note };
  }, [mark, grade?.note]);
  const keep = useRef(onGrade);
  keep.current = onGrade;
  // A note that was written before the grade was given by its key.
  useEffect(() => {
    if (mark !== undefined && given.current.note === undefined && written.current !== undefined)
      keep.current(mark, written.current);
  }, [mark]);
  const parsed = readDecimal(number);
  const give = (chosen: Mark) => {
    if (given.current.mark === chosen && given.current.note === noted) return;
    given.current = { mark: chosen, note: noted };
    onGrade(chosen, noted);
  };
  const keepNumber = () => parsed !== undefined && give(parsed);
  const keepNote = () => given.current.mark !== undefined && give(given.current.mark);
  return (
    <div className="flex flex-col gap-2 rounded-md border border-line p-2.5">
      <div className="flex flex-wrap items-center gap-2">
        <ChoiceBar
          label={TEXTS.grade}
          options={[
            { id: "pass", label: TEXTS.pass },
            { id: "fail", label: TEXTS.fail, tone: "bad" },
          ]}
          value={typeof mark === "string" ? mark : ""}
          onChange={(chosen) => give(chosen as Mark)}
        />
        <input
          aria-label={TEXTS.numberOrVerdict}
          title={TEXTS.numberOrVerdict}
          placeholder={TEXTS.number}
          inputMode="decimal"
          className={`${CONTROL} !w-14 !py-0.5 text-xs`}
          data-testid="grade-number"
          value={number}
          aria-invalid={number.trim() !== "" && parsed === undefined}
          onChange={(event) => setNumber(event.target.value)}
          onBlur={keepNumber}
          onKeyDown={(event) => event.key === "Enter" && keepNumber()}
        />
        {mark === undefined ? null : (
          <Button
            kind="quiet"
            className="!h-6 !px-1.5 !text-xs ml-auto"
            data-testid="grade-clear"
            onClick={() => onGrade(undefined, undefined)}
          >
            {TEXTS.clear}
          </Button>
        )}
      </div>
      <div>
        <label htmlFor={id} className="mb-0.5 block text-fg-3 text-xs">
          {TEXTS.note}
        </label>
        <textarea
          id={id}
          rows={2}
          className={`${CONTROL} field-sizing-content max-h-[120px] min-h-11 text-xs`}
          data-testid="grade-note"
          placeholder={TEXTS.noteExample}
          value={note}
          onChange={(event) => setNote(event.target.value)}
          onBlur={keepNote}
        />
      </div>
    </div>
  );
}
