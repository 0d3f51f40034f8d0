import {
  acceptCompletion,
  completionStatus,
  currentCompletions,
  moveCompletionSelection,
  startCompletion
} from "@codemirror/autocomplete"
import { moveLineDown, moveLineUp, redo, standardKeymap } from "@codemirror/commands"
import { markdownKeymap } from "@codemirror/lang-markdown"
import { closeSearchPanel, findNext, findPrevious, openSearchPanel } from "@codemirror/search"
import { type Extension, Prec, type StateCommand } from "@codemirror/state"
import { type Command, type KeyBinding, keymap } from "@codemirror/view"
import { editLink, toggleBold, toggleCode, toggleItalic, toggleStrikethrough } from "./Formatting.ts"
import { shiftTab, tab } from "./Indenting.ts"
import { toggleList } from "./LineKinds.ts"
import { undo } from "./OthersChanges.ts"
import { closeMenu, isAtSlash } from "./SlashMenu.ts"
import { nextCell, previousCell } from "./Tables.ts"
import { toggleTask } from "./Tasks.ts"

/** The text from `[[` to the cursor, which is completed by titles of notes. */
export const linkStart = /\[\[[^[\]\n]{0,200}$/

/** While a list is on its way, or has just come, Enter does not break the line in what is typed for it. */
const awaitList: Command = ({ state }) => {
  const isAwaited = completionStatus(state) === "pending" || currentCompletions(state).length > 0
  const { head } = state.selection.main
  const line = state.doc.lineAt(head)
  return isAwaited && (linkStart.test(line.text.slice(0, head - line.from)) || isAtSlash(state))
}

const nothing: Command = () => true

/** A command for selected text. Without a selection, the key is one of the page. */
const ofSelection =
  (command: StateCommand): Command =>
  (view) =>
    !view.state.selection.main.empty && command(view)

/** Keys of the list of titles, which come before all others while it is open. */
export const completionKeys: ReadonlyArray<KeyBinding> = [
  { key: "Ctrl-Space", run: startCompletion },
  { key: "Escape", run: closeMenu },
  { key: "ArrowDown", run: moveCompletionSelection(true) },
  { key: "ArrowUp", run: moveCompletionSelection(false) },
  { key: "PageDown", run: moveCompletionSelection(true, "page") },
  { key: "PageUp", run: moveCompletionSelection(false, "page") },
  { key: "Enter", run: acceptCompletion }
]

/**
 * All other keys of the text. The keymaps of CodeMirror have keys of code editors too, such as one that selects a paragraph
 * with Ctrl-I and one that deletes a line: only those are here that do the same in other texts. The page has Ctrl-S, and
 * without a selection Ctrl-E and Ctrl-K.
 */
export const textKeys: ReadonlyArray<KeyBinding> = [
  { key: "Enter", run: awaitList },
  { key: "Mod-b", run: toggleBold, preventDefault: true },
  { key: "Mod-i", run: toggleItalic, preventDefault: true },
  { key: "Mod-e", run: ofSelection(toggleCode) },
  { key: "Mod-k", run: ofSelection(editLink) },
  { key: "Mod-Enter", run: toggleTask },
  { key: "Mod-Shift-7", run: toggleList("number"), preventDefault: true },
  { key: "Mod-Shift-8", run: toggleList("bullet"), preventDefault: true },
  { key: "Mod-Shift-9", run: toggleList("task"), preventDefault: true },
  { key: "Mod-Shift-x", run: toggleStrikethrough, preventDefault: true },
  // Markdown has no underline. Browsers would underline, or show the source of the page.
  { key: "Mod-u", run: nothing, preventDefault: true },
  { key: "Mod-z", run: undo, preventDefault: true },
  { win: "Mod-y", linux: "Mod-y", run: redo, preventDefault: true },
  { key: "Mod-Shift-z", run: redo, preventDefault: true },
  { key: "Alt-ArrowUp", run: moveLineUp },
  { key: "Alt-ArrowDown", run: moveLineDown },
  { key: "Mod-f", run: openSearchPanel, scope: "editor search-panel" },
  { key: "F3", run: findNext, shift: findPrevious, scope: "editor search-panel", preventDefault: true },
  { key: "Mod-g", run: findNext, shift: findPrevious, scope: "editor search-panel", preventDefault: true },
  { key: "Escape", run: closeSearchPanel, scope: "editor search-panel" },
  // Escape, then Tab leaves the editor (WCAG 2.1.2).
  { key: "Tab", run: nextCell, shift: previousCell },
  { key: "Tab", run: tab, shift: shiftTab },
  ...markdownKeymap,
  // Those of every text field of the system.
  ...standardKeymap
]

export const keys: Extension = [Prec.highest(keymap.of([...completionKeys])), keymap.of([...textKeys])]
