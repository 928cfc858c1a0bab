import { Check, CornerDownLeft, X } from "lucide-react";
import { type FormEvent, type KeyboardEvent, type ReactNode, useState } from "react";
import type { Attachment } from "@/bindings";
import { Button } from "@/design/controls/Button";
import { formatJson, parseJson } from "@/design/json/exact-json";
import { takesAttachments } from "@/run/values/attachments";
import { AttachButton, AttachmentField } from "@/workspace/attachments/AttachmentField";
import { useAttachments } from "@/workspace/attachments/useAttachments";
import { useWorkspace } from "@/workspace/context";
import { AnswerText } from "./AnswerText";
import {
  acceptanceAnswer,
  answerForm,
  approvalAnswer,
  numberOf,
  type QuestionField,
  type Schema,
  skeleton,
} from "./answer-schema";
import { contentOf, type FieldValues, initialValues, QuestionFields } from "./QuestionFields";
import { TEXTS } from "./texts";

type Props = {
  schema: Record<string, unknown>;
  /** Key of the unsent draft, which survives while the dock shows something else. */
  draftKey: string;
  label: string;
  busy: boolean;
  /** Whether refusing is the safe answer, so that it is the one that the keyboard is at. */
  careful?: boolean;
  /** Sends the answer; whether it was taken. */
  onAnswer: (value: unknown, attachments?: readonly Attachment[]) => Promise<boolean>;
};

/** An unsent answer, which outlives the form, and how to send it: the draft is dropped when the host accepted the answer. */
function useAnswerDraft({ draftKey, onAnswer }: Pick<Props, "draftKey" | "onAnswer">, initial: string) {
  const { answerDrafts } = useWorkspace();
  const [text, setText] = useState(() => answerDrafts.get(draftKey) ?? initial);
  return {
    text,
    setText(next: string) {
      if (next === "") answerDrafts.delete(draftKey);
      else answerDrafts.set(draftKey, next);
      setText(next);
    },
    async send(value: unknown, attachments: readonly Attachment[] = []): Promise<void> {
      if (await onAnswer(value, attachments)) answerDrafts.delete(draftKey);
    },
  };
}

/** The form a pause's schema asks for. */
export function AnswerForm(props: Props) {
  const form = answerForm(props.schema);
  switch (form.kind) {
    case "text":
      return <TextAnswer {...props} />;
    case "number":
      return <NumberAnswer {...props} integer={form.integer} />;
    case "yesNo":
      return (
        <Buttons>
          <Decide
            testid="pause-approve"
            approves
            main
            busy={props.busy}
            label={TEXTS.approve}
            focus
            onClick={() => props.onAnswer(true)}
          />
          <Decide testid="pause-reject" busy={props.busy} label={TEXTS.reject} onClick={() => props.onAnswer(false)} />
        </Buttons>
      );
    case "choice":
      return (
        <Buttons>
          {form.options.map((option, index) => (
            <Button
              key={String(option)}
              disabled={props.busy}
              data-testid={index === 0 ? "pause-answer" : undefined}
              onClick={() => props.onAnswer(option)}
            >
              {String(option)}
            </Button>
          ))}
        </Buttons>
      );
    case "approval":
      return <ApprovalAnswer {...props} flag={form.flag} comment={form.comment} />;
    case "acceptance":
      return <AcceptanceAnswer {...props} />;
    case "question":
      return form.fields ? (
        <QuestionAnswer {...props} fields={form.fields} />
      ) : (
        <JsonQuestionAnswer {...props} content={form.content} />
      );
    case "json":
      return <JsonAnswer {...props} />;
  }
}

function TextAnswer({ schema, draftKey, label, busy, onAnswer }: Props) {
  const { text, setText, send: sendAnswer } = useAnswerDraft({ draftKey, onAnswer }, "");
  const [attachments, setAttachments] = useState<readonly Attachment[]>([]);
  const files = useAttachments(attachments, setAttachments);
  const isBusy = busy || files.storing;
  const send = () => {
    if (isBusy || text.trim() === "") return;
    void sendAnswer(text, files.attachments);
  };
  const takesFiles = takesAttachments(schema);
  const field = (
    <AnswerText
      label={label}
      text={text}
      onText={setText}
      placeholder={exampleOf(schema)}
      onEnter={send}
      end={
        <>
          {takesFiles ? <AttachButton files={files} busy={busy} /> : null}
          <SendButton busy={isBusy || text.trim() === ""} onSend={send} />
        </>
      }
    />
  );
  return takesFiles ? <AttachmentField files={files}>{field}</AttachmentField> : field;
}

function exampleOf(schema: Record<string, unknown>): string {
  const [example] = Array.isArray(schema.examples) ? schema.examples : [];
  return typeof example === "string" && example !== "" ? `For example: ${example}` : "Type an answer";
}

function NumberAnswer({ label, busy, onAnswer, integer, draftKey }: Props & { integer: boolean }) {
  const { text, setText, send: sendAnswer } = useAnswerDraft({ draftKey, onAnswer }, "");
  const value = numberOf(text, integer);
  const good = value !== undefined;
  const send = (event: FormEvent) => {
    event.preventDefault();
    if (busy || !good) return;
    void sendAnswer(value);
  };
  return (
    <form className="mt-1.5 flex gap-2" onSubmit={send}>
      <input
        data-testid="pause-answer"
        aria-label={label}
        inputMode={integer ? "numeric" : "decimal"}
        placeholder={integer ? TEXTS.wholeNumber : TEXTS.number}
        className="h-[30px] min-w-0 flex-1 rounded-md border border-line bg-bg px-2.5"
        value={text}
        onChange={(event) => setText(event.target.value)}
      />
      <SendButton busy={busy || !good} submit />
    </form>
  );
}

function ApprovalAnswer({
  label,
  busy,
  onAnswer,
  flag,
  comment,
  draftKey,
  careful = false,
}: Props & { flag: string; comment?: string }) {
  const { text, setText, send: sendAnswer } = useAnswerDraft({ draftKey, onAnswer }, "");
  const decide = (approved: boolean) => {
    void sendAnswer(approvalAnswer({ flag, comment }, approved, text));
  };
  const approve = (
    <Decide
      testid="pause-approve"
      approves
      main={!careful}
      busy={busy}
      label={TEXTS.approve}
      focus={!careful}
      onClick={() => decide(true)}
    />
  );
  return (
    <>
      {comment === undefined ? null : (
        <AnswerText
          label={TEXTS.comment(label)}
          text={text}
          onText={setText}
          placeholder={TEXTS.commentOptional}
          testid="pause-comment"
        />
      )}
      <Buttons>
        {careful ? null : approve}
        <Decide
          testid="pause-reject"
          main={careful}
          busy={busy}
          label={TEXTS.reject}
          focus={careful}
          onClick={() => decide(false)}
        />
        {careful ? approve : null}
      </Buttons>
    </>
  );
}

/** Declining is the safe answer: the request was written by others. */
function AcceptanceAnswer({ busy, onAnswer }: Props) {
  return (
    <Buttons>
      <Decide
        testid="pause-reject"
        main
        busy={busy}
        label={TEXTS.decline}
        focus
        onClick={() => onAnswer(acceptanceAnswer(false))}
      />
      <Decide
        testid="pause-approve"
        approves
        busy={busy}
        label={TEXTS.accept}
        onClick={() => onAnswer(acceptanceAnswer(true))}
      />
    </Buttons>
  );
}

function QuestionAnswer({ fields, busy, draftKey, onAnswer }: Props & { fields: QuestionField[] }) {
  const draft = useAnswerDraft({ draftKey, onAnswer }, "");
  const values: FieldValues = draft.text === "" ? initialValues(fields) : (parseJson(draft.text) as FieldValues);
  const content = contentOf(fields, values);
  const accept = (event: FormEvent) => {
    event.preventDefault();
    if (!busy && content) void draft.send(acceptanceAnswer(true, content));
  };
  return (
    <form onSubmit={accept}>
      <QuestionFields
        fields={fields}
        values={values}
        onChange={(name, value) => draft.setText(formatJson({ ...values, [name]: value }) ?? "")}
      />
      <Buttons>
        <Button type="submit" kind="main" disabled={busy || !content} data-testid="pause-send">
          <Check size={14} aria-hidden /> {TEXTS.accept}
        </Button>
        <Decide
          testid="pause-reject"
          busy={busy}
          label={TEXTS.decline}
          onClick={() => void draft.send(acceptanceAnswer(false))}
        />
      </Buttons>
    </form>
  );
}

/** A question with content that a form cannot express. */
function JsonQuestionAnswer({ content, onAnswer, ...props }: Props & { content: Schema }) {
  return (
    <>
      <JsonAnswer {...props} schema={content} onAnswer={(value) => onAnswer({ accept: true, content: value })} />
      <Buttons>
        <Decide
          testid="pause-reject"
          busy={props.busy}
          label={TEXTS.decline}
          onClick={() => onAnswer(acceptanceAnswer(false))}
        />
      </Buttons>
    </>
  );
}

function JsonAnswer({ schema, label, busy, onAnswer, draftKey }: Props) {
  const {
    text,
    setText,
    send: sendAnswer,
  } = useAnswerDraft({ draftKey, onAnswer }, formatJson(skeleton(schema), 2) ?? "");
  const { value, wrong } = parse(text);
  const send = () => {
    if (busy || wrong !== undefined) return;
    void sendAnswer(value);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      event.stopPropagation();
      send();
    }
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: only catches the shortcut of the field inside.
    <div onKeyDown={onKeyDown}>
      <AnswerText
        label={TEXTS.jsonLabel(label)}
        text={text}
        onText={setText}
        placeholder={TEXTS.json}
        mono
        invalid={wrong !== undefined}
        end={<SendButton busy={busy || wrong !== undefined} onSend={send} keys="Ctrl+↵" />}
      />
      {wrong === undefined ? null : <p className="mt-1 text-fg-2 text-xs">{wrong}</p>}
      <details className="mt-1 text-fg-3 text-xs">
        <summary className="w-fit">{TEXTS.expectedFormat}</summary>
        <pre className="mt-1 max-h-40 overflow-auto rounded-md bg-bg p-2 font-mono">{formatJson(schema, 2)}</pre>
      </details>
    </div>
  );
}

function parse(text: string): { value?: unknown; wrong?: string } {
  try {
    return { value: parseJson(text) };
  } catch (thrown) {
    return { wrong: `Invalid JSON: ${thrown instanceof Error ? thrown.message : String(thrown)}` };
  }
}

function Buttons({ children }: { children: ReactNode }) {
  return <div className="mt-1.5 flex flex-wrap gap-2">{children}</div>;
}

function Decide({
  testid,
  label,
  approves = false,
  main = false,
  busy,
  focus = false,
  onClick,
}: {
  testid: string;
  label: string;
  approves?: boolean;
  /** Whether it is the one to take without thinking. */
  main?: boolean;
  busy: boolean;
  focus?: boolean;
  onClick: () => void;
}) {
  // The first one is also what `pause-answer` finds, so that the keyboard goes there.
  return (
    <span data-testid={testid} className="contents">
      <Button
        kind={main ? "main" : approves ? "plain" : "danger"}
        disabled={busy}
        data-testid={focus ? "pause-answer" : undefined}
        onClick={onClick}
      >
        {approves ? <Check size={14} aria-hidden /> : <X size={14} aria-hidden />} {label}
      </Button>
    </span>
  );
}

function SendButton({
  busy,
  onSend,
  submit = false,
  keys = "↵",
}: {
  busy: boolean;
  onSend?: () => void;
  submit?: boolean;
  keys?: string;
}) {
  return (
    <button
      type={submit ? "submit" : "button"}
      data-testid="pause-send"
      disabled={busy}
      title={TEXTS.sendAnswer}
      className="inline-flex h-[26px] shrink-0 items-center gap-1.5 self-end rounded-sm px-2 font-mono text-fg-2 text-xs hover:bg-bg-3 hover:text-fg disabled:opacity-50"
      onClick={onSend}
    >
      {keys === "↵" ? <CornerDownLeft size={12} aria-hidden /> : keys} {TEXTS.send}
    </button>
  );
}
