import { computed, type Signal, signal } from "@preact/signals"
import { randomId } from "../../client/RandomId.ts"
import type { Schemas, SheafClient } from "../../client/SheafClient.ts"
import type { DraftEffect, DraftEvent } from "./DraftEvent.ts"
import { answered } from "./DraftLife.ts"
import { outcomeOf } from "./DraftRequests.ts"
import {
  type DraftOwner,
  type DraftState,
  draftState,
  isKept,
  isRunning,
  isSaved,
  type Phase,
  storedOf
} from "./DraftState.ts"
import { removeDraft, takeDraft } from "./DraftStore.ts"
import type { StoredDraft } from "./StoredDraft.ts"
import { LocalDraft } from "./LocalDraft.ts"
import type { NoteContent } from "./NoteContent.ts"
import { failureOf } from "./SaveFailure.ts"
import { SaveSchedule } from "./SaveSchedule.ts"

type Note = Schemas["Note"]

/** The services that all drafts of a workspace share. */
export interface DraftParts extends Omit<DraftOwner, "notebook_id"> {
  readonly client: SheafClient
}

/**
 * A note that is being written. Each change is stored on this device at once, and on the server after a pause, under the
 * version that the text was made from. Changes of others are merged; the user decides only where a text cannot have the
 * words of both. Nothing that was typed is dropped: a draft is removed only after the server has stored its text. What an
 * event leads to is in `DraftLife.ts`; here are the effects.
 */
export class NoteDraft {
  readonly #state: Signal<DraftState>
  /** The note that the text was made from; undefined while it is not created. */
  readonly note = computed(() => this.#state.value.note)
  /** The text on the screen. */
  readonly content = computed(() => this.#state.value.content)
  readonly conflict = computed(() => ("conflict" in this.#phase ? this.#phase.conflict : undefined))
  /** Why the last attempt to save the text has failed. */
  readonly trouble = computed(() => this.#state.value.trouble)
  readonly isSaving = computed(() => this.#phase.kind === "saving")
  /** Whether the server has the text on the screen. */
  readonly isSaved = computed(() => isSaved(this.#state.value))
  /** The texts of the last merge with changes of others. */
  readonly merged = computed(() => this.#state.value.merged)
  readonly #client: SheafClient
  readonly #local = new LocalDraft()
  /** Whether this device cannot store the draft. */
  readonly isUnstored = this.#local.isUnstored
  readonly #schedule = new SaveSchedule(() => this.#dispatch({ type: "save", isUrgent: false }))
  #sending: Promise<void> | undefined

  /** Opens a note as the server returned it, or begins one, which is created with the first text that is saved. */
  constructor(parts: DraftParts, notebook_id: string, note?: Note, stored?: StoredDraft) {
    const { account, client, untitled, workspace } = parts
    this.#client = client
    this.#state = signal(draftState({ account, workspace, notebook_id, untitled }, randomId(), note, stored))
    addEventListener("online", this.#saveAgain)
  }

  /**
   * Continues a draft that was left, from the version that it was made from: what others have written since is merged when
   * it is saved. Returns undefined if another tab has taken the draft, or the server has stored it. One that is not shown
   * waits for the user where others have changed the same words. The draft gets another key, because pages that came by
   * plain HTTP have no locks: there two tabs may continue it.
   */
  static async continued(parts: DraftParts, key: string, isShown = true): Promise<NoteDraft | undefined> {
    const taken = await takeDraft(key)
    if (taken === undefined) return undefined
    try {
      const { draft: stored } = taken
      const draft = new NoteDraft(parts, stored.notebook_id, stored.note, stored)
      await draft.#local.write(storedOf(draft.#state.value))
      if (!draft.isUnstored.value) await removeDraft(key)
      if (isShown) draft.attend()
      return draft
    } finally {
      taken.release()
    }
  }

  /** The key of the copy on this device. */
  get key(): string {
    return this.#local.key
  }

  /** Where the note is, or will be created. */
  get notebook_id(): string {
    return this.note.value?.notebook_id ?? this.#state.value.notebook_id
  }

  /** Whether the server has the text, or there is none. */
  isKept(): boolean {
    return isKept(this.#state.value)
  }

  /** A user opens a text that was sent without one. */
  attend(): void {
    this.#dispatch({ type: "attend" })
  }

  /** Replaces the text on the screen by what the user has typed. A draft that was closed is saved at once. */
  type(change: Partial<NoteContent>): void {
    this.#dispatch({ type: "typed", change })
  }

  /** Keeps the result of a conflict as the user edits it. */
  edit(result: NoteContent): void {
    this.#dispatch({ type: "edited", result })
  }

  /** Takes a newer state of the note, such as one from the stream. An unsaved text is merged when it is saved. */
  receive(note: Note): void {
    this.#dispatch({ type: "received", note })
  }

  /** Saves now, and resolves when the text is saved or waits for the user or the network. */
  save(): Promise<void> {
    return this.#ended({ type: "save", isUrgent: true })
  }

  /**
   * Ends a conflict by a text. The history then has the words of your version whatever the result is; theirs is there
   * already. Rejects if the server does not store it: then the conflict stays. If others have changed the note again, their
   * changes are merged with the result, or the user decides about the conflict in its new form.
   */
  async resolve(result: NoteContent): Promise<void> {
    this.#dispatch({ type: "resolve", result })
    await this.#sending
    await this.stored()
  }

  /** Drops what was typed since the last text that the server has stored. The user has confirmed it. */
  discard(): Promise<void> {
    return this.#ended({ type: "discard", key: randomId() })
  }

  /** Continues as a new note of a notebook, because the note is gone or cannot be changed. */
  saveAsNew(notebook_id: string): Promise<void> {
    return this.#ended({ type: "saveAsNew", notebook_id, key: randomId() })
  }

  /** Saves what is left. The draft stays on this device until that succeeds. */
  close(): Promise<void> {
    return this.#ended({ type: "close" })
  }

  /** Leaves the text as it is, to any tab. */
  leave(): void {
    this.#dispatch({ type: "leave" })
  }

  /** Resolves when this device has the text. */
  stored(): Promise<void> {
    return this.#local.settled()
  }

  get #phase(): Phase {
    return this.#state.value.phase
  }

  readonly #saveAgain = () => void this.save()

  /** Resolves when the text is saved, or waits, after an event, and this device has stored that. */
  async #ended(event: DraftEvent): Promise<void> {
    this.#dispatch(event)
    if (this.#phase.kind === "saving") await this.#sending
    await this.stored()
  }

  #dispatch(event: DraftEvent, sent = this.#state.value): void {
    const [state, ...effects] = answered(sent, this.#state.value, event)
    this.#state.value = state
    for (const effect of effects) this.#effects[effect]()
  }

  readonly #effects: Readonly<Record<DraftEffect, () => void>> = {
    store: () => void this.#local.write(storedOf(this.#state.value)),
    remove: () => {
      this.#schedule.stop()
      void this.#local.write(undefined)
    },
    send: () => {
      this.#schedule.begun()
      this.#sending ??= this.#sendAll()
    },
    pause: () => this.#schedule.typed(),
    repeat: () => {
      const trouble = this.trouble.value
      this.#schedule.failed(trouble?.kind === "offline" ? trouble.retryAfter : undefined)
    },
    leave: () => {
      this.#schedule.stop()
      removeEventListener("online", this.#saveAgain)
      this.#local.leave()
    }
  }

  /** Sends one request at a time, as long as one follows from the outcome of the last. */
  async #sendAll(): Promise<void> {
    const thrown: Array<unknown> = []
    try {
      for (;;) {
        await this.stored()
        const state = this.#state.value
        if (!isRunning(state)) break
        try {
          const outcome = await outcomeOf(this.#client, state)
          this.#schedule.succeeded()
          this.#dispatch(outcome, state)
        } catch (error) {
          const failure = failureOf(error)
          // The dialog of a decision shows why it was not stored.
          const isShown = failure.kind !== "gone" && state.phase.kind === "resolving"
          if (isShown || failure.kind === "defect") thrown.push(error)
          this.#dispatch({ type: "failed", failure, key: randomId() }, state)
        }
      }
    } finally {
      this.#sending = undefined
    }
    if (thrown.length > 0) throw thrown[0]
  }
}
