import { shortened } from "../../../markdown/Rendered.ts"
import { bullet, property } from "./LogseqOutline.ts"
import { withoutState } from "./LogseqTasks.ts"

/** References to blocks of Logseq, `((id))`, and their targets. */

const uuid = "[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"
export const reference = new RegExp(String.raw`\(\((${uuid})\)\)`, "gi")
export const isUuid = new RegExp(`^${uuid}$`, "i")
const idProperty = new RegExp(String.raw`^[ \t]*(?:[-*+] )?id:: +(${uuid})$`, "i")

/** Maximum number of blocks of a page that links can lead to. */
const maxReferences = 10_000
/** Maximum characters of the words of a block in a link to it. */
const maxLabel = 80

/** The text of a block as plain words. */
const plainWords = (text: string): string =>
  shortened(
    withoutState(text.slice(0, 1_000))
      .replace(/^#{1,6}[ \t]+/, "")
      .replaceAll(reference, "")
      .replaceAll(/!?\[([^[\]]*)\]\([^()]*\)/g, "$1")
      .replaceAll(/\[\[|\]\]|\{\{|\}\}|[`*_~<>\\]/g, ""),
    maxLabel
  )

/** The blocks of a page that have an id, with their first words, which references show. */
export const labelledBlocks = (text: string): ReadonlyMap<string, string> => {
  const found = new Map<string, string>()
  let words = ""
  for (const line of text.split("\n")) {
    const [, id] = idProperty.exec(line.trimEnd()) ?? []
    if (id !== undefined) {
      found.set(id.toLowerCase(), plainWords(words))
      if (found.size === maxReferences) break
    }
    const text = bullet.exec(line.trimEnd())?.[3]
    if (text !== undefined) words = property.test(text) ? "" : text
  }
  return found
}

/** The blocks that a page refers to. */
export const referredBlocks = (text: string, blocks: ReadonlyMap<string, string>): ReadonlyMap<string, string> => {
  const found = new Map<string, string>()
  for (const [, id = ""] of text.matchAll(reference)) {
    const words = blocks.get(id.toLowerCase())
    if (words !== undefined) found.set(id.toLowerCase(), words)
  }
  return found
}
