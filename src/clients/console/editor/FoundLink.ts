import type { EditorState } from "@codemirror/state"
import { decoded } from "../../../../services/markdown/LinkText.ts"
import { code, nodeAround, treeTo } from "./Formatting.ts"

/** A link to an address, to a file, or to a note by its id or name, with a place in it. */
export type FoundLink =
  | { readonly kind: "address"; readonly url: string }
  | { readonly kind: "file"; readonly id: string }
  | { readonly kind: "note"; readonly target: string }

/** A link in double brackets, with its target and what it shows. */
export const wikiLink = /\[\[([^[\]\n]{1,400})\]\]/g

/** The target of a link, of what is written in its brackets. */
export const nameIn = (written: string): string => written.split(/\\?\|/)[0]!.trim()

/** The target of an address in a text; undefined for one that a page does not open. */
export const targetOf = (written: string): FoundLink | undefined => {
  const url = written.replace(/^<(.*)>$/, "$1")
  const [, scheme, id = "", place = ""] = /^(attachment|note):([\w-]+)(#.*)?$/.exec(url) ?? []
  if (scheme === "attachment") return { kind: "file", id }
  if (scheme === "note") return { kind: "note", target: id + decoded(place) }
  if (/^(?:https?:\/\/|mailto:|tel:)/i.test(url)) return { kind: "address", url }
  return /^www\./i.test(url) ? { kind: "address", url: `https://${url}` } : undefined
}

/** The link at a place of a text. */
export const linkAt = (state: EditorState, place: number): FoundLink | undefined => {
  const tree = treeTo(state, place)
  if (nodeAround(tree, place, code) !== undefined) return undefined
  const line = state.doc.lineAt(place)
  for (const { 0: written, 1: target = "", index } of line.text.matchAll(wikiLink)) {
    const from = line.from + index
    if (from <= place && place <= from + written.length) return { kind: "note", target: nameIn(target) }
  }
  const node = nodeAround(tree, place, ["Link", "Image", "Autolink", "URL"])
  const url = node?.name === "URL" ? node : node?.getChild("URL")
  return url === undefined || url === null ? undefined : targetOf(state.sliceDoc(url.from, url.to))
}
