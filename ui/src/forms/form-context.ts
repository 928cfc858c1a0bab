/** What a form around its fields says: when a change is complete, and how much room there is. */
import { createContext, useContext } from "react";
import { useWorkspace } from "@/workspace/context";
import type { FieldProps } from "./props";

type FormProps = {
  /** Called when a field is left, and after each click and choice. Without it, the flow's undo step ends. */
  onSettled?: () => void;
  /** Small labels, with the help as their tooltip. */
  compact: boolean;
};

export const FormContext = createContext<FormProps>({ compact: false });

/** Says that what was typed in a row is complete. */
export function useSettle(): () => void {
  const { editor } = useWorkspace();
  const { onSettled } = useContext(FormContext);
  return onSettled ?? (() => editor.sealGesture());
}

/** For clicks and choices: each is complete, and undone separately, while typing in a row is undone together. */
export function useStepwise(onChange: FieldProps["onChange"]): FieldProps["onChange"] {
  const settle = useSettle();
  return (path, value) => {
    onChange(path, value);
    settle();
  };
}
