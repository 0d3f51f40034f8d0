import type { EditorState } from "@codemirror/state"
import { Decoration, type EditorView, WidgetType } from "@codemirror/view"
import { boxOf } from "../../../../services/markdown/contents/TaskLines.ts"
import { texts } from "./EditorMessages.ts"
import { toggledBox } from "./Tasks.ts"

/** A box that a click ticks. Keys have a command of the text. */
class BoxWidget extends WidgetType {
  readonly #isTicked: boolean

  constructor(isTicked: boolean) {
    super()
    this.#isTicked = isTicked
  }

  override eq(other: BoxWidget): boolean {
    return other.#isTicked === this.#isTicked
  }

  override toDOM(view: EditorView): HTMLElement {
    const input = document.createElement("input")
    input.type = "checkbox"
    input.className = "cm-box"
    input.checked = this.#isTicked
    input.ariaLabel = this.#isTicked ? texts.ticked : texts.unticked
    input.tabIndex = -1
    input.addEventListener("mousedown", (event) => event.preventDefault())
    input.addEventListener("click", (event) => {
      event.preventDefault()
      const change = toggledBox(view.state, view.posAtDOM(input))
      if (change !== undefined) view.dispatch(change)
    })
    return input
  }

  /** Clicks are those of the box. */
  override ignoreEvent(): boolean {
    return true
  }
}

/** Shows the box of a task at `from`, unless the cursor is in it. */
export const boxDecoration = (state: EditorState, from: number, to: number) => {
  const isInside = state.selection.ranges.some((range) => range.from < to && range.to > from)
  if (isInside || boxOf(state.doc.lineAt(from).text) === undefined) return undefined
  const isTicked = state.sliceDoc(from + 1, from + 2) !== " "
  return Decoration.replace({ widget: new BoxWidget(isTicked) }).range(from, to)
}
