import { autocompletion } from "@codemirror/autocomplete"
import { history, historyField, redo } from "@codemirror/commands"
import { markdownLanguage } from "@codemirror/lang-markdown"
import { search } from "@codemirror/search"
import { EditorState, type Extension } from "@codemirror/state"
import { drawSelection, dropCursor, EditorView, highlightSpecialChars, keymap } from "@codemirror/view"
import { translation } from "../ChosenLanguage.ts"
import { isApple } from "../Keys.ts"
import { type Broken, setBroken } from "./LinkMarks.ts"
import { cleaned } from "./CleanedText.ts"
import { decorations } from "./Decorations.ts"
import { searchWords } from "./EditorMessages.ts"
import { editorStyle } from "./EditorStyle.ts"
import { formattingBar } from "./FormattingBar.ts"
import { changedByForm, covered, coveredFrontMatter, isSource } from "./CoveredSource.ts"
import { addressOfTarget } from "./FileAddresses.ts"
import { keys } from "./Keymap.ts"
import { linkCompletion, type LinkTargets } from "./LinkCompletion.ts"
import { type FoundLink, linkAt } from "./FoundLink.ts"
import { changedByOthers, isOfOthers, othersChanges, othersParts, undo } from "./OthersChanges.ts"
import { pastedFiles, pasteText } from "./Pasted.ts"
import { namesFiles } from "./Pasting.ts"
import { type NamedTemplate, closedSlash, type SlashOptions, slashMenu } from "./SlashMenu.ts"

/** A place in a text that stays the same while the text around it changes. */
export interface KeptPlace {
  /** Inserts a text there as if it were typed, and moves behind it. Returns false after the editor was closed. */
  readonly insert: (text: string) => boolean
  /** Replaces the text that begins there, if it is still the given one. */
  readonly replace: (before: string, after: string) => void
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
  readonly targets: LinkTargets
  /** The id of the note, once it has one. */
  readonly noteId: () => string | undefined
  /** Opens the target of a link. */
  readonly onFollow: (link: FoundLink) => void
  /** Called when the pointer is moved to a link to a note. */
  readonly onHover: (link: Element, target: string) => void
  /** Called when front matter is shown as it is written, or not any more. */
  readonly onSource: (isShown: boolean) => void
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
  #isSource = false

  constructor({
    attach,
    label,
    nonce,
    noteId,
    onChange,
    onFiles,
    onFollow,
    onHover,
    onSource,
    owner,
    parent,
    targets,
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
    const follow = (link: FoundLink | undefined): boolean => {
      if (link !== undefined) onFollow(link)
      return link !== undefined
    }
    const addressOf = (target: string) => addressOfTarget(targets.client, noteId(), target)
    const reportSource = (state: EditorState) => {
      const isShown = isSource(state)
      if (isShown !== this.#isSource) onSource((this.#isSource = isShown))
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
        // Above what is searched.
        formattingBar(parent, attach),
        search({ top: true }),
        EditorState.phrases.of(translation?.editor ?? searchWords),
        // Not `markdown()`, which also brings the languages of HTML, CSS and JavaScript: 60 KB.
        markdownLanguage,
        autocompletion({
          override: [
            linkCompletion({ ...targets, keep: (at) => this.keep(at) }),
            slashMenu({ templates, insertTemplate, attach: attach.run })
          ],
          maxRenderedOptions: 100,
          // Enter in a list that has just come chooses from it, and breaks no line.
          interactionDelay: 0,
          icons: false,
          defaultKeymap: false
        }),
        closedSlash,
        coveredFrontMatter,
        decorations(addressOf),
        keys,
        keymap.of([{ key: "Alt-Enter", run: ({ state }) => follow(linkAt(state, state.selection.main.head)) }]),
        editorStyle,
        EditorView.domEventHandlers({
          drop: (event, view) =>
            take(
              event,
              event.dataTransfer,
              view.posAtCoords({ x: event.clientX, y: event.clientY }) ?? view.state.doc.length
            ),
          paste: (event, view) => {
            const { clipboardData: data } = event
            // Office programs add an image of the text, and file managers the names of the files.
            const isText = data !== null && !namesFiles(data.getData("text/plain"), data.files)
            return (!isText && take(event, data, view.state.selection.main.head, pastedFiles)) || pasteText(event, view)
          },
          mousedown: (event, view) => {
            const place =
              event.button === 0 && (isApple ? event.metaKey : event.ctrlKey)
                ? view.posAtCoords({ x: event.clientX, y: event.clientY })
                : null
            const link = place === null ? undefined : linkAt(view.state, place)
            return follow(link)
          },
          pointerover: ({ pointerType, target }, view) => {
            const element = (target as Element).closest(".cm-note-link")
            const link = element && pointerType !== "touch" && linkAt(view.state, view.posAtDOM(element) + 1)
            if (link && link.kind === "note") onHover(element, link.target)
          }
        }),
        EditorView.updateListener.of((update) => {
          // A list that scrolls can have the focus (WCAG 2.1.1).
          update.view.dom.querySelector(".cm-tooltip-autocomplete > ul")?.setAttribute("tabindex", "0")
          for (const place of this.#places) place.at = update.changes.mapPos(place.at, 1)
          if (update.docChanged && !update.transactions.some(isOfOthers)) onChange(this.text)
          reportSource(update.state)
        })
      ])
    })
    reportSource(this.#view.state)
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

  /** Replaces the text by one that the form of its properties has changed. Changes while the user types are one step of undo. */
  change(text: string, isTyping: boolean): void {
    this.#view.dispatch(changedByForm(this.#view.state, this.#shown(text), isTyping))
  }

  /** Hides the front matter while the cursor is elsewhere, or shows it, because no form replaces it. */
  cover(isCovered: boolean): void {
    this.#view.dispatch(covered(this.#view.state, isCovered))
  }

  /** Shows the front matter, with the cursor in it. */
  showSource(): void {
    this.#view.dispatch({ selection: { anchor: this.#view.state.doc.line(2).from }, scrollIntoView: true })
    this.focus()
  }

  /** Takes back the last change, or makes it again. */
  undo(isRedo: boolean): void {
    ;(isRedo ? redo : undo)(this.#view)
  }

  /** Shows which links lead to no note or may mean several. */
  showBroken(broken: Broken): void {
    this.#view.dispatch({ effects: setBroken.of(broken) })
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
    const replace = (before: string, after: string): void => {
      const { at: from } = place
      const to = from + before.length
      if (this.#isClosed || this.#view.state.sliceDoc(from, to) !== before) return
      this.#view.dispatch({ changes: { from, to, insert: after } })
    }
    const startsText = (): boolean => {
      if (this.#isClosed) return false
      const line = this.#view.state.doc.lineAt(place.at)
      return line.from === place.at && line.length > 0
    }
    return { insert, replace, startsText, release: () => void this.#places.delete(place) }
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
