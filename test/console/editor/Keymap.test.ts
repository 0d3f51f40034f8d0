import { completionKeymap } from "@codemirror/autocomplete"
import { defaultKeymap, history, historyKeymap, redo } from "@codemirror/commands"
import { markdownKeymap, markdownLanguage } from "@codemirror/lang-markdown"
import { searchKeymap } from "@codemirror/search"
import { EditorState, type StateCommand, type TransactionSpec } from "@codemirror/state"
import type { KeyBinding } from "@codemirror/view"
import { describe, expect, it } from "vitest"
import {
  editLink,
  toggleBold,
  toggleCode,
  toggleItalic,
  toggleStrikethrough
} from "../../../src/clients/console/editor/Formatting.ts"
import { shiftTab, tab } from "../../../src/clients/console/editor/Indenting.ts"
import { completionKeys, textKeys } from "../../../src/clients/console/editor/Keymap.ts"
import { cycleHeading, toggleList } from "../../../src/clients/console/editor/LineKinds.ts"
import { toggleTask } from "../../../src/clients/console/editor/Tasks.ts"
import { changedByOthers, othersChanges, undo } from "../../../src/clients/console/editor/OthersChanges.ts"

const systems = ["linux", "mac", "win"] as const

/** The keys of bindings on a system, with Shift where that has a command of its own. */
const keysOf = (bindings: ReadonlyArray<KeyBinding>, system: (typeof systems)[number]): ReadonlyArray<string> => {
  const keys = bindings.flatMap((binding) => {
    const key = binding[system] ?? binding.key
    if (key === undefined) return []
    return [...(binding.run === undefined ? [] : [key]), ...(binding.shift === undefined ? [] : [`Shift-${key}`])]
  })
  return [...new Set(keys.map((key) => key.replace("Mod-", system === "mac" ? "Cmd-" : "Ctrl-")))].sort()
}

const moves = ["ArrowDown", "ArrowLeft", "ArrowRight", "ArrowUp", "End", "Home", "PageDown", "PageUp"]
const withShift = (keys: ReadonlyArray<string>) => keys.flatMap((key) => [key, `Shift-${key}`])
const everywhere = [...withShift([...moves, "Backspace", "Enter", "F3", "Tab"]), "Delete", "Escape"]
const elsewhere = [
  ...everywhere,
  ...withShift(["Ctrl-ArrowLeft", "Ctrl-ArrowRight", "Ctrl-End", "Ctrl-Home", "Ctrl-g"]),
  ...["Ctrl-Shift-7", "Ctrl-Shift-8", "Ctrl-Shift-9", "Ctrl-e"],
  ...["Alt-ArrowDown", "Alt-ArrowUp", "Ctrl-Backspace", "Ctrl-Delete", "Ctrl-Space", "Ctrl-a"],
  ...[
    "Ctrl-Enter",
    "Ctrl-Shift-x",
    "Ctrl-Shift-z",
    "Ctrl-b",
    "Ctrl-f",
    "Ctrl-i",
    "Ctrl-k",
    "Ctrl-u",
    "Ctrl-y",
    "Ctrl-z"
  ]
]
/** The keys of the text on each system. The page has Ctrl-S, and others without a selection. */
const expected = {
  linux: elsewhere,
  win: elsewhere,
  mac: [
    ...everywhere,
    ...withShift([
      "Alt-ArrowLeft",
      "Alt-ArrowRight",
      "Cmd-ArrowDown",
      "Cmd-ArrowLeft",
      "Cmd-ArrowRight",
      "Cmd-ArrowUp"
    ]),
    ...withShift(["Cmd-End", "Cmd-Home", "Cmd-g", "Ctrl-ArrowDown", "Ctrl-ArrowUp"]),
    ...withShift(["Ctrl-a", "Ctrl-b", "Ctrl-e", "Ctrl-f", "Ctrl-n", "Ctrl-p"]),
    ...["Alt-ArrowDown", "Alt-ArrowUp", "Alt-Backspace", "Alt-Delete", "Cmd-Backspace", "Cmd-Delete"],
    ...["Cmd-Enter", "Cmd-Shift-7", "Cmd-Shift-8", "Cmd-Shift-9", "Cmd-e", "Cmd-Shift-x"],
    ...["Cmd-Shift-z", "Cmd-a", "Cmd-b", "Cmd-f", "Cmd-i", "Cmd-k", "Cmd-u", "Cmd-z", "Ctrl-Alt-h", "Ctrl-Space"],
    // Those of Emacs, which every field of macOS has.
    ...["Ctrl-d", "Ctrl-h", "Ctrl-k", "Ctrl-o", "Ctrl-t", "Ctrl-v"]
  ]
}

/** Keys of code editors that the keymaps of CodeMirror have, and that the text does not have. */
const leftOut = [
  ...withShift(["Alt-ArrowLeft", "Alt-ArrowRight"]),
  ...["Alt-A", "Alt-l", "Alt-u", "Ctrl-/", "Ctrl-Alt-ArrowDown", "Ctrl-Alt-ArrowUp", "Ctrl-Alt-\\", "Ctrl-Alt-g"],
  ...["Ctrl-Shift-l", "Ctrl-[", "Ctrl-]", "Ctrl-d", "Ctrl-m", "Shift-Alt-ArrowDown"],
  ...["Shift-Alt-ArrowUp", "Shift-Ctrl-\\", "Shift-Ctrl-k"]
]

/** A text with its selection: "|" is the cursor, or both ends of what is selected. */
const stateOf = (marked: string): EditorState => {
  const [before = "", selected = "", after] = marked.split("|")
  const isCursor = after === undefined
  return EditorState.create({
    doc: marked.replaceAll("|", ""),
    selection: { anchor: before.length, head: before.length + (isCursor ? 0 : selected.length) },
    extensions: [markdownLanguage, history({ newGroupDelay: 0 }), othersChanges, EditorState.tabSize.of(4)]
  })
}

const shown = ({ doc, selection: { main } }: EditorState): string => {
  const text = doc.toString()
  const [before, selected, after] = [text.slice(0, main.from), text.slice(main.from, main.to), text.slice(main.to)]
  return main.empty ? `${before}|${after}` : `${before}|${selected}|${after}`
}

const ran = (state: EditorState, command: StateCommand): EditorState => {
  let after = state
  command({ state, dispatch: (transaction) => void (after = transaction.state) })
  return after
}

/** The text after a command, and after the same command again. */
const twice = (marked: string, command: StateCommand): ReadonlyArray<string> => {
  const once = ran(stateOf(marked), command)
  return [shown(once), shown(ran(once, command))]
}

describe("the keys of the text", () => {
  it.each(systems)("are those of this list on %s", (system) => {
    expect(keysOf([...completionKeys, ...textKeys], system)).toEqual([...new Set(expected[system])].sort())
  })

  it("are all that the keymaps of CodeMirror have, but for a list", () => {
    const all = [completionKeymap, defaultKeymap, historyKeymap, markdownKeymap, searchKeymap].flat()
    const own = keysOf([...completionKeys, ...textKeys], "linux")
    expect(keysOf(all, "linux").filter((key) => !own.includes(key))).toEqual([...leftOut].sort())
  })
})

describe("a format", () => {
  it.each([
    ["a selection", "A |long walk| home", toggleBold, "A **|long walk|** home", "A |long walk| home"],
    [
      "a selection with its marks",
      "A |**long walk**| home",
      toggleBold,
      "A |long walk| home",
      "A **|long walk|** home"
    ],
    ["blanks at the ends", "A| long walk |home", toggleItalic, "A *|long walk|* home", "A |long walk| home"],
    ["a word", "A lo|ng walk", toggleBold, "A **lo|ng** walk", "A lo|ng walk"],
    ["the last word", "A walk|", toggleItalic, "A *walk*|", "A walk|"],
    ["a word in another format", "A **lo|ng** walk", toggleItalic, "A ***lo|ng*** walk", "A **lo|ng** walk"],
    ["a word behind its marks", "A **walk**|", toggleItalic, "A ***walk***|", "A **walk**|"],
    ["a word behind its marks, twice", "A *walk*|", toggleStrikethrough, "A ~~*walk*~~|", "A *walk*|"],
    ["a word with underscores", "A _lo|ng_ walk", toggleItalic, "A lo|ng walk", "A *lo|ng* walk"],
    ["a part that has it", "|One **two** three|", toggleBold, "**|One two three|**", "|One two three|"],
    ["a part at the end", "One |two **three four|**", toggleBold, "One **|two three four|**", "One |two three four|"],
    [
      "several lines",
      "- |one\n- [ ] two\n\nthree|",
      toggleBold,
      "- **|one**\n- [ ] **two**\n\n**three|**",
      "- |one\n- [ ] two\n\nthree|"
    ],
    ["code", "Call |f(x)| now", toggleCode, "Call `|f(x)|` now", "Call |f(x)| now"],
    ["code with its sign", "|a ` b|", toggleCode, "``|a ` b|``", "|a ` b|"],
    ["code that has code", "|a `b` c|", toggleCode, "`|a b c|`", "|a b c|"],
    ["a word of code", "Call f|n now", toggleCode, "Call `f|n` now", "Call f|n now"],
    ["a strike", "|Done|", toggleStrikethrough, "~~|Done|~~", "|Done|"],
    ["nothing", "A |", toggleBold, "A **|**", "A |"],
    ["italics in bold marks", "A **|**", toggleItalic, "A ***|***", "A **|**"],
    ["inline code", "`a |b`", toggleBold, "`a |b`", "`a |b`"]
  ])("is given to %s, and taken away again", (_, text, command, once, again) => {
    expect(twice(text, command)).toEqual([once, again])
  })

  it("ends where the key is pressed behind what was typed", () => {
    expect(shown(ran(stateOf("A **long|** walk"), toggleBold))).toBe("A **long**| walk")
    expect(shown(ran(stateOf("A **long |**"), toggleBold))).toBe("A **long** |")
  })

  it("of a link has the cursor where something is missing", () => {
    expect(shown(ran(stateOf("A |long walk| home"), editLink))).toBe("A [long walk](|) home")
    expect(shown(ran(stateOf("A wa|lk"), editLink))).toBe("A [walk](|)")
    expect(shown(ran(stateOf("|https://sheaf.test/a|"), editLink))).toBe("[|](https://sheaf.test/a)")
    expect(shown(ran(stateOf("|"), editLink))).toBe("[|]()")
    expect(shown(ran(stateOf("A [wa|lk](https://sheaf.test)"), editLink))).toBe("A [walk](|https://sheaf.test|)")
  })
})

describe("a kind of lines", () => {
  it.each([
    ["bullets", "|one\n\ntwo|", toggleList("bullet"), "- |one\n\n- two|", "|one\n\ntwo|"],
    ["numbers", "- |one\n- two|", toggleList("number"), "1. |one\n2. two|", "|one\ntwo|"],
    ["numbers that go on", "3) a\n|b", toggleList("number"), "3) a\n4. |b", "3) a\n|b"],
    [
      "numbers of each depth",
      "|a\n  b\n  c\nd|",
      toggleList("number"),
      "1. |a\n  1. b\n  2. c\n2. d|",
      "|a\n  b\n  c\nd|"
    ],
    [
      "a number behind inner items",
      "1. a\n   - b\n|c",
      toggleList("number"),
      "1. a\n   - b\n2. |c",
      "1. a\n   - b\n|c"
    ],
    ["tasks", "> one|\n- x", toggleList("task"), "> - [ ] one|\n- x", "> one|\n- x"],
    ["tasks of a nested list", "- a\n  1. |b|", toggleList("task"), "- a\n  - [ ] |b|", "- a\n  |b|"],
    ["an empty task", "|", toggleList("task"), "- [ ] |", "|"],
    ["a heading", "|one", cycleHeading, "# |one", "## |one"],
    ["no heading", "### |one", cycleHeading, "|one", "# |one"],
    ["ticks", "- [ ] |a\n- [x] b|", toggleTask, "- [x] |a\n- [x] b|", "- [ ] |a\n- [ ] b|"],
    ["new tasks", "- |a\n\n1. b|", toggleTask, "- [ ] |a\n\n1. [ ] b|", "- [x] |a\n\n1. [x] b|"],
    ["no code", "```\n|a|\n```", toggleList("task"), "```\n|a|\n```", "```\n|a|\n```"]
  ])("is %s", (_, text, command, once, again) => {
    expect(twice(text, command)).toEqual([once, again])
  })

  it("is taken back in one step", () => {
    const state = ran(ran(stateOf("|one\ntwo|"), toggleList("task")), toggleTask)
    expect(shown(ran(state, undo))).toBe("- [ ] |one\n- [ ] two|")
    expect(shown(ran(ran(state, undo), undo))).toBe("|one\ntwo|")
  })
})

describe("Tab", () => {
  it.each([
    ["does nothing before a paragraph", "|A walk", tab, "|A walk", "|A walk"],
    ["does nothing with a selected paragraph", "|A walk|", tab, "|A walk|", "|A walk|"],
    ["is a tab behind text", "A |walk", tab, "A \t|walk", "A \t\t|walk"],
    ["does nothing in the first item", "- one|", tab, "- one|", "- one|"],
    [
      "puts an item into the one before it, once",
      "- one\n- two|\n  more",
      tab,
      "- one\n  - two|\n    more",
      "- one\n  - two|\n    more"
    ],
    ["moves by the width of the number", "10. one\n11. two|", tab, "10. one\n    1. two|", "10. one\n    1. two|"],
    [
      "goes on in the list of the item",
      "1. a\n   1. b\n2. c|",
      tab,
      "1. a\n   1. b\n   2. c|",
      "1. a\n   1. b\n      1. c|"
    ],
    ["with Shift goes on in the outer list", "3. a\n   1. b|", shiftTab, "3. a\n4. b|", "3. a\n4. b|"],
    ["keeps a quote", "> - one\n> - two|", tab, "> - one\n>   - two|", "> - one\n>   - two|"],
    [
      "moves all selected items",
      "- one\n- |two\n- three|",
      tab,
      "- one\n  - |two\n  - three|",
      "- one\n  - |two\n  - three|"
    ],
    ["is a tab in code", "```\n|a\n```", tab, "```\n\t|a\n```", "```\n\t\t|a\n```"],
    [
      "with Shift takes an item out",
      "- one\n  - two|\n    more",
      shiftTab,
      "- one\n- two|\n  more",
      "- one\n- two|\n  more"
    ]
  ])("%s", (_, text, command, once, again) => {
    expect(twice(text, command)).toEqual([once, again])
  })
})

describe("undo", () => {
  const typed = (state: EditorState, text: string): EditorState => {
    const { length } = state.doc
    return state.update({ changes: { from: length, insert: text }, selection: { anchor: length + text.length } }).state
  }
  const by = (state: EditorState, spec: TransactionSpec): EditorState => state.update(spec).state
  const others = (state: EditorState, text: string) => by(state, changedByOthers(state, text))

  it.each([
    ["replaced my last words", ["One two.", " My last words."], "One two. The final text.", "One two. The final text."],
    [
      "replaced all but one of them",
      ["One two.", " My last words."],
      "One two. My final text.",
      "One two. final text."
    ],
    ["changed a letter of my word", ["One ", "word"], "One ward", "One ward"],
    ["continued my words", ["One", " two"], "One two and three", "One and three"],
    ["wrote before them", ["One.", "\n\nTwo."], "Zero. One.\n\nTwo.", "Zero. One."],
    ["replaced the word before", ["One", " two"], "Eins two", "Eins"],
    ["changed lines around mine", ["One", "\ntwo"], "Uno\ntwo\nthree", "Uno\nthree"]
  ])("takes back what I have typed, after others have %s", (_, words, merged, left) => {
    const [first = "", last = ""] = words
    const mine = typed(stateOf(`${first}|`), last)
    const undone = ran(others(mine, merged), undo)
    expect(undone.doc.toString()).toBe(left)
    expect(ran(ran(undone, redo), undo).doc.toString().split(/\s+/)).toEqual(left.split(/\s+/))
  })

  it("puts back what I have deleted, apart from the words of others", () => {
    const state = stateOf("foo bar|")
    const shorter = by(state, { changes: { from: 3, to: 7 } })
    expect(ran(others(shorter, "fox"), undo).doc.toString().split(/\s+/).sort()).toEqual(["bar", "fox"])
  })

  it("leaves the cursor in a word that others have changed", () => {
    const state = stateOf("One wo|rd here")
    expect(shown(others(state, "One words here"))).toBe("One wo|rds here")
  })
})
