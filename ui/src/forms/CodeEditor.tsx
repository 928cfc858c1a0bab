import { lazy, type RefObject, Suspense, useLayoutEffect, useRef } from "react";
import { CONTROL } from "@/design/controls/control";
import type { CodeEditorProps, KeptFocus } from "./code-editor-props";

const Mirror = lazy(() => import("./CodeMirror"));

/** A code editor for templates, Markdown, JSON, jq and CEL. A plain text area until the editor is loaded, which takes its focus over. */
export function CodeEditor(props: CodeEditorProps) {
  const focus = useRef<KeptFocus>(undefined);
  return (
    <Suspense fallback={<Plain {...props} focus={focus} />}>
      <Mirror {...props} focus={focus} />
    </Suspense>
  );
}

type PlainProps = CodeEditorProps & { focus: RefObject<KeptFocus> };

function Plain({ label, describedBy, invalid, placeholder, value, readOnly, onChange, onBlur, focus }: PlainProps) {
  const area = useRef<HTMLTextAreaElement>(null);
  useLayoutEffect(() => {
    const { current } = area;
    return () => {
      if (!current || document.activeElement !== current) return;
      focus.current = { anchor: current.selectionStart, head: current.selectionEnd };
    };
  }, [focus]);
  return (
    <textarea
      ref={area}
      className={`${CONTROL} min-h-16 font-mono text-xs`}
      rows={3}
      data-loading=""
      aria-label={label}
      aria-describedby={describedBy}
      aria-invalid={invalid || undefined}
      placeholder={placeholder}
      value={value}
      disabled={readOnly}
      onChange={(event) => onChange(event.target.value)}
      onBlur={onBlur}
    />
  );
}
