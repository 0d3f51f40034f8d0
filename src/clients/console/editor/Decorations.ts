import { syntaxTree } from "@codemirror/language"
import type { EditorState, Extension, Range } from "@codemirror/state"
import { Decoration, type DecorationSet, type EditorView, ViewPlugin, type ViewUpdate } from "@codemirror/view"
import { boxDecoration } from "./BoxWidget.ts"

/** The decorations of what is on the screen. They change no letter of the text. */
const decorated = ({ state, visibleRanges }: EditorView): DecorationSet => {
  const found: Array<Range<Decoration>> = []
  for (const { from, to } of visibleRanges) decorate(state, from, to, found)
  return Decoration.set(found, true)
}

const decorate = (state: EditorState, from: number, to: number, found: Array<Range<Decoration>>): void => {
  syntaxTree(state).iterate({
    from,
    to,
    enter: ({ from: start, name, to: end }) => {
      if (name !== "TaskMarker") return
      const box = boxDecoration(state, start, end)
      if (box !== undefined) found.push(box)
    }
  })
}

/** Shows a text nearly as it is read, in place. */
export const decorations: Extension = ViewPlugin.fromClass(
  class {
    decorations: DecorationSet

    constructor(view: EditorView) {
      this.decorations = decorated(view)
    }

    update({ docChanged, selectionSet, startState, state, view, viewportChanged }: ViewUpdate): void {
      if (docChanged || selectionSet || viewportChanged || syntaxTree(startState) !== syntaxTree(state))
        this.decorations = decorated(view)
    }
  },
  { decorations: (plugin) => plugin.decorations }
)
