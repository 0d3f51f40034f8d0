import { indentLess, insertTab } from "@codemirror/commands"
import type { ChangeSpec, EditorState, StateCommand } from "@codemirror/state"
import { nodeAround, treeTo } from "./Formatting.ts"

type Node = NonNullable<ReturnType<typeof nodeAround>>

/** The items of lists that begin in the selected lines, without those inside of other ones. */
const itemsOf = (state: EditorState): ReadonlyArray<Node> => {
  const { from, to } = state.selection.main
  const [first, last] = [state.doc.lineAt(from), state.doc.lineAt(to)]
  const items: Array<Node> = []
  treeTo(state, last.to).iterate({
    from: first.from,
    to: last.to,
    enter: ({ from: start, name, node }) => {
      if (name !== "ListItem" || start < first.from || start > last.to) return true
      items.push(node)
      return false
    }
  })
  return items
}

/** The characters before an item in its line. */
const depthOf = (state: EditorState, item: Node): number => item.from - state.doc.lineAt(item.from).from

/** The characters from the mark of an item to its text. */
const markLength = (state: EditorState, item: Node): number =>
  Math.max(2, /^(?:[-+*]|\d+[.)])[ \t]?/.exec(state.sliceDoc(item.from, item.to))?.[0].length ?? 0)

/** Changes each line of an item at some characters from its start. */
const inLines = (
  state: EditorState,
  item: Node,
  depth: number,
  change: (place: number, text: string) => ChangeSpec | undefined
): ReadonlyArray<ChangeSpec> => {
  const changes: Array<ChangeSpec> = []
  for (let at = item.from; at <= item.to;) {
    const line = state.doc.lineAt(at)
    const made = line.length <= depth ? undefined : change(line.from + depth, line.text.slice(depth))
    if (made !== undefined) changes.push(made)
    at = line.to + 1
  }
  return changes
}

const number = /^\d+(?=[.)])/

/** Gives a number to an item of a numbered list. Only a list that begins with 1 may follow a paragraph (CommonMark 5.3). */
const numbered = (state: EditorState, item: Node, value: number): ReadonlyArray<ChangeSpec> => {
  const digits = number.exec(state.sliceDoc(item.from, item.to))?.[0]
  return digits === undefined ? [] : [{ from: item.from, to: item.from + digits.length, insert: String(value) }]
}

/** The number of an item; 0 in a list of bullets. */
const numberOf = (state: EditorState, item: Node | null | undefined): number =>
  item === null || item === undefined ? 0 : Number(number.exec(state.sliceDoc(item.from, item.to))?.[0] ?? 0)

/** Items go into the item before the first of them. The first one of a list has none. */
const deeper = (state: EditorState, items: ReadonlyArray<Node>): ReadonlyArray<ChangeSpec> => {
  let before = items[0]!.prevSibling
  while (before !== null && before.name !== "ListItem") before = before.prevSibling
  if (before === null) return []
  const insert = " ".repeat(markLength(state, before))
  const last = numberOf(state, before.lastChild?.name === "OrderedList" ? before.lastChild.lastChild : undefined)
  return items.flatMap((item, index) => [
    ...inLines(state, item, depthOf(state, item), (from) => ({ from, insert })),
    ...numbered(state, item, last + index + 1)
  ])
}

/** An item goes out of the item that it is in. */
const higherItem = (state: EditorState, item: Node): ReadonlyArray<ChangeSpec> => {
  const above = item.parent?.parent
  const outer = above?.name === "ListItem" ? above : undefined
  const depth = outer === undefined ? 0 : depthOf(state, outer)
  const less = depthOf(state, item) - depth
  const changes = inLines(state, item, depth, (from, text) => {
    const { length } = /^[ \t]*/.exec(text.slice(0, less))![0]
    return length === 0 ? undefined : { from, to: from + length }
  })
  const value = numberOf(state, outer)
  return value === 0 ? changes : [...changes, ...numbered(state, item, value + 1)]
}

const higher = (state: EditorState, items: ReadonlyArray<Node>): ReadonlyArray<ChangeSpec> =>
  items.flatMap((item) => higherItem(state, item))

const isInCode = (state: EditorState): boolean => {
  const { head } = state.selection.main
  return nodeAround(treeTo(state, head), head, ["FencedCode"]) !== undefined
}

const moved =
  (
    move: (state: EditorState, items: ReadonlyArray<Node>) => ReadonlyArray<ChangeSpec>,
    otherwise: StateCommand
  ): StateCommand =>
  (target) => {
    const { dispatch, state } = target
    const items = isInCode(state) ? [] : itemsOf(state)
    if (items.length === 0) return otherwise(target)
    const changes = move(state, items)
    if (changes.length > 0) dispatch(state.update({ changes, userEvent: "input.indent" }))
    return true
  }

/**
 * Tab puts items of a list into the item before them, and writes a tab behind text and in code. Nowhere else does it do
 * anything, because four spaces or a tab before a paragraph make code of it.
 */
export const tab = moved(deeper, (target) => {
  const { head, empty } = target.state.selection.main
  const line = target.state.doc.lineAt(head)
  const isBehindText = empty && line.text.slice(0, head - line.from).trim() !== ""
  if (isBehindText || isInCode(target.state)) insertTab(target)
  return true
})

export const shiftTab = moved(higher, (target) => indentLess(target) || true)

const nothing: StateCommand = () => true

/** Puts items of a list into the item before them. */
export const indent = moved(deeper, nothing)
/** Takes items of a list out of the item that they are in. */
export const outdent = moved(higher, nothing)
