/** The selection of the fallback, if it had the focus. */
export type KeptFocus = { anchor: number; head: number } | undefined;

/** Props of the code editor and of its plain fallback. */
export type CodeEditorProps = {
  language: "template" | "markdown" | "json" | "jq" | "cel" | "plain";
  /** Its name for screen readers. */
  label: string;
  describedBy?: string;
  invalid?: boolean;
  placeholder?: string;
  value: string;
  readOnly: boolean;
  onChange: (value: string) => void;
  onBlur?: () => void;
};
