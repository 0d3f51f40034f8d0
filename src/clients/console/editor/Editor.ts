import { autocompletion } from "@codemirror/autocomplete"
import { history } from "@codemirror/commands"
import { markdownLanguage } from "@codemirror/lang-markdown"
import { HighlightStyle, syntaxHighlighting } from "@codemirror/language"
import { search } from "@codemirror/search"
import { EditorState } from "@codemirror/state"
import { drawSelection, dropCursor, EditorView, highlightSpecialChars } from "@codemirror/view"
import { tags } from "@lezer/highlight"
import type { SheafClient } from "../../client/SheafClient.ts"
import { decorations } from "./Decorations.ts"
import { keys } from "./Keymap.ts"
import { linkCompletion } from "./LinkCompletion.ts"
import { changedByOthers, isOfOthers, othersChanges } from "./OthersChanges.ts"

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
  /** Finds notes for links. */
  readonly client: SheafClient
}

/** Colours by variables, so that they follow the theme of the page. */
const highlightStyle = HighlightStyle.define([
  { tag: tags.heading, fontWeight: "650", color: "var(--ink)" },
  { tag: tags.heading1, fontSize: "1.35em" },
  { tag: tags.heading2, fontSize: "1.2em" },
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
  #hasCrlf: boolean
  readonly #places = new Set<{ at: number }>()
  #isClosed = false

  constructor({ client, label, nonce, onChange, onFiles, parent, text }: EditorOptions) {
    const take = (event: Event, transfer: DataTransfer | null, at: number): boolean => {
      const files = [...(transfer?.files ?? [])]
      if (files.length === 0) return false
      event.preventDefault()
      onFiles(files, this.keep(at))
      return true
    }
    this.#hasCrlf = isCrlf(text)
    this.#view = new EditorView({
      parent,
      state: EditorState.create({
        doc: this.#shown(text),
        extensions: [
          EditorView.cspNonce.of(nonce),
          // Otherwise the editor would replace other line breaks.
          EditorState.lineSeparator.of("\n"),
          // The server refuses NUL and half surrogate pairs.
          EditorView.clipboardInputFilter.of((text) =>
            text.replaceAll("\r\n", "\n").replaceAll("\0", "").toWellFormed()
          ),
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
          autocompletion({ override: [linkCompletion(client)], icons: false, defaultKeymap: false }),
          decorations,
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
              event.clipboardData?.types.includes("text/plain") !== true &&
              take(event, event.clipboardData, view.state.selection.main.head)
          }),
          EditorView.updateListener.of((update) => {
            for (const place of this.#places) place.at = update.changes.mapPos(place.at, 1)
            if (update.docChanged && !update.transactions.some(isOfOthers)) onChange(this.text)
          })
        ]
      })
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
    this.#view.destroy()
  }

  /** The text with the line breaks of the editor. */
  #shown(text: string): string {
    return this.#hasCrlf ? text.replaceAll("\r\n", "\n") : text
  }
}
