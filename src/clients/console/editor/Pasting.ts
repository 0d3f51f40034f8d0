import type { EditorState, TransactionSpec } from "@codemirror/state"
import { decoded } from "../../../../services/markdown/LinkText.ts"
import { isoTime } from "../LocalTime.ts"
import { code, nodeAround, treeTo } from "./Formatting.ts"

/** One address, without white space. */
const address = /^(?:https?:\/\/|mailto:)[^\s<>]+$/i

/** The insertion of Markdown at the cursor. Blocks begin a line of their own. */
export const insertionOf = (state: EditorState, markdown: string): TransactionSpec => {
  const { from, to } = state.selection.main
  const line = state.doc.lineAt(from)
  const isBlock = markdown.includes("\n") || /^(?:(?:#{1,6}|[->]|\d+\.) |\||`{3})/.test(markdown)
  const isAtStart = state.sliceDoc(line.from, from).trim() === ""
  const isAtEnd = state.sliceDoc(to, state.doc.lineAt(to).to).trim() === ""
  const insert = `${isBlock && !isAtStart ? "\n\n" : ""}${markdown}${isBlock && !isAtEnd ? "\n\n" : ""}`
  return { changes: { from, to, insert }, selection: { anchor: from + insert.length } }
}

/** Whether a place is in code, where all that is pasted stays as it is. */
export const isInCode = (state: EditorState): boolean => {
  const { from, to } = state.selection.main
  return nodeAround(treeTo(state, to), from, code) !== undefined
}

/** The change of an address that is pasted over selected words, which become a link; undefined for other texts. */
export const linkOfPasted = (state: EditorState, pasted: string): TransactionSpec | undefined => {
  const { empty, from, to } = state.selection.main
  const url = pasted.trim()
  const words = state.sliceDoc(from, to)
  if (empty || !address.test(url) || /[\n[\]]/.test(words) || address.test(words.trim()) || isInCode(state))
    return undefined
  const target = /[()]/.test(url) ? `<${url}>` : url
  const insert = `[${words}](${target})`
  return { changes: { from, to, insert }, selection: { anchor: from + insert.length } }
}

/** Whether a copied text only names the copied files, as file managers add it: names, paths or addresses. */
export const namesFiles = (text: string, files: Iterable<File>): boolean => {
  const names = new Set([...files].map(({ name }) => name))
  const lines = text.split(/[\r\n]+/).filter((line) => line.trim() !== "")
  return lines.every((line) => {
    const name = line.trim().split(/[/\\]/).at(-1)!
    return names.has(name) || names.has(decoded(name))
  })
}

/** The name of a picture from the clipboard, which has none of its own: `Pasted image 2026-11-29 12.34.56.png`. */
export const nameOfPicture = (type: string, at: Date, index: number): string => {
  const time = isoTime(at).replace("T", " ").replaceAll(":", ".")
  const ending = /^image\/([a-z0-9]+)/.exec(type)?.[1]?.replace("jpeg", "jpg") ?? "png"
  return `Pasted image ${time}${index === 0 ? "" : ` ${index + 1}`}.${ending}`
}
