import { batch, computed, signal } from "@preact/signals"
import { randomId } from "../../client/RandomId.ts"
import type { Schemas } from "../../client/SheafClient.ts"
import type { Creation, EditedResult, StoredDraft } from "./DraftStore.ts"
import { LocalDraft } from "./LocalDraft.ts"
import { contentOf, meet, needsDecision, type NoteClash, withTyped } from "./NoteClash.ts"
import { type NoteContent, sameContent, type Sides, withOneLine } from "./NoteContent.ts"
import type { Refusal } from "./SaveFailure.ts"

type Note = Schemas["Note"]

const empty: NoteContent = { title: "", body: "" }

/** Where a draft belongs. */
export interface DraftOwner {
  readonly account: string
  readonly workspace: string
  readonly notebook_id: string
  /** The title of notes without one, because a note needs a title. */
  readonly untitled: string
}

/** The text of a draft, and what it was made from. Each change is stored on this device at once. */
export class DraftText {
  /** The note that the text was made from; undefined while it is not created. */
  readonly note = signal<Note | undefined>(undefined)
  /** The text on the screen. */
  readonly content = signal<NoteContent>(empty)
  /** Until the person has decided, nothing is saved. */
  readonly clash = signal<NoteClash | undefined>(undefined)
  readonly refusal = signal<Refusal | undefined>(undefined)
  /** The texts of the last merge with changes of others. */
  readonly merged = signal<Sides | undefined>(undefined)
  /** Whether the server has the text on the screen. */
  readonly isSaved = computed(
    () => this.note.value !== undefined && sameContent(this.toSend(), contentOf(this.note.value))
  )
  /** Whether this device cannot store the draft. */
  readonly isUnstored = computed(() => this.local.isUnstored.value)
  protected readonly local = new LocalDraft()
  protected owner: DraftOwner
  /** The creation whose response has not come. */
  protected creation: Creation | undefined
  /** The idempotency key of the creation, in all tabs that continue the draft. */
  protected creationKey: string
  /** The text that was sent under the version of the note, and whose response has not come. */
  protected sent: NoteContent | undefined
  /** The result of a clash that an earlier page has left, until this one has met the clash. */
  private edited: EditedResult | undefined
  /** Whether a person has the text on the screen, and sees how it is merged. */
  protected isShown: boolean

  protected constructor(owner: DraftOwner, note?: Note, stored?: StoredDraft, isShown = true) {
    this.owner = owner
    this.isShown = isShown
    this.creationKey = stored?.creation_key ?? stored?.key ?? randomId()
    this.note.value = note
    this.content.value = stored?.content ?? (note === undefined ? empty : contentOf(note))
    this.creation = stored?.creation
    this.sent = stored?.sent
    this.edited = stored?.edited
  }

  /** Replaces the text on the screen by what the person has typed. */
  type(change: Partial<NoteContent>): void {
    const before = this.content.value
    const after = withOneLine({ ...before, ...change })
    const { edited } = this
    const clash = this.clash.value
    if (edited !== undefined) this.edited = { ...edited, result: withTyped(edited.result, before, after) }
    batch(() => {
      this.content.value = after
      if (clash === undefined) return
      this.clash.value = { ...clash, mine: this.toSend(), result: withTyped(clash.result, before, after) }
    })
    void this.store()
  }

  /** Keeps the result of a clash as the person edits it. */
  edit(result: NoteContent): void {
    const clash = this.clash.value
    if (clash === undefined) return
    this.clash.value = { ...clash, result: withOneLine(result) }
    void this.store()
  }

  /** The text as it is sent. */
  protected toSend(): NoteContent {
    const { body, title } = this.content.value
    return { title: title.trim() === "" ? this.owner.untitled : title, body }
  }

  /** Whether there is a text that can be saved. */
  protected isDue(): boolean {
    return !this.isSaved.value && this.clash.value === undefined && !this.isEmpty()
  }

  /** Whether the server has the text, or there is none: then this device need not keep it. */
  isKept(): boolean {
    return this.isSaved.value || this.isEmpty()
  }

  private isEmpty(): boolean {
    const { body, title } = this.content.value
    return this.note.value === undefined && this.creation === undefined && body.trim() === "" && title.trim() === ""
  }

  protected store(): Promise<void> {
    const { creation, creationKey, sent } = this
    const { account, notebook_id, workspace } = this.owner
    const [note, content] = [this.note.value, this.content.value]
    const clash = this.clash.value
    const edited = clash === undefined || !this.isShown ? this.edited : { note: clash.note, result: clash.result }
    const creations = { creation, creation_key: creationKey }
    return this.local.store({ account, workspace, notebook_id, note, content, ...creations, sent, edited })
  }

  /** Shows a note whose text on the screen is saved. */
  protected show(note: Note): void {
    batch(() => {
      this.note.value = note
      this.content.value = contentOf(note)
    })
  }

  /** The server has stored a text. What was typed since then is still to be saved. */
  protected taken(note: Note): void {
    this.creation = undefined
    this.sent = undefined
    this.note.value = note
    if (!this.isSaved.value) void this.store()
  }

  /** Others have changed the note since the version of this text, or the response to an earlier attempt was lost. */
  protected merge(known: Note, note: Note): void {
    const mine = this.toSend()
    const met = meet({ known, note, mine, sent: this.sent, edited: this.edited })
    if ("result" in met) {
      // The draft keeps its version: whatever happens to this page, the texts meet again.
      this.clash.value = met
      if (this.isShown) this.showClash(met)
      void this.store()
      return
    }
    const isUnchanged = sameContent(met.content, mine)
    this.continueFrom(met.note, isUnchanged ? this.content.value : met.content)
    if (!isUnchanged) this.merged.value = { base: contentOf(known), theirs: contentOf(note), mine }
  }

  /** Continues with the words of both, or lets the person decide, who continues a result that was edited. */
  protected showClash(clash: NoteClash): void {
    const isEdited = this.edited !== undefined
    this.edited = undefined
    if (isEdited || needsDecision(clash)) return
    const { base, mine, note, result, theirs } = clash
    this.continueFrom(note, result)
    this.merged.value = { base, theirs, mine }
  }

  /** Continues with a text that was made from another version of the note. A clash is over. */
  protected continueFrom(note: Note, content: NoteContent): void {
    this.sent = undefined
    this.edited = undefined
    batch(() => {
      this.note.value = note
      this.content.value = content
      this.clash.value = undefined
    })
    void this.store()
  }

  /** Returns to the text of the note. */
  protected reset(): void {
    const note = this.note.value
    this.creation = undefined
    this.creationKey = randomId()
    this.sent = undefined
    this.edited = undefined
    batch(() => {
      this.content.value = note === undefined ? empty : contentOf(note)
      this.refusal.value = undefined
    })
  }

  /**
   * The note was deleted. The person may save the text, or the result of its clash, as a new note. Theirs as the result is in
   * the trash: then mine stays.
   */
  protected gone(): void {
    const edited = this.clash.value ?? this.edited
    this.edited = undefined
    batch(() => {
      if (edited !== undefined && !sameContent(edited.result, contentOf(edited.note)))
        this.content.value = edited.result
      this.clash.value = undefined
      this.refusal.value = { kind: "gone" }
    })
    void this.store()
  }
}
