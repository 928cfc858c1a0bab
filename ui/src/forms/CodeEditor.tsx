import { lazy, Suspense } from "react";
import { CONTROL } from "@/design/controls/control";
import type { CodeEditorProps } from "./code-editor-props";

const Mirror = lazy(() => import("./CodeMirror"));

/** A code editor for templates, Markdown, JSON, jq and CEL. A plain text area until the editor is loaded. */
export function CodeEditor(props: CodeEditorProps) {
  return (
    <Suspense fallback={<Plain {...props} />}>
      <Mirror {...props} />
    </Suspense>
  );
}

function Plain({ label, describedBy, invalid, placeholder, value, readOnly, onChange, onBlur }: CodeEditorProps) {
  return (
    <textarea
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
