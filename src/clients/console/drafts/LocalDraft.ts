import { signal } from "@preact/signals"
import { randomId } from "../../client/RandomId.ts"
import { holdDraft, removeDraft, type StoredDraft, writeDraft } from "./DraftStore.ts"

/** The copy of a draft on this device, under a key of its own, which this tab holds while it has the draft open. */
export class LocalDraft {
  /** Whether this device cannot store the draft, such as for want of room. */
  readonly isUnstored = signal(false)
  readonly key = randomId()
  private held = holdDraft(this.key)
  private waiting: StoredDraft | undefined
  private writing: Promise<void> | undefined
  private writes = 0

  /** Holds the draft again after `leave`. */
  hold(): void {
    this.held.release()
    this.held = holdDraft(this.key)
  }

  /** From now on other tabs may offer and continue the draft. */
  leave(): void {
    this.held.release()
  }

  /** Stores a state of the draft. While a write runs, later states wait for its end, and only the last one is written. */
  async store(state: Omit<StoredDraft, "key" | "changed_at">): Promise<void> {
    this.writes++
    this.waiting = { ...state, key: this.key, changed_at: Date.now() }
    try {
      await (this.writing ??= this.writeAll())
      this.isUnstored.value = false
    } catch (error) {
      console.warn(error)
      this.isUnstored.value = true
    }
  }

  /** Removes the draft, unless another state is stored meanwhile. Rejects if the browser cannot reach its database. */
  async remove(): Promise<void> {
    const { writes } = this
    this.waiting = undefined
    await this.writing?.catch(() => undefined)
    if (this.writes === writes) await removeDraft(this.key)
  }

  private async writeAll(): Promise<void> {
    try {
      await this.held.isHeld
      while (this.waiting !== undefined) {
        const draft = this.waiting
        this.waiting = undefined
        await writeDraft(draft)
      }
    } finally {
      this.writing = undefined
    }
  }
}
