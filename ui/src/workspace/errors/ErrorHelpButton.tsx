import { CircleQuestionMark } from "lucide-react";
import { IconButton } from "@/design/controls/Button";
import { useWorkspace } from "@/workspace/context";

/** Opens the guide at what an error's code means and what to do about it. */
export function ErrorHelpButton({ code }: { code: string }) {
  const { guide } = useWorkspace();
  return (
    <IconButton
      label="What is this?"
      icon={<CircleQuestionMark size={15} aria-hidden />}
      data-testid="explain-error"
      onClick={() => guide.explainError(code)}
    />
  );
}
