import { translated } from "../ChosenLanguage.ts"

/** Where keys work. */
export type KeyPlace = "anywhere" | "list" | "text"

/** Keys, and what they do. */
export interface KeyRow {
  readonly place: KeyPlace
  /** Combinations on Windows and Linux, as documents write them. On macOS, ⌘ takes the place of Ctrl. */
  readonly keys: string
  readonly action: string
}

/** In each place, combinations of keys and what they do. */
export type KeyRows = Readonly<Record<KeyPlace, ReadonlyArray<readonly [keys: string, action: string]>>>

const rows = translated("keys", {
  anywhere: [
    ["Ctrl-K", "find a note, a notebook, a tag, a heading or a command"],
    ["/", "search in the texts of all notes"],
    ["?", "show these keys"],
    ["N", "new note"],
    ["D", "the note of today"],
    ["O", "outline of the open note"],
    ["L", "links to the open note"],
    ["T", "tasks"],
    ["Ctrl-E", "read or write; with selected text: code"],
    ["Ctrl-S", "save now"]
  ],
  list: [
    ["↓, ↑; J, K", "the next note, the one before"],
    ["Space", "select the note, or not"],
    ["Shift-↓, Shift-↑", "select the next note too, the one before"],
    ["Ctrl-A", "select all notes of the list"],
    ["Escape", "select nothing"]
  ],
  text: [
    [
      "Ctrl-B, Ctrl-I, Ctrl-Shift-X",
      "bold, italic, struck through: the selection, or the word at the cursor; again to take it away"
    ],
    ["Ctrl-K, with selected text", "make a link; in a link, select its address"],
    ["Ctrl-Shift-7, -8, -9", "numbered list, list of bullets, tasks; again to end the list"],
    ["Ctrl-Enter", "tick the task, or the selected ones; make a task of another line"],
    ["`/`", "the menu of headings, lists, tables and other blocks"],
    ["Ctrl-Z; Ctrl-Y or Ctrl-Shift-Z", "undo what you have typed; redo"],
    ["Ctrl-F; F3", "search in the text; the next place"],
    ["`[[`, `[[title#`", "complete the title of a note, a heading of the note"],
    ["Tab, Shift-Tab in a list", "put the item into the one before it; take it out"],
    ["Tab, Shift-Tab in a table", "next cell, the one before; aligns the columns, and adds a row behind the last one"],
    ["Alt-↑, Alt-↓", "move the line"],
    ["Alt-Enter, or Ctrl-click", "open the link at the cursor"],
    ["Escape, then Tab", "leave the text"]
  ]
} as KeyRows)

/** The keys of the console. `docs/console.md` has the same table in English. */
export const keyTable: ReadonlyArray<KeyRow> = (Object.keys(rows) as ReadonlyArray<KeyPlace>).flatMap((place) =>
  rows[place].map(([keys, action]) => ({ place, keys, action }))
)

const keyPattern =
  /((?:(?:Ctrl|Alt|Shift)-)+[^\s,;]+|-\d|\[\[[^\s,]*|\b(?:Enter|Escape|Space|Tab|F\d)\b|\b[A-Z]\b|[↓↑/?])/

/** The parts of a row of keys: words in places of even index, and combinations between them. */
export const keyParts = (keys: string): ReadonlyArray<string> => keys.replaceAll("`", "").split(keyPattern)
