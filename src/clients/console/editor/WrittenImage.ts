import type { ChangeSpec, EditorState } from "@codemirror/state"
import { imageSizeIn } from "../../../../services/markdown/ImageSize.ts"
import type { Node } from "./Formatting.ts"

/** An image of a file of the note, as the text has it: `![alt|300](attachment:…)` or `![[x.png|300x200]]`. */
export interface WrittenImage {
  /** The target of its link. */
  readonly target: string
  readonly alt: string
  readonly width: number | undefined
  readonly height: number | undefined
  /** The change of the text that gives it a width. No byte changes but those of the size. */
  readonly resized: (width: number) => ChangeSpec
}

/** Maximum characters of an image whose address and words are read. */
const longest = 4_000

/** Whether a bar ends a cell there. */
const isInTable = (node: Node | null): boolean => node !== null && (node.name === "TableCell" || isInTable(node.parent))

/** The image of a node of the syntax; undefined for one that is no file of the note. */
export const writtenImage = (state: EditorState, node: Node): WrittenImage | undefined => {
  if (node.to - node.from > longest) return undefined
  const text = state.sliceDoc(node.from, node.to)
  const [, embedded] = /^!\[\[([^[\]\n]{1,500})\]\]$/.exec(text) ?? []
  const url = node.getChild("URL")
  const end = node.getChildren("LinkMark")[1]
  if (embedded === undefined && (url === null || end === undefined)) return undefined
  const start = node.from + (embedded === undefined ? 2 : 3)
  const words = embedded ?? state.sliceDoc(start, end!.from)
  const target = embedded?.split(/\\?\|/, 1)[0]!.trim() ?? state.sliceDoc(url!.from, url!.to).replace(/^<(.*)>$/, "$1")
  if (/^(?!attachment:)(?:[a-z][a-z\d+.-]*:|\/\/|#)/i.test(target)) return undefined
  const size = imageSizeIn(words)
  const at = start + (size?.from ?? words.length)
  return {
    target,
    alt: size === undefined ? words : words.slice(0, words.lastIndexOf("|")),
    width: size && Number(size.width),
    height: size?.height === undefined ? undefined : Number(size.height),
    resized: (width) =>
      size === undefined
        ? { from: at, insert: `${isInTable(node) ? "\\" : ""}|${width}` }
        : { from: at, to: start + size.to, insert: String(width) }
  }
}
