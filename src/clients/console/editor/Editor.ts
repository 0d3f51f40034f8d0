import { autocompletion } from "@codemirror/autocomplete"
import { history, historyField } from "@codemirror/commands"
import { markdownLanguage } from "@codemirror/lang-markdown"
import { HighlightStyle, syntaxHighlighting } from "@codemirror/language"
import { search } from "@codemirror/search"
import { EditorState, type Extension } from "@codemirror/state"
import { drawSelection, dropCursor, EditorView, highlightSpecialChars } from "@codemirror/view"
import { tags } from "@lezer/highlight"
import type { SheafClient } from "../../client/SheafClient.ts"
import { decorations } from "./Decorations.ts"
import { formattingBar } from "./FormattingBar.ts"
import { keys } from "./Keymap.ts"
import { linkCompletion } from "./LinkCompletion.ts"
import { changedByOthers, isOfOthers, othersChanges, othersParts } from "./OthersChanges.ts"
import { pastedFiles, pasteText } from "./Pasted.ts"
import { cleaned } from "./Pasting.ts"
import { type NamedTemplate, closedSlash, type SlashOptions, slashMenu } from "./SlashMenu.ts"

/** A place in a text that stays the same while the text around it changes. */
export interface KeptPlace {
  /** Inserts a text there as if it were typed, and moves behind it. Returns false after the editor was closed. */
  readonly insert: (text: string) => boolean
  /** Whether it is the start of a line with text. */
  readonly startsText: () => boolean
  readonly release: () => void
}

interface EditorOptions {
  readonly parent: HTMLElement
  readonly text: string
  /** The name of the text, which is read aloud. */
  readonly label: string
  /** The nonce of the Content-Security-Policy, for the styles. */
  readonly nonce: string
  readonly onChange: (text: string) => void
  /** Receives files that were dropped or pasted, and the place where they belong. */
  readonly onFiles: (files: ReadonlyArray<File>, at: KeptPlace) => void
  /** Chooses files that belong at the cursor. */
  readonly attach: { readonly label: string; readonly run: () => void }
  /** Finds notes for links. */
  readonly client: SheafClient
  readonly templates: SlashOptions["templates"]
  /** Returns the text of a template with its values; undefined if it cannot be read, which the page says. */
  readonly templateText: (template: NamedTemplate) => Promise<string | undefined>
  /** What the text belongs to: another editor for it continues with its history of undo. */
  readonly owner: object
}

const asTheyAre = (files: ReadonlyArray<File>): Promise<ReadonlyArray<File>> => Promise.resolve(files)

/** What was undone and done in a text, as `EditorState` writes it. */
const histories = new WeakMap<object, unknown>()
const fields = { history: historyField, others: othersParts }

/** The state with which an editor begins, with the history of an earlier one. */
const stateOf = (owner: object, doc: string, extensions: Extension): EditorState => {
  const before = histories.get(owner)
  if (before === undefined) return EditorState.create({ doc, extensions })
  const state = EditorState.fromJSON(before, { extensions }, fields)
  // What has come since then is not undone.
  return state.doc.toString() === doc ? state : state.update(changedByOthers(state, doc)).state
}

/** Colours by variables, so that they follow the theme of the page. */
const highlightStyle = HighlightStyle.define([
  { tag: tags.heading, fontWeight: "650" },
  { tag: tags.heading1, fontWeight: "680", fontSize: "1.5em", letterSpacing: "-0.01em" },
  { tag: tags.heading2, fontWeight: "650", fontSize: "1.25em" },
  { tag: tags.heading3, fontWeight: "650", fontSize: "1.1em" },
  { tag: tags.strong, fontWeight: "650" },
  { tag: tags.emphasis, fontStyle: "italic" },
  { tag: tags.strikethrough, textDecoration: "line-through" },
  { tag: [tags.link, tags.url], color: "var(--accent-ink)" },
  { tag: tags.monospace, fontFamily: "var(--mono)", fontSize: "0.92em" },
  { tag: tags.quote, color: "var(--soft)" },
  { tag: [tags.processingInstruction, tags.contentSeparator, tags.labelName], color: "var(--faint)" }
])

const theme = EditorView.theme({
  "&": { fontSize: "inherit", backgroundColor: "transparent" },
  "&.cm-focused": { outline: "none" },
  ".cm-scroller": { fontFamily: "inherit", lineHeight: "inherit", overflow: "visible" },
  ".cm-content": { padding: "0 0 40vh", caretColor: "var(--accent-ink)" },
  ".cm-line": { padding: "0" },
  ".cm-box": {
    margin: "0 0.15em 0 0",
    width: "1em",
    height: "1em",
    verticalAlign: "-0.1em",
    accentColor: "var(--accent)"
  },
  ".cm-cursor": { borderLeftColor: "var(--accent-ink)", borderLeftWidth: "2px" },
  "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground": {
    background: "var(--selection)"
  },
  ".cm-tooltip": { background: "var(--raised)", border: "1px solid var(--line)", borderRadius: "var(--radius)" },
  ".cm-tooltip-autocomplete ul li[aria-selected]": { background: "var(--accent)", color: "var(--on-accent)" },
  ".cm-panels": { background: "var(--raised)", color: "var(--ink)" },
  ".cm-tooltip.cm-tooltip-autocomplete > ul": {
    fontFamily: "inherit",
    maxHeight: "min(20rem, 45vh)",
    minWidth: "15rem"
  },
  ".cm-tooltip.cm-tooltip-autocomplete > ul > li": {
    display: "flex",
    justifyContent: "space-between",
    gap: "var(--space-4)",
    padding: "var(--space-1) var(--space-3)",
    fontSize: "var(--size-m)",
    lineHeight: "1.6"
  },
  ".cm-completionDetail": {
    margin: "0",
    fontFamily: "var(--mono)",
    fontStyle: "normal",
    fontSize: "0.85em",
    opacity: "0.75"
  },
  ".cm-completionMatchedText": { textDecoration: "none", fontWeight: "650" },
  "& .cm-panels.cm-panels-top": { background: "var(--ground)", border: "0", insetInline: "0" },
  ".cm-formatting": { display: "flex", flexWrap: "wrap", paddingBlockEnd: "var(--space-2)", marginInlineStart: "-8px" },
  ".cm-formatting [hidden]": { display: "none" },
  ".cm-formatting.is-hidden": { justifyContent: "end" },
  ".cm-formatting [aria-expanded=false] .icon": { rotate: "180deg" },
  "@media (pointer: coarse) and (max-width: 720px)": {
    ".cm-formatting": {
      position: "fixed",
      insetInline: "0",
      bottom: "var(--covered, 0px)",
      flexWrap: "nowrap",
      overflowX: "auto",
      margin: "0",
      padding: "var(--space-1) var(--space-2)",
      background: "var(--raised)",
      borderBlockStart: "1px solid var(--line)"
    },
    ".cm-formatting .icon-button": { flex: "none", width: "40px" }
  },
  ".cm-searchMatch": { background: "var(--mark)" }
})

/** Whether all line breaks of a text are those of Windows. */
const isCrlf = (text: string): boolean => text.includes("\r\n") && !/(?:^|[^\r])\n/.test(text)

/**
 * The writing view of a Markdown text. The text is kept to the letter. If all its line breaks are "\r\n", new ones are
 * too; in a text with several kinds, the editor shows each "\r" as a character.
 */
export class Editor {
  readonly #view: EditorView
  readonly #owner: object
  #hasCrlf: boolean
  readonly #places = new Set<{ at: number }>()
  #isClosed = false

  constructor({
    attach,
    client,
    label,
    nonce,
    onChange,
    onFiles,
    owner,
    parent,
    templates,
    templateText,
    text
  }: EditorOptions) {
    const take = (event: Event, transfer: DataTransfer | null, at: number, prepare = asTheyAre): boolean => {
      const files = [...(transfer?.files ?? [])]
      if (files.length === 0) return false
      event.preventDefault()
      const place = this.keep(at)
      void prepare(files).then((prepared) => onFiles(prepared, place))
      return true
    }
    const insertTemplate = (template: NamedTemplate, at: number) => {
      const place = this.keep(at)
      void templateText(template)
        .then((text) => text !== undefined && place.insert(text.replaceAll("\r\n", "\n")))
        .finally(place.release)
    }
    this.#hasCrlf = isCrlf(text)
    this.#owner = owner
    this.#view = new EditorView({
      parent,
      state: stateOf(owner, this.#shown(text), [
        EditorView.cspNonce.of(nonce),
        // Otherwise the editor would replace other line breaks.
        EditorState.lineSeparator.of("\n"),
        EditorView.clipboardInputFilter.of(cleaned),
        EditorState.tabSize.of(4),
        EditorView.lineWrapping,
        EditorView.contentAttributes.of({ "aria-label": label, spellcheck: "true", autocapitalize: "sentences" }),
        highlightSpecialChars(),
        history(),
        othersChanges,
        drawSelection(),
        dropCursor(),
        search({ top: true }),
        // Not `markdown()`, which also brings the languages of HTML, CSS and JavaScript: 60 KB.
        markdownLanguage,
        syntaxHighlighting(highlightStyle),
        autocompletion({
          override: [linkCompletion(client), slashMenu({ templates, insertTemplate, attach: attach.run })],
          maxRenderedOptions: 100,
          icons: false,
          defaultKeymap: false
        }),
        closedSlash,
        decorations,
        formattingBar(attach),
        keys,
        theme,
        EditorView.domEventHandlers({
          drop: (event, view) =>
            take(
              event,
              event.dataTransfer,
              view.posAtCoords({ x: event.clientX, y: event.clientY }) ?? view.state.doc.length
            ),
          paste: (event, view) =>
            // Office programs add an image of the text.
            event.clipboardData?.types.includes("text/plain") === true
              ? pasteText(event, view)
              : take(event, event.clipboardData, view.state.selection.main.head, pastedFiles)
        }),
        EditorView.updateListener.of((update) => {
          for (const place of this.#places) place.at = update.changes.mapPos(place.at, 1)
          if (update.docChanged && !update.transactions.some(isOfOthers)) onChange(this.text)
        })
      ])
    })
  }

  get text(): string {
    const text = this.#view.state.doc.toString()
    return this.#hasCrlf ? text.replaceAll("\n", "\r\n") : text
  }

  /** Replaces the text by one that others have changed. The cursor stays, and undo does not undo their changes. */
  replace(text: string): void {
    this.#hasCrlf = isCrlf(text)
    this.#view.dispatch(changedByOthers(this.#view.state, this.#shown(text)))
  }

  /** Keeps a place until it is released. */
  keep(at: number): KeptPlace {
    const place = { at: Math.min(at, this.#view.state.doc.length) }
    this.#places.add(place)
    const insert = (text: string): boolean => {
      if (this.#isClosed) return false
      const { at } = place
      const { empty, head } = this.#view.state.selection.main
      const isHere = empty && head === at
      this.#view.dispatch({
        changes: { from: at, insert: text },
        ...(isHere ? { selection: { anchor: at + text.length } } : {})
      })
      return true
    }
    const startsText = (): boolean => {
      if (this.#isClosed) return false
      const line = this.#view.state.doc.lineAt(place.at)
      return line.from === place.at && line.length > 0
    }
    return { insert, startsText, release: () => void this.#places.delete(place) }
  }

  /** The place of the cursor. */
  get cursor(): number {
    return this.#view.state.selection.main.head
  }

  focus(): void {
    this.#view.focus()
  }

  close(): void {
    this.#isClosed = true
    histories.set(this.#owner, this.#view.state.toJSON(fields))
    this.#view.destroy()
  }

  /** The text with the line breaks of the editor. */
  #shown(text: string): string {
    return this.#hasCrlf ? text.replaceAll("\r\n", "\n") : text
  }
}
