/** The props of the code editor and of the plain field that stands in for it while it loads. */
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
