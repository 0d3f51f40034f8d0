import { ensureSyntaxTree, syntaxTree } from "@codemirror/language"
import {
  type ChangeSpec,
  EditorSelection,
  type EditorState,
  type SelectionRange,
  type StateCommand
} from "@codemirror/state"

type Tree = ReturnType<typeof syntaxTree>
/** A node of the syntax. */
export type Node = Tree["topNode"]

/** Maximum milliseconds for the parsing of a long text up to the cursor. */
const longestParse = 100

/** The syntax of a text up to a place. */
export const treeTo = (state: EditorState, place: number): Tree =>
  ensureSyntaxTree(state, place, longestParse) ?? syntaxTree(state)

/** The innermost node of some kinds that begins before a place or there, and ends behind it or there. */
export const nodeAround = (tree: Tree, place: number, kinds: ReadonlyArray<string>): Node | undefined => {
  for (const side of [1, -1] as const)
    for (let node: Node | null = tree.resolveInner(place, side); node !== null; node = node.parent)
      if (kinds.includes(node.name)) return node
  return undefined
}

/** A format of words: its node in the syntax of Markdown, and the mark on both sides. */
interface Format {
  readonly node: string
  readonly mark: string
}

interface Piece {
  readonly from: number
  readonly to: number
}

const formats = ["StrongEmphasis", "Emphasis", "Strikethrough"]
export const code = ["FencedCode", "CodeBlock", "InlineCode"]

/** The beginning of a line before its text: quotes, bullets, numbers, boxes, headings. */
const lineStart = /^\s*(?:>\s*|[-+*]\s+(?:\[[ xX]\]\s+)?|\d+[.)]\s+|#{1,6}\s+)*/

const trimmed = (state: EditorState, { from, to }: Piece): Piece => {
  const text = state.sliceDoc(from, to)
  const start = from + text.length - text.trimStart().length
  return { from: start, to: Math.max(start, start + text.trim().length) }
}

/** The selected text line by line, because a format does not continue over paragraphs. */
const piecesOf = (state: EditorState, { from, to }: Piece): ReadonlyArray<Piece> => {
  const pieces: Array<Piece> = []
  for (let at = from; at <= to;) {
    const line = state.doc.lineAt(at)
    const start = Math.max(from, line.from + lineStart.exec(line.text)![0].length)
    const piece = trimmed(state, { from: start, to: Math.max(start, Math.min(to, line.to)) })
    if (piece.from < piece.to) pieces.push(piece)
    at = line.to + 1
  }
  return pieces
}

const wordAt = (state: EditorState, place: number): Piece | undefined => {
  const line = state.doc.lineAt(place)
  const part = /[\p{L}\p{M}\p{N}'’-]/u
  let [from, to] = [place - line.from, place - line.from]
  while (from > 0 && part.test(line.text[from - 1]!)) from--
  while (to < line.text.length && part.test(line.text[to]!)) to++
  return from === to ? undefined : { from: line.from + from, to: line.from + to }
}

const marksOf = (node: Node): ReadonlyArray<ChangeSpec> =>
  [node.firstChild, node.lastChild].flatMap((mark) => (mark === null ? [] : [{ from: mark.from, to: mark.to }]))

/** The nodes of a format that a piece touches. */
const nodesIn = (tree: Tree, { from, to }: Piece, { node: name }: Format): ReadonlyArray<Node> => {
  const nodes: Array<Node> = []
  tree.iterate({
    from,
    to,
    enter: ({ from: start, name: found, node, to: end }) => {
      if (found === name && start < to && end > from) nodes.push(node)
    }
  })
  return nodes
}

/** The format of the selected text is taken away if all of it has the format, and is else given to all of it. */
const toggledPieces = (tree: Tree, pieces: ReadonlyArray<Piece>, format: Format): ReadonlyArray<ChangeSpec> => {
  const all = pieces.map((piece) => ({ piece, nodes: nodesIn(tree, piece, format) }))
  const covers =
    ({ from, to }: Piece) =>
    (node: Node) =>
      node.from <= from && node.to >= to
  const changes: Array<ChangeSpec> = []
  if (all.every(({ nodes, piece }) => nodes.some(covers(piece)))) {
    for (const node of new Map(all.flatMap(({ nodes }) => nodes.map((each) => [each.from, each]))).values())
      changes.push(...marksOf(node))
    return changes
  }
  let done = -1
  for (const { nodes, piece } of all) {
    if (piece.to <= done || nodes.some(covers(piece))) continue
    const from = Math.max(done, Math.min(piece.from, ...nodes.map((node) => node.from)))
    done = Math.max(piece.to, ...nodes.map((node) => node.to))
    changes.push(...nodes.flatMap(marksOf), { from, insert: format.mark }, { from: done, insert: format.mark })
  }
  return changes
}

/** Whether the cursor is between marks of a format without text: `**` has none of `*`, and `***` has it. */
const isBetweenMarks = (state: EditorState, place: number, { mark }: Format): boolean => {
  const run = (characters: ReadonlyArray<string>) => {
    const end = characters.findIndex((each) => each !== mark[0])
    return end < 0 ? characters.length : end
  }
  const before = [...state.sliceDoc(Math.max(0, place - 3), place)].reverse()
  const both = Math.min(run(before), run([...state.sliceDoc(place, place + 3)]))
  return mark.length === 1 ? both % 2 === 1 : both >= 2
}

/** The change of a format without a selection, and the cursor after it. */
const toggledAt = (
  state: EditorState,
  tree: Tree,
  head: number,
  format: Format
): { readonly changes: ReadonlyArray<ChangeSpec>; readonly cursor?: number } => {
  const { mark } = format
  const { length } = mark
  const node = nodeAround(tree, head, [format.node])
  // Behind what was typed in the format, the key ends the format.
  if (node?.lastChild?.from === head) return { changes: [], cursor: node.to }
  if (node !== undefined) return { changes: marksOf(node) }
  if (isBetweenMarks(state, head, format)) return { changes: [{ from: head - length, to: head + length }] }
  const line = state.doc.lineAt(head)
  const before = line.text.slice(0, head - line.from)
  const text = before.trimEnd()
  // A mark behind white space ends no format: the white space moves out.
  if (text !== before && text.includes(mark) && state.sliceDoc(head, head + length) === mark) {
    const changes = [
      { from: line.from + text.length, insert: mark },
      { from: head, to: head + length }
    ]
    return { changes, cursor: head + length }
  }
  const ended = nodeAround(tree, head, formats)
  if (ended?.to === head) {
    // Behind words in another format, which get this one too, or lose it.
    const inner = nodesIn(tree, ended, format)
    if (inner.length > 0) return { changes: inner.flatMap(marksOf) }
    return { changes: [ended.from, head].map((from) => ({ from, insert: mark })), cursor: head + 2 * length }
  }
  const word = wordAt(state, head)
  if (word === undefined) return { changes: [{ from: head, insert: mark + mark }], cursor: head + length }
  const changes = [word.from, word.to].map((from) => ({ from, insert: mark }))
  return { changes, cursor: head + (head === word.to ? 2 : 1) * length }
}

const toggle =
  (formatIn: (state: EditorState) => Format, without: ReadonlyArray<string>): StateCommand =>
  ({ dispatch, state }) => {
    const { empty, from, head, to } = state.selection.main
    const tree = treeTo(state, to)
    if (nodeAround(tree, from, without) !== undefined) return true
    const format = formatIn(state)
    if (empty) {
      const { changes, cursor } = toggledAt(state, tree, head, format)
      dispatch(
        state.update({
          changes: [...changes],
          ...(cursor === undefined ? {} : { selection: EditorSelection.cursor(cursor) }),
          userEvent: "input.format"
        })
      )
      return true
    }
    const pieces = piecesOf(state, { from, to })
    if (pieces.length === 0) return true
    const changes = state.changes([...toggledPieces(tree, pieces, format)])
    // The text stays selected, without its marks.
    const selection = EditorSelection.range(changes.mapPos(pieces[0]!.from, 1), changes.mapPos(pieces.at(-1)!.to, -1))
    dispatch(state.update({ changes, selection, userEvent: "input.format" }))
    return true
  }

const words = (node: string, mark: string): StateCommand => toggle(() => ({ node, mark }), code)

export const toggleBold = words("StrongEmphasis", "**")
export const toggleItalic = words("Emphasis", "*")
export const toggleStrikethrough = words("Strikethrough", "~~")

/** The mark of code is longer than each run of its sign in the code. */
export const toggleCode = toggle(
  (state) => {
    const { from, to } = state.selection.main
    const tree = treeTo(state, to)
    const marks = nodesIn(tree, { from, to }, { node: "InlineCode", mark: "" }).flatMap(marksOf)
    const changes = state.changes([...marks])
    const text = changes.apply(state.doc).sliceString(changes.mapPos(from), changes.mapPos(to))
    const longest = Math.max(0, ...[...text.matchAll(/`+/g)].map(([run]) => run.length))
    return { node: "InlineCode", mark: "`".repeat(longest + 1) }
  },
  ["FencedCode", "CodeBlock"]
)

const address = /^(?:https?:\/\/|mailto:)\S+$/i

/** Makes a link of the selected text, or of the word at the cursor. In a link, it selects the address. */
export const editLink: StateCommand = ({ dispatch, state }) => {
  const { main } = state.selection
  const tree = treeTo(state, main.to)
  if (nodeAround(tree, main.from, code) !== undefined) return true
  const url = nodeAround(tree, main.head, ["Link"])?.getChild("URL")
  const select = (from: number, to = from): SelectionRange => EditorSelection.range(from, to)
  if (url !== null && url !== undefined) {
    dispatch(state.update({ selection: select(url.from, url.to), userEvent: "select" }))
    return true
  }
  const { from, to } = main.empty ? (wordAt(state, main.head) ?? main) : trimmed(state, main)
  const text = state.sliceDoc(from, to)
  const isAddress = address.test(text)
  const insert = isAddress ? `[](${text})` : `[${text}]()`
  // Inside of the part that is still to be written.
  const cursor = from + (isAddress || text === "" ? 1 : insert.length - 1)
  dispatch(state.update({ changes: { from, to, insert }, selection: select(cursor), userEvent: "input.format" }))
  return true
}
