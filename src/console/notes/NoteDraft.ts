import { batch, computed, signal } from "@preact/signals"
import { randomId } from "../../client/RandomId.ts"
import { isProblem, type Problem, type Schemas, SheafError, type SheafClient } from "../../client/SheafClient.ts"
import { type Creation, DraftWriter, holdDraft, removeDraft, type StoredDraft } from "./DraftStore.ts"
import { type Clash, mergeContent, type NoteContent, sameContent } from "./NoteContent.ts"
import { SaveSchedule } from "./SaveSchedule.ts"

type Note = Schemas["Note"]

/** Why a text is not saved. */
export type Refusal =
  /** The note is not there any more, or never was for this person. */
  { readonly kind: "gone" } | { readonly kind: "refused"; readonly problem: Problem }

/** Maximum number of repetitions of the result of a clash, while others change the same note. */
const mostTries = 5

const empty: NoteContent = { title: "", body: "" }
const contentOf = ({ body, title }: Note): NoteContent => ({ title, body })

interface Parts {
  readonly client: SheafClient
  readonly account: string
  readonly workspace: string
  /** The title of notes without one, because a note needs a title. */
  readonly untitled: string
}

/** A clash, and the note as the server has it. */
export interface NoteClash extends Clash {
  readonly note: Note
}

/**
 * A note that is being written. Each change is stored on this device at once, and on the server after a pause, under the
 * version that the text was made from. Changes of others are merged; where both sides have changed the same words, the
 * person decides. Nothing that was typed is dropped: a draft is removed only after the server has stored its text.
 */
export class NoteDraft {
  /** The note that the text was made from; undefined while it is not created. */
  readonly note = signal<Note | undefined>(undefined)
  /** The text on the screen. */
  readonly content = signal<NoteContent>(empty)
  /** Two texts that the person has to decide about. Until then nothing is saved. */
  readonly clash = signal<NoteClash | undefined>(undefined)
  readonly refusal = signal<Refusal | undefined>(undefined)
  /** Whether the last attempt found no server. */
  readonly isOffline = signal(false)
  readonly isSaving = signal(false)
  /** Whether this device cannot store the draft. */
  readonly isUnstored = signal(false)
  /** The number of merges with changes of others. */
  readonly merges = signal(0)
  /** Whether the server has the text on the screen. */
  readonly isSaved = computed(
    () => this.note.value !== undefined && sameContent(this.toSend(), contentOf(this.note.value))
  )

  private readonly parts: Parts
  private readonly writer = new DraftWriter()
  private readonly notebook_id: string
  private key = randomId()
  private release = holdDraft(this.key)
  private creation: Creation | undefined
  private sent: NoteContent | undefined
  private readonly schedule = new SaveSchedule(() => void this.save())
  private saving: Promise<void> | undefined
  /** A newer state that came while the text was being saved. */
  private newest: Note | undefined
  private isClosed = false

  private constructor(parts: Parts, notebook_id: string, note?: Note) {
    this.parts = parts
    this.notebook_id = notebook_id
    this.note.value = note
    if (note !== undefined) this.content.value = contentOf(note)
    addEventListener("online", this.saveAgain)
  }

  /** Opens a note as the server returned it. */
  static of(parts: Parts, note: Note): NoteDraft {
    return new NoteDraft(parts, note.notebook_id, note)
  }

  /** Begins a note. It is created with the first text that is saved. */
  static create(parts: Parts, notebook_id: string): NoteDraft {
    return new NoteDraft(parts, notebook_id)
  }

  /**
   * Continues a draft that a closed tab has left, from the version that it was made from: what others have written since is
   * merged when it is saved. The draft gets another key, so that two tabs may continue it.
   */
  static continued(parts: Parts, stored: StoredDraft): NoteDraft {
    const draft = new NoteDraft(parts, stored.notebook_id, stored.note)
    draft.content.value = stored.content
    draft.creation = stored.creation
    draft.sent = stored.sent
    void draft.store().then(() => (draft.isUnstored.value ? undefined : removeDraft(stored.key)))
    draft.typed()
    return draft
  }

  /** Replaces the text on the screen by what the person has typed. */
  type(change: Partial<NoteContent>): void {
    this.content.value = { ...this.content.value, ...change }
    void this.store()
    this.typed()
  }

  /** Takes a newer state of the note, such as one from the stream. An unsaved text is merged when it is saved. */
  receive(note: Note): void {
    const known = this.note.value
    if (known === undefined || note.id !== known.id || note.version <= known.version) return
    if (this.saving !== undefined) this.newest = note
    else if (this.isSaved.value && this.clash.value === undefined) this.show(note)
  }

  /** Saves now, and resolves when the text is saved or waits for the person or the network. */
  async save(): Promise<void> {
    this.schedule.stop()
    await (this.saving ??= this.saveAll().finally(() => {
      this.saving = undefined
      this.isSaving.value = false
      const { newest } = this
      this.newest = undefined
      if (newest !== undefined) this.receive(newest)
    }))
  }

  /**
   * Ends a clash by a text. Mine is stored first, so that the history has it whatever the result is; theirs is there
   * already. Rejects if the server does not store it: then the clash stays. If others have changed the note again, their
   * changes are merged with the result, or the person decides about the clash in its new form.
   */
  async resolve(result: NoteContent): Promise<void> {
    const clash = this.clash.value
    if (clash === undefined) return
    const { client } = this.parts
    const mine = this.titled(clash.mine)
    let [chosen, note] = [result, clash.note]
    const stored = (current: Note) => {
      batch(() => {
        this.taken(current)
        this.clash.value = undefined
        this.type(chosen)
      })
      return this.save()
    }
    for (let tries = 0; ; tries++) {
      try {
        return await stored(await client.updateNote({ id: note.id, version: note.version, ...mine }))
      } catch (error) {
        if (!isProblem(error, "precondition_failed")) throw error
        const current = await client.getNote({ id: note.id })
        const theirs = contentOf(current)
        // The response to an earlier attempt was lost.
        if (sameContent(theirs, mine)) return stored(current)
        const { isClear, merged } = mergeContent({ base: contentOf(note), theirs, mine: chosen })
        ;[chosen, note] = [merged, current]
        if (isClear && tries < mostTries) continue
        this.clash.value = { ...clash, note, theirs, merged }
        return
      }
    }
  }

  /** Drops what was typed since the last text that the server has stored. The person has confirmed it. */
  async discard(): Promise<void> {
    this.schedule.stop()
    const note = this.note.value
    this.content.value = note === undefined ? empty : contentOf(note)
    this.refusal.value = undefined
    await this.writer.remove(this.key)
  }

  /** Continues as a new note, because the note is gone or cannot be changed. */
  async saveAsNew(): Promise<void> {
    const [key, release] = [this.key, this.release]
    this.key = randomId()
    this.release = holdDraft(this.key)
    batch(() => {
      this.note.value = undefined
      this.refusal.value = undefined
    })
    this.sent = undefined
    await this.store()
    if (!this.isUnstored.value) await removeDraft(key)
    release()
    await this.save()
  }

  /** Saves what is left. The draft stays on this device until that succeeds. */
  async close(): Promise<void> {
    this.isClosed = true
    try {
      if (!this.isSaved.value) await this.save()
    } finally {
      this.schedule.stop()
      removeEventListener("online", this.saveAgain)
      this.release()
    }
  }

  private readonly saveAgain = () => void this.save()

  private titled({ body, title }: NoteContent): NoteContent {
    return { title: title.trim() === "" ? this.parts.untitled : title, body }
  }

  /** The text as it is sent. */
  private toSend(): NoteContent {
    return this.titled(this.content.value)
  }

  /** Whether the server has the text, or there is none. */
  isKept(): boolean {
    return this.isSaved.value || this.isEmpty()
  }

  private isEmpty(): boolean {
    const { body, title } = this.content.value
    return this.note.value === undefined && this.creation === undefined && body.trim() === "" && title.trim() === ""
  }

  /** Shows a note whose text on the screen is saved. */
  private show(note: Note): void {
    batch(() => {
      this.note.value = note
      this.content.value = contentOf(note)
    })
  }

  private async store(): Promise<void> {
    const { creation, key, notebook_id, sent } = this
    const { account, workspace } = this.parts
    const [note, content] = [this.note.value, this.content.value]
    const changed_at = Date.now()
    try {
      await this.writer.write({ key, account, workspace, notebook_id, note, content, creation, sent, changed_at })
      this.isUnstored.value = false
    } catch (error) {
      console.warn(error)
      this.isUnstored.value = true
    }
  }

  private async forget(): Promise<void> {
    try {
      await this.writer.remove(this.key)
    } catch (error) {
      // The browser cannot reach its database. The draft is equal to the note, and is offered again.
      console.warn(error)
    }
  }

  /** During a clash nothing is saved. */
  private typed(): void {
    if (this.clash.value === undefined) this.schedule.typed()
  }

  private async saveAll(): Promise<void> {
    if (this.refusal.value?.kind === "gone") return
    while (!this.isSaved.value && this.clash.value === undefined && !this.isEmpty()) {
      this.isSaving.value = true
      this.schedule.begun()
      try {
        await this.saveOnce()
      } catch (error) {
        this.failed(error)
        return
      }
      batch(() => {
        this.isOffline.value = false
        this.refusal.value = undefined
      })
      this.schedule.succeeded()
    }
    if (this.isKept()) await this.forget()
  }

  private async saveOnce(): Promise<void> {
    const { client } = this.parts
    const note = this.note.value
    const typed = this.content.value
    if (note === undefined) {
      this.creation ??= { key: randomId(), content: this.toSend() }
      await this.store()
      const { content, key } = this.creation
      const created = await client.createNote({ notebook_id: this.notebook_id, ...content }, { idempotencyKey: key })
      this.creation = undefined
      return this.taken(created, typed)
    }
    const content = this.toSend()
    const earlier = this.sent
    this.sent = content
    try {
      this.taken(await client.updateNote({ id: note.id, version: note.version, ...content }), typed)
    } catch (error) {
      if (!isProblem(error, "precondition_failed")) throw error
      this.merge(note, await client.getNote({ id: note.id }), [content, ...(earlier === undefined ? [] : [earlier])])
    }
  }

  /** The server has stored a text. What was typed since then is still to be saved. */
  private taken(note: Note, typed?: NoteContent): void {
    this.sent = undefined
    batch(() => {
      this.note.value = note
      const { body, title } = this.content.value
      // The server writes a title on one line.
      if (title === typed?.title && title.trim() !== "") this.content.value = { title: note.title, body }
    })
    if (!this.isSaved.value) void this.store()
  }

  /** Others have changed the note since the version of this text, or the response to an earlier attempt was lost. */
  private merge(known: Note, note: Note, sent: ReadonlyArray<NoteContent>): void {
    const theirs = contentOf(note)
    const [base, mine] = [contentOf(known), this.toSend()]
    if (sent.some((content) => sameContent(content, theirs)) || sameContent(theirs, base)) return this.taken(note)
    const { isClear, merged } = mergeContent({ base, theirs, mine })
    if (!isClear) {
      // The draft keeps its version: whatever happens to this page, the person is asked again.
      this.clash.value = { base, theirs, mine, merged, note }
      return
    }
    batch(() => {
      this.note.value = note
      this.content.value = merged
      this.merges.value++
    })
    this.sent = undefined
    void this.store()
  }

  private failed(error: unknown): void {
    if (!(error instanceof SheafError)) {
      this.schedule.failed()
      throw error
    }
    const { code, status } = error.problem
    // The session has ended. The page asks for the password, and then saves again.
    if (status === 401) return
    if (code === "not_found") {
      this.refusal.value = { kind: "gone" }
      return
    }
    const isTemporary =
      code === "unexpected_response" || code === "idempotency_in_progress" || [408, 429].includes(status)
    if (status >= 400 && status < 500 && !isTemporary) {
      this.creation = undefined
      this.refusal.value = { kind: "refused", problem: error.problem }
      return
    }
    this.isOffline.value = true
    if (!this.isClosed) this.schedule.failed(error.retryAfter)
  }
}
