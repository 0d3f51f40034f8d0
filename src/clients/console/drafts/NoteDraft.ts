import { batch, signal } from "@preact/signals"
import { randomId } from "../../client/RandomId.ts"
import { isProblem, type Schemas, SheafError, type SheafClient } from "../../client/SheafClient.ts"
import { removeDraft, type StoredDraft, takeDraft } from "./DraftStore.ts"
import { type DraftOwner, DraftText } from "./DraftText.ts"
import { afterDecision, storeDecision, withTheirs } from "./NoteClash.ts"
import { type NoteContent, sameContent } from "./NoteContent.ts"
import { failureOf } from "./SaveFailure.ts"
import { SaveSchedule } from "./SaveSchedule.ts"

type Note = Schemas["Note"]

/** Maximum number of repetitions of the result of a clash, while others change the same note. */
const mostTries = 5

/** What all drafts of a workspace have in common. */
export interface DraftParts extends Omit<DraftOwner, "notebook_id"> {
  readonly client: SheafClient
}

/**
 * A note that is being written. Each change is stored on this device at once, and on the server after a pause, under the
 * version that the text was made from. Changes of others are merged; the person decides only where a text cannot have the
 * words of both. Nothing that was typed is dropped: a draft is removed only after the server has stored its text.
 */
export class NoteDraft extends DraftText {
  /** Whether the last attempt found no server. */
  readonly isOffline = signal(false)
  readonly isSaving = signal(false)
  private readonly client: SheafClient
  private readonly schedule = new SaveSchedule(() => void this.saveDue())
  private saving: Promise<boolean> | undefined
  /** A newer state that came while the text was being saved. */
  private newest: Note | undefined
  private isClosed = false

  private constructor(parts: DraftParts, notebook_id: string, note?: Note, stored?: StoredDraft, isShown?: boolean) {
    super({ ...parts, notebook_id }, note, stored, isShown)
    this.client = parts.client
    addEventListener("online", this.saveAgain)
  }

  /** Opens a note as the server returned it. */
  static of(parts: DraftParts, note: Note): NoteDraft {
    return new NoteDraft(parts, note.notebook_id, note)
  }

  /** Begins a note. It is created with the first text that is saved. */
  static create(parts: DraftParts, notebook_id: string): NoteDraft {
    return new NoteDraft(parts, notebook_id)
  }

  /**
   * Continues a draft that was left, from the version that it was made from: what others have written since is merged when
   * it is saved. Returns undefined if another tab has taken the draft, or the server has stored it. One that is not shown
   * waits for the person where others have changed the same words. The draft gets another key, because pages that came by
   * plain HTTP have no locks: there two tabs may continue it.
   */
  static async continued(parts: DraftParts, key: string, isShown = true): Promise<NoteDraft | undefined> {
    const taken = await takeDraft(key)
    if (taken === undefined) return undefined
    try {
      const { draft: stored } = taken
      const draft = new NoteDraft(parts, stored.notebook_id, stored.note, stored, isShown)
      await draft.store()
      if (!draft.isUnstored.value) await removeDraft(key)
      if (isShown) draft.schedule.typed()
      return draft
    } finally {
      taken.release()
    }
  }

  /** The key of the copy on this device. */
  get key(): string {
    return this.local.key
  }

  /** A person opens a text that was sent without one. */
  attend(): void {
    if (this.isShown) return
    this.isShown = true
    const clash = this.clash.value
    if (clash !== undefined) this.showClash(clash)
    if (!this.isSaved.value) this.schedule.typed()
  }

  /** Replaces the text on the screen by what the person has typed. A draft that was closed is saved at once. */
  override type(change: Partial<NoteContent>): void {
    super.type(change)
    if (this.isClosed) {
      this.local.hold()
      void this.close()
    } else if (this.clash.value === undefined) this.schedule.typed()
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
    while (await this.saveNow());
  }

  /** Saves by the schedule: what is typed meanwhile is saved after its own pause. */
  private async saveDue(): Promise<void> {
    if (await this.saveNow()) this.schedule.typed()
  }

  /** Saves the text as it is. Returns whether that has succeeded, and the text has changed meanwhile. */
  private saveNow(): Promise<boolean> {
    this.schedule.stop()
    return (this.saving ??= this.saveText().finally(() => {
      this.saving = undefined
      this.isSaving.value = false
      const { newest } = this
      this.newest = undefined
      if (newest !== undefined) this.receive(newest)
    }))
  }

  /**
   * Ends a clash by a text. The history then has the words of mine whatever the result is; theirs is there already. Rejects if the server does not store it: then the clash stays. If others have changed the note again, their
   * changes are merged with the result, or the person decides about the clash in its new form.
   */
  async resolve(result: NoteContent): Promise<void> {
    const before = this.clash.value?.result
    this.edit(result)
    // From here on a page that continues the draft finds the result.
    await this.store()
    for (let tries = 0; this.clash.value !== undefined; tries++) {
      const sent = this.clash.value
      let stored
      try {
        stored = await storeDecision(this.client, sent)
      } catch (error) {
        if (isProblem(error, "not_found")) return this.gone()
        // The person may choose again.
        if (before !== undefined) this.edit(before)
        throw error
      }
      // The text may have got the link of a file meanwhile.
      const latest = this.clash.value ?? sent
      if (stored.isStored) {
        this.continueFrom(stored.note, afterDecision(latest.result, stored.sent, stored.note))
        return this.save()
      }
      const { clash, isClear } = withTheirs(latest, stored.note)
      this.clash.value = clash
      await this.store()
      if (!isClear || tries >= mostTries) return
    }
  }

  /** Drops what was typed since the last text that the server has stored. The person has confirmed it. */
  async discard(): Promise<void> {
    this.schedule.stop()
    this.reset()
    await this.local.remove()
  }

  /** Where the note is, or will be created. */
  get notebook_id(): string {
    return this.note.value?.notebook_id ?? this.owner.notebook_id
  }

  /** Continues as a new note of a notebook, because the note is gone or cannot be changed. */
  async saveAsNew(notebook_id: string): Promise<void> {
    this.owner = { ...this.owner, notebook_id }
    this.sent = undefined
    this.creationKey = randomId()
    batch(() => {
      this.note.value = undefined
      this.refusal.value = undefined
    })
    await this.store()
    await this.save()
  }

  /** Saves what is left. The draft stays on this device until that succeeds. */
  async close(): Promise<void> {
    this.isClosed = true
    try {
      if (!this.isSaved.value) await this.save()
    } finally {
      this.leave()
    }
  }

  /** Leaves the text as it is, to any tab. */
  leave(): void {
    this.isClosed = true
    this.schedule.stop()
    removeEventListener("online", this.saveAgain)
    this.local.leave()
  }

  private readonly saveAgain = () => void this.save()

  private async forget(): Promise<void> {
    try {
      await this.local.remove()
    } catch (error) {
      // The browser cannot reach its database. The draft is equal to the note, and is offered again.
      console.warn(error)
    }
  }

  private async saveText(): Promise<boolean> {
    if (this.refusal.value?.kind === "gone") return false
    let isStored = false
    // A text that was merged is sent at once.
    while (this.isDue() && !isStored) {
      this.isSaving.value = true
      this.schedule.begun()
      try {
        isStored = await this.send()
      } catch (error) {
        this.failed(error)
        return false
      }
      batch(() => {
        this.isOffline.value = false
        this.refusal.value = undefined
      })
      this.schedule.succeeded()
    }
    if (this.isKept()) await this.forget()
    return this.isDue()
  }

  /**
   * Sends the text. A repetition has the text of the first attempt, which may have been processed. Returns false if the text
   * was merged with that of others instead.
   */
  private async send(): Promise<boolean> {
    const note = this.note.value
    if (note === undefined) {
      this.creation ??= { key: this.creationKey, content: this.toSend() }
      await this.store()
      const { content, key } = this.creation
      const { notebook_id } = this.owner
      this.taken(await this.client.createNote({ notebook_id, ...content }, { idempotencyKey: key }))
      return true
    }
    const earlier = this.sent
    this.sent ??= this.toSend()
    const { id, version } = note
    try {
      this.taken(await this.client.updateNote({ id, version, ...this.sent }))
      return true
    } catch (error) {
      if (!isProblem(error, "precondition_failed")) throw error
      const known = earlier === undefined ? note : await this.afterAttempt(note, earlier)
      this.merge(known, await this.client.getNote({ id }))
      return false
    }
  }

  /** The note that the next version is made from: the text of an earlier attempt, if the history has it as its next version. */
  private async afterAttempt(known: Note, sent: NoteContent): Promise<Note> {
    const { id, version } = known
    try {
      const { body, title } = await this.client.getNoteVersion({ id, version: version + 1 })
      return sameContent({ title, body }, sent) ? { ...known, title, body } : known
    } catch (error) {
      if (isProblem(error, "not_found")) return known
      throw error
    }
  }

  private failed(error: unknown): void {
    if (!(error instanceof SheafError)) {
      this.schedule.failed()
      throw error
    }
    const failure = failureOf(error)
    if (failure.kind === "signedOut") return
    if (failure.kind === "gone" && this.note.value !== undefined) return this.gone()
    // A note that does not exist yet cannot be gone: its workspace is.
    if (failure.kind === "gone" || failure.kind === "refused") {
      // What is typed next may be accepted. The server has stored the refusal under the key.
      this.creation = undefined
      this.creationKey = randomId()
      this.sent = undefined
      this.refusal.value = { kind: "refused", problem: error.problem }
      return
    }
    this.isOffline.value = true
    if (!this.isClosed) this.schedule.failed(failure.retryAfter)
  }
}
