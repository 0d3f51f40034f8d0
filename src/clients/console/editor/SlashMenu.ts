import {
  closeCompletion,
  type Completion,
  type CompletionContext,
  type CompletionResult,
  pickedCompletion,
  startCompletion
} from "@codemirror/autocomplete"
import {
  type EditorState,
  MapMode,
  type StateCommand,
  StateEffect,
  StateField,
  type Transaction,
  type TransactionSpec
} from "@codemirror/state"
import type { Command, EditorView } from "@codemirror/view"
import { isoDay } from "../LocalTime.ts"
import { texts } from "./EditorMessages.ts"
import { nodeAround, treeTo } from "./Formatting.ts"
import { type ListKind, setHeading, setList } from "./LineKinds.ts"

/** A template of the workspace. */
export interface NamedTemplate {
  readonly id: string
  readonly name: string
}

/** What the menu needs of the page around the editor. */
export interface SlashOptions {
  readonly templates: () => ReadonlyArray<NamedTemplate>
  /** Inserts the text of a template at a place. */
  readonly insertTemplate: (template: NamedTemplate, at: number) => void
  /** Chooses files that belong at the cursor. */
  readonly attach: () => void
}

/** Maximum number of templates in the menu. Typing finds one by its name. */
const maxTemplates = 100

/** A slash at the start of a line or behind white space, and what is typed behind it. */
const slashStart = /(?<=^|\s)\/(?:[\p{L}\p{N}][\p{L}\p{N} ]{0,40})?$/u

/** What is typed behind the slash, while the menu stays open. */
const query = /^(?:[\p{L}\p{N}][\p{L}\p{N} ]{0,40})?$/u

const closing = StateEffect.define<number>()

/** The slash whose menu was closed: it is text. */
export const closedSlash = StateField.define<number | undefined>({
  create: () => undefined,
  update: (before, { changes, effects }) => {
    const closed = effects.find((effect) => effect.is(closing))?.value ?? before
    return closed === undefined ? undefined : (changes.mapPos(closed, 1, MapMode.TrackAfter) ?? undefined)
  }
})

/** The place of the slash before the cursor. */
const slashBefore = ({ doc, selection: { main } }: EditorState): number | undefined => {
  const line = doc.lineAt(main.head)
  const found = slashStart.exec(line.text.slice(0, main.head - line.from))
  return found === null ? undefined : line.from + found.index
}

/** Whether the cursor is behind a slash whose menu was not closed. */
export const isAtSlash = (state: EditorState): boolean => {
  const place = slashBefore(state)
  return place !== undefined && state.field(closedSlash, false) !== place
}

/** Closes the list of completions. A slash whose menu is closed stays as text. */
export const closeMenu: Command = (view) => {
  const place = slashBefore(view.state)
  const isClosed = closeCompletion(view)
  if (isClosed && place !== undefined) view.dispatch({ effects: closing.of(place) })
  return isClosed
}

/** The sign of the cursor in a text, or of both ends of what is selected. */
const cursor = "\u0000"

const marked = (text: string) => {
  const [before = "", selected = "", after] = text.split(cursor)
  const isCursor = after === undefined
  return {
    insert: isCursor ? before + selected : before + selected + after,
    anchor: before.length,
    head: before.length + (isCursor ? 0 : selected.length)
  }
}

/** Inserts a block as lines of their own at the cursor. */
export const insertBlock =
  (block: string): StateCommand =>
  ({ dispatch, state }) => {
    const { from, to } = state.selection.main
    const line = state.doc.lineAt(from)
    const isAtStart = state.sliceDoc(line.from, from).trim() === ""
    const isAtEnd = state.sliceDoc(to, line.to).trim() === ""
    const { anchor, head, insert } = marked(block)
    const start = isAtStart ? line.from : from
    const before = isAtStart ? "" : "\n\n"
    dispatch(
      state.update({
        changes: { from: start, to: isAtEnd ? line.to : to, insert: before + insert + (isAtEnd ? "" : "\n") },
        selection: { anchor: start + before.length + anchor, head: start + before.length + head },
        userEvent: "input.complete"
      })
    )
    return true
  }

/** Inserts words at the cursor. */
export const insertWords =
  (words: string): StateCommand =>
  ({ dispatch, state }) => {
    const { anchor, head, insert } = marked(words)
    const { from, to } = state.selection.main
    const selection = { anchor: from + anchor, head: from + head }
    dispatch(state.update({ changes: { from, to, insert }, selection, userEvent: "input.complete" }))
    return true
  }

/** The change of a command in a text without the slash and what is typed behind it: one step of undo. */
export const withoutSlash = (state: EditorState, from: number, to: number, command: StateCommand): TransactionSpec => {
  const cleared = state.update({ changes: { from, to }, selection: { anchor: from } })
  let made: Transaction | undefined
  command({ state: cleared.state, dispatch: (transaction) => void (made = transaction) })
  return {
    changes: made === undefined ? cleared.changes : cleared.changes.compose(made.changes),
    selection: (made ?? cleared).newSelection,
    userEvent: "input.complete",
    scrollIntoView: true
  }
}

const nothing: StateCommand = () => false

/** The menu that a slash opens. Escape closes it, and the slash is text. */
export const slashMenu =
  ({ attach, insertTemplate, templates }: SlashOptions) =>
  (context: CompletionContext): CompletionResult | null => {
    const { pos, state } = context
    const found = context.matchBefore(slashStart)
    if (found === null || state.field(closedSlash, false) === found.from) return null
    if (nodeAround(treeTo(state, pos), pos, ["FencedCode", "CodeBlock", "InlineCode", "URL"]) !== undefined) return null
    const { blocks } = texts
    const options: Array<Completion> = []
    const add = (label: string, detail: string, command: StateCommand, then?: (view: EditorView) => void) => {
      options.push({
        label,
        detail,
        boost: 99 - options.length,
        apply: (view, completion, from, to) => {
          view.dispatch(withoutSlash(view.state, from - 1, to, command), {
            annotations: pickedCompletion.of(completion)
          })
          then?.(view)
        }
      })
    }
    const list = (label: string, detail: string, kind: ListKind) => add(label, detail, setList(kind))
    for (const level of [1, 2, 3]) add(blocks.heading(level), "#".repeat(level), setHeading(level))
    list(blocks.bullets, "-", "bullet")
    list(blocks.numbers, "1.", "number")
    list(blocks.task, "- [ ]", "task")
    const [one, other] = blocks.columns
    add(blocks.table, "| |", insertBlock(`| ${cursor}${one}${cursor} | ${other} |\n| --- | --- |\n|  |  |`))
    add(blocks.callout, "> [!note]", insertBlock(`> [!note] ${cursor}${blocks.calloutTitle}${cursor}\n> `))
    add(blocks.code, "```", insertBlock(`\`\`\`\n${cursor}\n\`\`\``))
    add(blocks.date, isoDay(new Date()), insertWords(isoDay(new Date()) + cursor))
    add(blocks.link, "[[ ]]", insertWords(`[[${cursor}]]`), startCompletion)
    add(blocks.file, "", nothing, attach)
    for (const template of templates().slice(0, maxTemplates)) {
      add(blocks.template(template.name), "", nothing, ({ state }) =>
        insertTemplate(template, state.selection.main.head)
      )
    }
    return { from: found.from + 1, options, validFor: query }
  }
