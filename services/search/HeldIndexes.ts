import { Semaphore } from "effect"
import { SearchIndex } from "./SearchIndex.ts"
import type { News } from "./SearchMessages.ts"
import * as Upkeep from "./Upkeep.ts"

/** All indexes together take at most so many bytes: the longest unused ones make room while another one grows. */
export const maxBytes = 160 * 1024 * 1024
/**
 * And so many while the whole process has more than `largeProcess`, which is more than a busy server with a few indexes has:
 * whoever searches in one that made room waits until it is read again, for 0.3 s.
 */
const scarceBytes = 104 * 1024 * 1024
const largeProcess = 400 * 1024 * 1024

/** The index of a workspace, and how far it has come. */
export interface Held extends Upkeep.Kept {
  index: SearchIndex
  epoch: string
  /** All changes up to here are in the index. */
  seq: number
  readonly turn: Semaphore.Semaphore
  /** What the thread was told of the workspace and has not come to, and up to where it was told that the log has grown. */
  readonly news: Array<News>
  told: number
  isHearing: boolean
  isCatchingUp: boolean
  /** Whether it was looked for among the snapshots. */
  isLoaded: boolean
  /** Searches that wait for it. */
  waiting: number
  /** What it takes, as it was counted last. */
  bytes: number
}

export const newHeld = (): Held => ({
  index: new SearchIndex(),
  epoch: "",
  seq: 0,
  turn: Semaphore.makeUnsafe(1),
  news: [],
  told: 0,
  isHearing: false,
  isCatchingUp: false,
  isLoaded: false,
  ...Upkeep.notKept,
  waiting: 0,
  bytes: 0
})

/** The indexes in memory, by workspace, the longest unused first. */
export class HeldIndexes {
  readonly #all = new Map<string, Held>()
  #lastUsed = ""
  #bytes = 0

  get size(): number {
    return this.#all.size
  }

  /** Of all together, as they were counted last. */
  get bytes(): number {
    return this.#bytes
  }

  get(workspace_id: string): Held | undefined {
    return this.#all.get(workspace_id)
  }

  /** It is the last used one from now on. */
  use(workspace_id: string, held: Held): void {
    if (workspace_id === this.#lastUsed && this.#all.has(workspace_id)) return
    this.#all.delete(workspace_id)
    this.#all.set(workspace_id, held)
    this.#lastUsed = workspace_id
  }

  drop(workspace_id: string, held: Held): void {
    if (this.#all.get(workspace_id) !== held) return
    this.#all.delete(workspace_id)
    this.#count(held, 0)
  }

  /** The longest unused make room for one that has grown. Returns which ones did. */
  makeRoomFor(workspace_id: string, growing: Held): ReadonlyArray<string> {
    if (this.#all.get(workspace_id) === growing) this.#count(growing, growing.index.bytes)
    const dropped: Array<string> = []
    if (this.#bytes <= scarceBytes) return dropped
    const most = process.memoryUsage.rss() > largeProcess ? scarceBytes : maxBytes
    for (const [workspace_id, held] of this.#all) {
      if (this.#bytes <= most) break
      if (held === growing) continue
      this.drop(workspace_id, held)
      dropped.push(workspace_id)
    }
    return dropped
  }

  #count(held: Held, counted: number): void {
    this.#bytes += counted - held.bytes
    held.bytes = counted
  }
}
