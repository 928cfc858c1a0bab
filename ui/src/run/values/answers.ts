/** What a person answered. */
import type { Answer, Attachment } from "@/bindings";

/** The value of an answer; undefined for a pause that was ended. */
export function answerValue(answer: Answer): unknown {
  if (answer === "end") return undefined;
  return "attached" in answer ? answer.attached.value : answer.value;
}

/** The images and files of an answer. */
export function answerAttachments(answer: Answer): readonly Attachment[] {
  return answer !== "end" && "attached" in answer ? answer.attached.attachments : [];
}
