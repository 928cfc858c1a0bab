/** What was added to Markdown since it was parsed. Only the element at its end reads it, so that growth draws nothing else. */
import { createContext } from "react";

export const MarkdownTail = createContext("");
