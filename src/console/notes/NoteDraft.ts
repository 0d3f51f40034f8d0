import { randomId } from "../../client/RandomId.ts"
import { computed, signal } from "@preact/signals"
import { isProblem, type Problem, type Schemas, SheafError, type SheafClient } from "../../client/SheafClient.ts"
import { DraftWriter, holdDraft, type StoredDraft } from "./DraftStore.ts"
import { type Clash, mergeContent, type NoteContent, sameContent } from "./NoteContent.ts"

type Note = Schemas["Note"]

/** Milliseconds without typing after which a text is saved. */
const pauseBeforeSave = 800
/** Milliseconds after which a text is saved although the person is still typing. */
const longestUnsaved = 5_000
/** Milliseconds until the first repetition without a connection, doubled with each one, up to the longest. */
const firstRetry = 1_000
const longestRetry = 30_000

/** Why a text is not saved. */
export type Refusal =
  /** The note is not there any more, or never was for this person. */
  { readonly kind: "gone" } | { readonly kind: "refused"; readonly problem: Problem }

const contentOf = ({ body, title }: Note): NoteContent => ({ title, body })

/** Places for the texts of notes whose title is empty. */
const titleOf = (title: string, untitled: string): string => (title.trim() === "" ? untitled : title)

interface Parts {
  readonly client: SheafClient
  readonly workspace: string
  /** The title of notes without one, because a note needs a title. */
  readonly untitled: string
}

/**
 * A note that is being written. Each change is stored on this device at once, and on the server after a pause, under the
 * version that the text was made from. Changes of others are merged; where both sides have changed the same words, the
 * person decides. Nothing that was typed is dropped: a draft is removed only after the server has stored its text.
 */
export class NoteDraft {
  /** The note as the server has it; undefined while it is not created. */
  readonly note = signal<Note | undefined>(undefined)
  /** The text on the screen. */
  readonly content = signal<NoteContent>({ title: "", body: "" })
  /** Two texts that the person has to decide about. Until then nothing is saved. */
  readonly clash = signal<Clash | undefined>(undefined)
  readonly refusal = signal<Refusal | undefined>(undefined)
  /** Whether the last attempt found no server. */
  readonly isOffline = signal(false)
  readonly isSaving = signal(false)
  /** Whether this device cannot store the draft. */
  readonly isUnstored = signal(false)
  /** The number of merges with changes of others. */
  readonly merges = signal(0)
  /** Whether the server has the text on the screen. */
  readonly isSaved = computed(() => this.note.value !== undefined && sameContent(this.sent(), this.base.value))

  private readonly parts: Parts
  private readonly base = signal<NoteContent>({ title: "", body: "" })
  private readonly writer = new DraftWriter()
  private readonly key: string
  private readonly notebook_id: string
  private readonly release: () => void
  private timer: ReturnType<typeof setTimeout> | undefined
  private unsavedSince: number | undefined
  private saving: Promise<void> | undefined
  /** A newer state that came while the text was being saved. */
  private newest: Note | undefined
  private retries = 0
  private isClosed = false

  private constructor(parts: Parts, key: string, notebook_id: string) {
    this.parts = parts
    this.key = key
    this.notebook_id = notebook_id
    this.release = holdDraft(key)
    addEventListener("online", this.saveAgain)
  }

  /** Opens a note as the server returned it. */
  static of(parts: Parts, note: Note): NoteDraft {
    const draft = new NoteDraft(parts, randomId(), note.notebook_id)
    draft.note.value = note
    draft.base.value = contentOf(note)
    draft.content.value = contentOf(note)
    return draft
  }

  /** Begins a note. It is created with the first text that is saved. */
  static create(parts: Parts, notebook_id: string): NoteDraft {
    return new NoteDraft(parts, randomId(), notebook_id)
  }

  /** Continues a draft that a closed tab has left. `note` is the note as the server has it now. */
  static continued(parts: Parts, stored: StoredDraft, note: Note | undefined): NoteDraft {
    const draft = new NoteDraft(parts, stored.key, stored.notebook_id)
    // The version of the draft: what others have written since is merged when it is saved.
    draft.note.value = note === undefined ? undefined : { ...note, version: stored.version }
    draft.base.value = stored.base
    draft.content.value = stored.content
    draft.schedule()
    return draft
  }

  /** Replaces the text on the screen by what the person has typed. */
  type(change: Partial<NoteContent>): void {
    this.content.value = { ...this.content.value, ...change }
    this.store()
    this.schedule()
  }

  /** Takes a newer state of the note, such as one from the stream. An unsaved text is merged when it is saved. */
  receive(note: Note): void {
    const known = this.note.value
    if (known === undefined || note.id !== known.id || note.version <= known.version) return
    if (this.saving !== undefined) {
      this.newest = note
      return
    }
    if (!this.isSaved.value || this.clash.value !== undefined) return
    this.note.value = note
    this.base.value = contentOf(note)
    this.content.value = contentOf(note)
  }

  /** Takes the note after a change that was made elsewhere on this page, such as of its tags. */
  replaced(note: Note): void {
    const known = this.note.value
    if (known === undefined || note.version !== known.version + 1 || !sameContent(contentOf(note), this.base.value))
      return
    this.note.value = note
  }

  /** Saves now, and resolves when the text is saved or waits for the person or the network. */
  async save(): Promise<void> {
    clearTimeout(this.timer)
    this.timer = undefined
    await (this.saving ??= this.saveAll().finally(() => {
      this.saving = undefined
      this.isSaving.value = false
      const { newest } = this
      this.newest = undefined
      if (newest !== undefined) this.receive(newest)
    }))
  }

  /**
   * Ends a clash by a text. Mine is stored first, so that the history has it whatever the result is, and theirs is in
   * the history already.
   */
  async resolve(result: NoteContent): Promise<void> {
    const clash = this.clash.value
    if (clash === undefined) return
    this.clash.value = undefined
    await this.save()
    // Others have changed the note again: the person decides about that first.
    if (this.clash.value !== undefined) return
    if (!this.isSaved.value) {
      clearTimeout(this.timer)
      this.clash.value = clash
      return
    }
    this.type(result)
    await this.save()
  }

  /** Drops what was typed since the last text that the server has stored. Called after the person has confirmed it. */
  async discard(): Promise<void> {
    clearTimeout(this.timer)
    this.content.value = this.base.value
    this.refusal.value = undefined
    await this.writer.remove(this.key)
  }

  /** Saves what is left. The draft stays on this device until that succeeds. */
  async close(): Promise<void> {
    this.isClosed = true
    if (!this.isSaved.value) await this.save()
    clearTimeout(this.timer)
    removeEventListener("online", this.saveAgain)
    this.release()
  }

  private readonly saveAgain = () => void this.save()

  /** The text as it is sent. */
  private sent(): NoteContent {
    const { body, title } = this.content.value
    return { title: titleOf(title, this.parts.untitled), body }
  }

  private isEmpty(): boolean {
    const { body, title } = this.content.value
    return this.note.value === undefined && body.trim() === "" && title.trim() === ""
  }

  private store(): void {
    const { key, notebook_id } = this
    const { workspace } = this.parts
    const [note, base, content] = [this.note.value, this.base.value, this.content.value]
    const version = note?.version ?? 0
    const changed_at = Date.now()
    this.writer.write({ key, workspace, note_id: note?.id, notebook_id, version, base, content, changed_at }).then(
      () => (this.isUnstored.value = false),
      () => (this.isUnstored.value = true)
    )
  }

  private schedule(millis = pauseBeforeSave): void {
    if (this.clash.value !== undefined) return
    clearTimeout(this.timer)
    this.unsavedSince ??= Date.now()
    const most = Math.max(0, this.unsavedSince + longestUnsaved - Date.now())
    this.timer = setTimeout(() => void this.save(), millis === pauseBeforeSave ? Math.min(millis, most) : millis)
  }

  private async saveAll(): Promise<void> {
    while (!this.isSaved.value && this.clash.value === undefined && !this.isEmpty()) {
      this.isSaving.value = true
      this.unsavedSince = undefined
      try {
        await this.saveOnce()
        this.isOffline.value = false
        this.refusal.value = undefined
        this.retries = 0
      } catch (error) {
        if (!(error instanceof SheafError)) throw error
        this.failed(error)
        return
      }
    }
    if (this.isSaved.value) await this.writer.remove(this.key)
    else if (this.clash.value !== undefined) this.store()
  }

  private async saveOnce(): Promise<void> {
    const { client } = this.parts
    const note = this.note.value
    const sent = this.sent()
    if (note === undefined) {
      this.taken(await client.createNote({ notebook_id: this.notebook_id, ...sent }, { idempotencyKey: this.key }))
      return
    }
    try {
      this.taken(await client.updateNote({ id: note.id, version: note.version, ...sent }))
    } catch (error) {
      if (!isProblem(error, "precondition_failed")) throw error
      this.merge(await client.getNote({ id: note.id }), sent)
    }
  }

  /** The server has stored a text. What was typed since then is still to be saved. */
  private taken(note: Note): void {
    this.note.value = note
    this.base.value = contentOf(note)
    // A title that was empty gets the one that was sent, unless it was typed since.
    if (this.content.value.title.trim() === "") this.content.value = { ...this.content.value, title: note.title }
    if (!this.isSaved.value) this.store()
  }

  /** Others have changed the note since the version of this text. */
  private merge(note: Note, sent: NoteContent): void {
    const theirs = contentOf(note)
    const [base, mine] = [this.base.value, this.content.value]
    // The response to an earlier attempt was lost, or only tags have changed.
    if (sameContent(theirs, sent) || sameContent(theirs, base)) {
      this.note.value = note
      this.base.value = theirs
      return
    }
    const { isClear, merged } = mergeContent({ base, theirs, mine })
    this.note.value = note
    this.base.value = theirs
    if (isClear) {
      this.content.value = merged
      this.merges.value++
    } else this.clash.value = { base, theirs, mine, merged }
    this.store()
  }

  private failed(error: SheafError): void {
    const { problem } = error
    // The session has ended. The page asks for the password, and then saves again.
    if (problem.status === 401) return
    if (problem.status === 404) this.refusal.value = { kind: "gone" }
    else if (problem.status >= 400 && problem.status < 500 && ![408, 429].includes(problem.status)) {
      this.refusal.value = { kind: "refused", problem }
    } else {
      this.isOffline.value = true
      if (this.isClosed) return
      this.schedule(Math.min(longestRetry, Math.max(error.retryAfter ?? 0, firstRetry * 2 ** this.retries++)))
    }
  }
}
