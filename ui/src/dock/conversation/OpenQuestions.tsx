import { useRunHead } from "@/workspace/run-hooks";

/** A dot while the shown run waits for an answer. */
export function OpenQuestions() {
  const count = useRunHead((head) => head.pauses.length);
  if (count === 0) return null;
  return (
    <span
      className="size-2 rounded-full bg-wait"
      role="img"
      aria-label={`${count} open ${count === 1 ? "question" : "questions"}`}
    />
  );
}
