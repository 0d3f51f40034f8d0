import { syntaxTree } from "@codemirror/language"
import type { EditorState, Extension, Range } from "@codemirror/state"
import { Decoration, type DecorationSet, EditorView, ViewPlugin, type ViewUpdate } from "@codemirror/view"
import { isApple } from "../Keys.ts"
import { boxDecoration } from "./BoxWidget.ts"
import { brokenLinks } from "./LinkMarks.ts"
import { texts } from "./EditorMessages.ts"
import { code } from "./Formatting.ts"
import { type AddressOf, ImageWidget } from "./ImageWidget.ts"
import { writtenImage } from "./WrittenImage.ts"
import { nameIn, wikiLink } from "./FoundLink.ts"

/** The direction of a line is that of its first letter. */
const line = Decoration.line({ attributes: { dir: "auto" } })
/** Lines of blocks by the node of the syntax. */
const blocks: Readonly<Record<string, Decoration>> = {
  FencedCode: Decoration.line({ class: "cm-code-line" }),
  CodeBlock: Decoration.line({ class: "cm-code-line" }),
  Blockquote: Decoration.line({ class: "cm-quote-line" }),
  Table: Decoration.line({ class: "cm-table-line" })
}
const inlineCode = Decoration.mark({ class: "cm-code" })
const marked = Decoration.mark({ class: "cm-marked" })
const followed = Decoration.mark({ attributes: { title: texts.follow(isApple ? "⌘" : "Ctrl") } })
const noteScheme = "note:"
/** A link to a note, which is shown while the pointer rests on it, and one that leads to none or to several. */
const followedNote = Decoration.mark({ class: "cm-note-link" })
const brokenNote = {
  missing: Decoration.mark({ class: "cm-note-link cm-missing" }),
  ambiguous: Decoration.mark({ class: "cm-note-link cm-ambiguous" })
}

const highlight = /==(?=\S)[^=\n]{0,1000}[^=\s]==/g

/** Whether the cursor, or a part of the selection, is in some lines. */
const isWritten = (state: EditorState, from: number, to: number): boolean =>
  state.selection.ranges.some((range) => range.from <= to && range.to >= from)

const decorate = (
  state: EditorState,
  from: number,
  to: number,
  found: Array<Range<Decoration>>,
  addressOf: AddressOf
) => {
  const tree = syntaxTree(state)
  const broken = state.field(brokenLinks)
  const noteLinkOf = (written: string): Decoration => {
    const status = broken.get(nameIn(written))
    return status === undefined ? followedNote : brokenNote[status]
  }
  for (let at = from; at <= to;) {
    const { from: lineStart, to: end } = state.doc.lineAt(at)
    found.push(line.range(lineStart))
    // A very long line is on the screen in part.
    const start = Math.max(lineStart, from)
    const text = state.sliceDoc(start, Math.min(end, to))
    for (const [pattern, decorationOf] of [
      [highlight, () => marked],
      [wikiLink, noteLinkOf]
    ] as const) {
      for (const { 0: written, 1: target = "", index } of text.matchAll(pattern)) {
        if (!code.includes(tree.resolveInner(start + index, 1).name))
          found.push(decorationOf(target).range(start + index, start + index + written.length))
      }
    }
    at = end + 1
  }
  tree.iterate({
    from,
    to,
    enter: ({ from: start, name, node, to: end }) => {
      const block = blocks[name]
      if (block !== undefined) {
        for (let at = Math.max(start, from); at <= Math.min(end, to);) {
          const { from: lineStart, to: lineEnd } = state.doc.lineAt(at)
          found.push(block.range(lineStart))
          at = lineEnd + 1
        }
      } else if (name === "InlineCode") found.push(inlineCode.range(start, end))
      else if (name === "Link" || name === "Autolink") {
        const url = node.getChild("URL")
        if (url === null) return
        const isNote = state.sliceDoc(url.from, url.from + noteScheme.length) === noteScheme
        found.push((isNote ? followedNote : followed).range(start, end))
      } else if (name === "TaskMarker") {
        const box = boxDecoration(state, start, end)
        if (box !== undefined) found.push(box)
      } else if (name === "Image") {
        const image = writtenImage(state, node)
        const { from: lineStart, to: lineEnd } = state.doc.lineAt(end)
        if (image === undefined || isWritten(state, lineStart, lineEnd)) return
        const widget = new ImageWidget(image, lineEnd - start, addressOf)
        found.push(Decoration.widget({ widget, side: 1 }).range(lineEnd))
      }
    }
  })
}

/** The decorations of what is on the screen. They change no letter of the text. */
const decorated = ({ state, visibleRanges }: EditorView, addressOf: AddressOf): DecorationSet => {
  const found: Array<Range<Decoration>> = []
  for (const { from, to } of visibleRanges) decorate(state, from, to, found, addressOf)
  return Decoration.set(found, true)
}

/** Shows a text nearly as it is read, in place. `addressOf` returns the addresses of its images. */
export const decorations = (addressOf: AddressOf): Extension => [
  EditorView.perLineTextDirection.of(true),
  brokenLinks,
  ViewPlugin.fromClass(
    class {
      decorations: DecorationSet

      constructor(view: EditorView) {
        this.decorations = decorated(view, addressOf)
      }

      update({ docChanged, selectionSet, startState, state, view, viewportChanged }: ViewUpdate): void {
        const isOther =
          syntaxTree(startState) !== syntaxTree(state) || startState.field(brokenLinks) !== state.field(brokenLinks)
        if (docChanged || selectionSet || viewportChanged || isOther) this.decorations = decorated(view, addressOf)
      }
    },
    { decorations: (plugin) => plugin.decorations }
  )
]
