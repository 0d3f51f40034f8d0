import { isolateHistory } from "@codemirror/commands"
import {
  Annotation,
  EditorState,
  type Extension,
  StateEffect,
  StateField,
  type Text,
  Transaction,
  type TransactionSpec
} from "@codemirror/state"
import { Decoration, EditorView } from "@codemirror/view"
import { frontMatterBlockOf } from "../../../../services/markdown/FrontMatterBlock.ts"
import { textChanges } from "../comparing/TextChanges.ts"

/** Maximum characters of front matter. */
const longest = 64 * 1024

const setCovered = StateEffect.define<boolean>()
const ofForm = Annotation.define<boolean>()

const endIn = (doc: Text): number =>
  doc.sliceString(0, 3) === "---" ? (frontMatterBlockOf(doc.sliceString(0, longest))?.end ?? 0) : 0

/** Whether a form replaces the front matter, and where the text behind it begins; 0 without front matter. */
const cover = StateField.define<{ readonly isCovered: boolean; readonly end: number }>({
  create: ({ doc }) => ({ isCovered: false, end: endIn(doc) }),
  update: (before, { docChanged, effects, newDoc }) => {
    const isCovered = effects.find((effect) => effect.is(setCovered))?.value ?? before.isCovered
    if (!docChanged && isCovered === before.isCovered) return before
    return { isCovered, end: docChanged ? endIn(newDoc) : before.end }
  }
})

/** The end of front matter that is hidden: a form replaces it, and the cursor is behind it. 0 if none is. */
const hiddenEnd = (state: EditorState): number => {
  const { end, isCovered } = state.field(cover)
  const isHidden = isCovered && state.selection.ranges.every(({ from }) => from >= end)
  // Without a line behind it, the cursor could not leave it.
  return isHidden && state.sliceDoc(end - 1, end) === "\n" ? end : 0
}

/** Whether front matter is shown as it is written. */
export const isSource = (state: EditorState): boolean => state.field(cover).end > 0 && hiddenEnd(state) === 0

/** States whether a form replaces the front matter. A cursor at the start of the text is put behind it. */
export const covered = (state: EditorState, isCovered: boolean): TransactionSpec => {
  const { empty, head } = state.selection.main
  const isAtStart = isCovered && empty && head === 0
  return {
    effects: setCovered.of(isCovered),
    ...(isAtStart ? { selection: { anchor: state.field(cover).end } } : {})
  }
}

/** Replaces a text by one that the form has changed, for undo. */
export const changedByForm = (state: EditorState, text: string, isTyping: boolean): TransactionSpec => ({
  changes: [...textChanges(state.doc.toString(), text)],
  userEvent: isTyping ? "input.type" : "input",
  annotations: [ofForm.of(true), ...(isTyping ? [] : [isolateHistory.of("full")])]
})

/** Hides front matter that a form replaces while the cursor is elsewhere. A key that would change it shows it instead. */
export const coveredFrontMatter: Extension = [
  cover,
  EditorView.decorations.compute([cover, "selection"], (state) => {
    const end = hiddenEnd(state)
    return end === 0 ? Decoration.none : Decoration.set(Decoration.replace({ block: true }).range(0, end - 1))
  }),
  EditorState.transactionFilter.of((transaction) => {
    const { changes, docChanged, startState } = transaction
    const event = transaction.annotation(Transaction.userEvent)
    const isOfKeys = event !== undefined && !/^(?:undo|redo)/.test(event) && transaction.annotation(ofForm) !== true
    const end = docChanged && isOfKeys ? hiddenEnd(startState) : 0
    const isHidden = end > 0 && changes.touchesRange(0, end - 1) !== false
    return isHidden ? { selection: { anchor: end - 1 }, scrollIntoView: true } : transaction
  })
]
