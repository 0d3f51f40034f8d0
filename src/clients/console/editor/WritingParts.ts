/** What is loaded when a note is first written. It is one file, as what is shown on demand. */
import "../SharedParts.ts"
export { attach } from "../notes/Attaching.ts"
export { Editor } from "./Editor.ts"
export { showLine } from "./showLine.ts"
export { filled } from "./TemplateValues.ts"
