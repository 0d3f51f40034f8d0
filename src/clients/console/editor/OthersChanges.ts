import { undo as undoOwn } from "@codemirror/commands"
import {
  type ChangeSpec,
  type EditorState,
  type Extension,
  StateField,
  type StateCommand,
  Transaction,
  type TransactionSpec
} from "@codemirror/state"
import { textChanges, wordChanges } from "../comparing/TextChanges.ts"

/** A part of the text that others have written. */
interface Part {
  readonly from: number
  readonly to: number
}

/** Maximum number of parts that are known, the latest ones. */
const maxParts = 1_000

/** Whether a transaction has what others have changed. */
export const isOfOthers = (transaction: Transaction): boolean => transaction.annotation(Transaction.remote) === true

/** The parts of others, which a text keeps with its history. */
export const othersParts = StateField.define<ReadonlyArray<Part>>({
  create: () => [],
  toJSON: (parts) => parts,
  fromJSON: (parts: ReadonlyArray<Part>) => parts,
  update: (before, transaction) => {
    const { changes, docChanged } = transaction
    if (!docChanged) return before
    const parts = before
      .map(({ from, to }) => ({ from: changes.mapPos(from, 1), to: changes.mapPos(to, -1) }))
      .filter(({ from, to }) => from < to)
    if (isOfOthers(transaction))
      changes.iterChanges((_from, _to, from, to) => void (from < to && parts.push({ from, to })))
    return parts.slice(-maxParts)
  }
})

/** Keeps apart what others have written from what the user has. */
export const othersChanges: Extension = othersParts

/**
 * Replaces a text by one that others have changed, word by word: undo takes no letter of their words. The cursor stays, also
 * in a word that they have changed.
 */
export const changedByOthers = (state: EditorState, text: string): TransactionSpec => {
  const before = state.doc.toString()
  return {
    changes: [...wordChanges(before, text)],
    selection: state.selection.map(state.changes([...textChanges(before, text)])),
    annotations: [Transaction.remote.of(true), Transaction.addToHistory.of(false)]
  }
}

/** White space to put back where an undo has removed what was between words of others and other ones. */
const gapsOf = ({ changes, newDoc, startState }: Transaction): ReadonlyArray<ChangeSpec> => {
  const old = startState.doc
  const isGlued = (text: string) => /^\S\S$/.test(text)
  const around = (doc: typeof old, at: number) => doc.sliceString(Math.max(0, at - 1), at + 1)
  const gaps = new Map<number, string>()
  for (const part of startState.field(othersParts)) {
    const [from, to] = [changes.mapPos(part.from, 1), changes.mapPos(part.to, -1)]
    if (from >= to) continue
    for (const [at, place] of [
      [part.from, from],
      [part.to, to]
    ] as const) {
      if (isGlued(around(old, at)) || !isGlued(around(newDoc, place))) continue
      const before = /\s+$/.exec(old.lineAt(at).text.slice(0, at - old.lineAt(at).from))?.[0]
      const isLineStart = old.lineAt(at).from === at && at > 0
      gaps.set(place, isLineStart ? "\n" : (before ?? /^\s/.exec(old.sliceString(at, at + 1))?.[0] ?? " "))
    }
  }
  return [...gaps].map(([from, insert]) => ({ from, insert }))
}

/** Takes back the last change of the user. What others have written stays, and is not glued to the words around it. */
export const undo: StateCommand = ({ dispatch, state }) =>
  undoOwn({
    state,
    dispatch: (transaction) => {
      dispatch(transaction)
      const changes = gapsOf(transaction)
      if (changes.length > 0)
        dispatch(transaction.state.update({ changes, annotations: Transaction.addToHistory.of(false) }))
    }
  })
