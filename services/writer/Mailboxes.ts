import type { Deferred, Effect, Fiber } from "effect"
import type { WorkspaceId } from "../Ids.ts"
import type { WriterCache } from "./WriterCache.ts"
import type { Actor } from "./Actor.ts"
import type { Draft } from "./Draft.ts"
import type { Table } from "../tables/Table.ts"

/** A row that a write will read. A batch prefetches the rows of all its writes, with one query per table. */
export type Need = readonly [table: Table<any>, ...key: ReadonlyArray<string>]

export interface WriteOptions {
  readonly actor: Actor
  readonly needs?: ReadonlyArray<Need>
}

/** A waiting write. */
export interface Waiting {
  readonly run: (draft: Draft) => Effect.Effect<unknown, unknown>
  readonly options: WriteOptions
  /** Runs alone, in a transaction that holds the head. */
  readonly locked: boolean
  /** Its transaction is undone: a dry run. Only for locked writes. */
  readonly isDry: boolean
  readonly deferred: Deferred.Deferred<unknown, unknown>
  cancelled: boolean
}

/** The waiting writes of a workspace, and what its writer caches. */
export interface Mailbox {
  readonly workspace_id: WorkspaceId
  readonly waiting: Array<Waiting>
  /** The cached state that the next batch starts from. */
  base: WriterCache | undefined
  /** Cached bytes and rows that belong to this workspace. */
  bytes: number
  rows: number
  active: boolean
  /** The fiber that runs the writes, or ran the last ones. */
  fiber: Fiber.Fiber<void> | undefined
  lastUsed: number
}

/**
 * Maximum number of cached resident rows over all workspaces, at about a kilobyte each. Beyond it, the least recently
 * used workspaces are evicted, and a workspace that is still too large caches none between its batches. The rows of one
 * workspace are bounded by the quotas of tags and notebooks.
 */
const maxKeptRows = 100_000
/** Milliseconds for which the head and the resident rows of an idle workspace are cached. */
const keptFor = 5 * 60_000
/** Maximum bytes of cached recent rows over all workspaces. Beyond it, the next workspace that writes caches none. */
const maxKeptBytes = 64 * 1024 * 1024

/** The mailboxes of the workspaces that are written to on this node, and their caches, within limits. */
export class Mailboxes {
  // In order of use, the least recently used first.
  readonly #all = new Map<string, Mailbox>()
  #keptBytes = 0
  #keptRows = 0

  of(workspace_id: WorkspaceId): Mailbox {
    let mailbox = this.#all.get(workspace_id)
    if (mailbox === undefined) {
      mailbox = {
        workspace_id,
        waiting: [],
        base: undefined,
        bytes: 0,
        rows: 0,
        active: false,
        fiber: undefined,
        lastUsed: 0
      }
    } else {
      this.#all.delete(workspace_id)
    }
    this.#all.set(workspace_id, mailbox)
    return mailbox
  }

  /** Caches the state that the next batch of the workspace starts from, or nothing. */
  hold(mailbox: Mailbox, base: WriterCache | undefined): void {
    if (base !== undefined && this.#keptBytes - mailbox.bytes + base.recentBytes > maxKeptBytes) base.dropRecent()
    this.#keptBytes += (base?.recentBytes ?? 0) - mailbox.bytes
    mailbox.bytes = base?.recentBytes ?? 0
    this.#keptRows += (base?.rows ?? 0) - mailbox.rows
    mailbox.rows = base?.rows ?? 0
    mailbox.base = base
    if (base === undefined || this.#keptRows <= maxKeptRows) return
    this.#makeRoom(mailbox)
    if (this.#keptRows > maxKeptRows) this.hold(mailbox, undefined)
  }

  /** Evicts the least recently used workspaces. */
  #makeRoom(owner: Mailbox): void {
    for (const mailbox of this.#all.values()) {
      if (this.#keptRows <= maxKeptRows) return
      if (!mailbox.active && mailbox !== owner) this.#drop(mailbox)
    }
  }

  #drop(mailbox: Mailbox): void {
    this.hold(mailbox, undefined)
    this.#all.delete(mailbox.workspace_id)
  }

  /** Evicts idle workspaces, and the least recently used ones beyond the limit. */
  sweep(now: number): void {
    let rows = this.#all.size + this.#keptRows
    for (const mailbox of this.#all.values()) {
      if (mailbox.active) continue
      if (rows <= maxKeptRows && now - mailbox.lastUsed < keptFor) continue
      rows -= 1 + mailbox.rows
      this.#drop(mailbox)
    }
  }

  /** The fibers of the workspaces whose writes are running. */
  get activeFibers(): ReadonlyArray<Fiber.Fiber<void>> {
    return [...this.#all.values()].flatMap(({ active, fiber }) => (active && fiber !== undefined ? [fiber] : []))
  }

  get held() {
    let active = 0
    let rows = 0
    let waiting = 0
    for (const mailbox of this.#all.values()) {
      if (mailbox.active) active++
      waiting += mailbox.waiting.length
      rows += mailbox.base?.rows ?? 0
    }
    return { workspaces: this.#all.size, active, rows, waiting }
  }
}
