import { signal } from "@preact/signals"
import { randomId } from "../../client/RandomId.ts"
import { type HeldDraft, holdDraft, removeDraft, writeDraft } from "./DraftStore.ts"
import type { StoredDraft } from "./StoredDraft.ts"

/** The copy of a draft on this device, under a key of its own, which this tab holds from the first write until it leaves it. */
export class LocalDraft {
  /** Whether this device cannot store the draft, such as for want of room. */
  readonly isUnstored = signal(false)
  readonly key = randomId()
  #held: HeldDraft | undefined
  #isLeft = false
  /** The last state, until it is written; without a draft if that is to be removed. */
  #waiting: { readonly draft: StoredDraft | undefined } | undefined
  #writing: Promise<void> | undefined

  /** From now on other tabs may offer and continue the draft, as soon as its last state is written. */
  leave(): void {
    this.#isLeft = true
    if (this.#writing === undefined) this.#release()
  }

  #release(): void {
    this.#held?.release()
    this.#held = undefined
  }

  /**
   * Stores a state of the draft, or removes the draft. While a write runs, later states wait for its end, and only the last
   * one is written. A draft that cannot be removed is equal to the note, and is offered again.
   */
  async write(state: Omit<StoredDraft, "key" | "changed_at"> | undefined): Promise<void> {
    this.#waiting = { draft: state && { ...state, key: this.key, changed_at: Date.now() } }
    this.#isLeft = false
    try {
      await (this.#writing ??= this.#writeAll())
      this.isUnstored.value = false
    } catch (error) {
      console.warn(error)
      this.isUnstored.value = true
    }
  }

  /** Resolves when nothing is to be written. */
  async settled(): Promise<void> {
    await this.#writing?.catch(() => undefined)
  }

  async #writeAll(): Promise<void> {
    try {
      this.#held ??= holdDraft(this.key)
      await this.#held.isHeld
      while (this.#waiting !== undefined) {
        const { draft } = this.#waiting
        this.#waiting = undefined
        await (draft === undefined ? removeDraft(this.key) : writeDraft(draft))
      }
    } finally {
      this.#writing = undefined
      if (this.#isLeft) this.#release()
    }
  }
}
