import { effect, type ReadonlySignal, signal, untracked } from "@preact/signals"
import { leavings, leftDrafts } from "./DraftStore.ts"
import { identityOf, type StoredDraft } from "./StoredDraft.ts"
import { type DraftParts, NoteDraft } from "./NoteDraft.ts"
import { SaveSchedule } from "./SaveSchedule.ts"

/** A text on its way, until it is stored or a user opens it. */
interface Sending {
  readonly stored: StoredDraft
  readonly draft: Promise<NoteDraft | undefined>
}

interface WaitingParts extends DraftParts {
  /** Whether texts of a workspace are shown here: those of this one, and those of ones that cannot be opened any more. */
  readonly isShownHere: (workspace: string) => boolean
  /** The services of drafts of a workspace of the account; undefined if the user cannot open it. */
  readonly partsOf: (workspace: string) => DraftParts | undefined
  readonly isConnected: () => boolean
}

/**
 * The texts on this device that no tab has open. Those that need no decision are saved one by one as soon as there is a
 * network, in the way of open notes. One tab sends each text.
 */
export class WaitingTexts {
  /** The texts that wait, newest first, without those on their way. */
  readonly waiting = signal<ReadonlyArray<StoredDraft>>([])
  readonly #parts: WaitingParts
  readonly #sending = new Map<string, Sending>()
  /** The keys of texts that were not stored since the last connection. */
  readonly #tried = new Set<string>()
  readonly #schedule = new SaveSchedule(() => void this.send(true))
  #isRunning = false
  #isDueAgain = false

  constructor(parts: WaitingParts) {
    this.#parts = parts
  }

  /** Sends after each connection, and when a tab has left a text, until the returned function is called. */
  follow(connections: ReadonlySignal<number>): () => void {
    const onVisible = () => document.visibilityState === "visible" && void this.send()
    document.addEventListener("visibilitychange", onVisible)
    const stop = [
      effect(() => (connections.value, untracked(() => void this.send(true)))),
      effect(() => (leavings.value, untracked(() => void this.send())))
    ]
    return () => {
      for (const each of stop) each()
      document.removeEventListener("visibilitychange", onVisible)
      this.#schedule.stop()
    }
  }

  /** Sends what was not tried since the last connection; `isAgain` also what was. */
  async send(isAgain = false): Promise<void> {
    if (isAgain) this.#tried.clear()
    this.#isDueAgain = true
    if (this.#isRunning) return
    this.#isRunning = true
    try {
      while (this.#isDueAgain) {
        this.#isDueAgain = false
        await this.#sendAll()
        this.waiting.value = await this.#shown()
      }
    } finally {
      this.#isRunning = false
    }
  }

  /** Takes the text of a note, or of one to be created, to the screen, also while it is sent. Undefined if none waits. */
  async open(identity: string): Promise<NoteDraft | undefined> {
    const isWanted = (stored: StoredDraft) => identityOf(stored) === identity
    const sent = [...this.#sending.values()].find(({ stored }) => isWanted(stored))
    if (sent !== undefined) {
      this.#sending.delete(sent.stored.key)
      const draft = await sent.draft
      draft?.attend()
      if (draft !== undefined) return draft
    }
    const stored = (await this.#shown()).find(isWanted)
    if (stored === undefined) return undefined
    this.waiting.value = this.waiting.value.filter(({ key }) => key !== stored.key)
    return NoteDraft.continued(this.#parts, stored.key)
  }

  /** Drops a text. The user has confirmed it. */
  async discard(stored: StoredDraft): Promise<void> {
    const draft = await this.open(identityOf(stored))
    await draft?.discard()
    draft?.leave()
  }

  async #left(): Promise<ReadonlyArray<StoredDraft>> {
    try {
      return await leftDrafts(this.#parts.account)
    } catch (error) {
      // The browser has no database, such as in a private window.
      console.warn(error)
      return []
    }
  }

  async #shown(): Promise<ReadonlyArray<StoredDraft>> {
    return (await this.#left()).filter(({ workspace }) => this.#parts.isShownHere(workspace))
  }

  async #sendAll(): Promise<void> {
    if (!this.#parts.isConnected()) return
    // The oldest first: of two texts of one note, the newer one is merged with the older.
    for (const stored of (await this.#left()).toReversed()) {
      const parts = this.#parts.partsOf(stored.workspace)
      if (parts === undefined || this.#tried.has(stored.key) || !this.#parts.isConnected()) continue
      await this.#sendOne(parts, stored)
    }
  }

  async #sendOne(parts: DraftParts, stored: StoredDraft): Promise<void> {
    const { key } = stored
    this.#tried.add(key)
    const sent = NoteDraft.continued(parts, key, false)
    this.#sending.set(key, { stored, draft: sent })
    try {
      const draft = await sent
      // Another tab has it, or had it for a moment.
      if (draft === undefined) return void this.#tried.delete(key)
      await draft.save()
      // A user may have opened it meanwhile.
      if (!this.#sending.has(key)) return
      if (draft.isKept()) this.#schedule.succeeded()
      else this.#tried.add(draft.key)
      if (draft.trouble.value?.kind === "offline") this.#schedule.failed()
      draft.leave()
    } finally {
      this.#sending.delete(key)
    }
  }
}
