import type { Deferred, Effect, Fiber } from "effect"
import type { WorkspaceId } from "../Ids.ts"
import type { Base } from "./WriterCache.ts"
import type { Actor } from "./Actor.ts"
import type { Draft } from "./Draft.ts"
import type { Table } from "../tables/Table.ts"

/** A row that a write is known to need: what a batch needs is loaded for all its writes in one query. */
export type Need = readonly [table: Table<any>, ...key: ReadonlyArray<string>]

export interface WriteOptions {
  readonly actor: Actor
  readonly needs?: ReadonlyArray<Need>
}

/** A write that waits for its turn. */
export interface Waiting {
  readonly run: (draft: Draft) => Effect.Effect<unknown, unknown>
  readonly options: WriteOptions
  /** Runs alone, in a transaction that holds the head. */
  readonly locked: boolean
  readonly deferred: Deferred.Deferred<unknown, unknown>
  cancelled: boolean
}

/** What the writer has of a workspace. */
export interface Mailbox {
  readonly workspace_id: WorkspaceId
  readonly waiting: Array<Waiting>
  /** What the next batch begins with. */
  base: Base | undefined
  /** What of the bytes and of the rows that are kept is this one's. */
  bytes: number
  rows: number
  active: boolean
  /** The one that is at work, or was last. */
  fiber: Fiber.Fiber<void> | undefined
  lastUsed: number
}

/**
 * Resident rows are kept up to so many over all workspaces, at about a kilobyte each; beyond, the longest unused workspaces
 * are let go of, and one that is still too many keeps none between its batches. What one workspace has is bounded by the
 * quotas of tags and notebooks.
 */
const maxKeptRows = 100_000
/** Heads and resident rows are kept so long. */
const keptFor = 5 * 60_000
/** Recently used rows are kept up to so many bytes over all workspaces; beyond, the next one to write keeps none. */
const maxKeptBytes = 64 * 1024 * 1024

/** The workspaces that are written to on this node, and what is kept of them in between, within bounds. */
export class Mailboxes {
  // Last in the map is last used: the sweep takes from the front.
  private readonly all = new Map<string, Mailbox>()
  private keptBytes = 0
  private keptRows = 0

  of(workspace_id: WorkspaceId): Mailbox {
    let mailbox = this.all.get(workspace_id)
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
      this.all.delete(workspace_id)
    }
    this.all.set(workspace_id, mailbox)
    return mailbox
  }

  /** Keeps what the next batch of the workspace begins with, or nothing. */
  hold(mailbox: Mailbox, base: Base | undefined): void {
    if (base !== undefined && this.keptBytes - mailbox.bytes + base.recentBytes > maxKeptBytes) base.dropRecent()
    this.keptBytes += (base?.recentBytes ?? 0) - mailbox.bytes
    mailbox.bytes = base?.recentBytes ?? 0
    this.keptRows += (base?.rows ?? 0) - mailbox.rows
    mailbox.rows = base?.rows ?? 0
    mailbox.base = base
    if (base === undefined || this.keptRows <= maxKeptRows) return
    this.makeRoom(mailbox)
    if (this.keptRows > maxKeptRows) this.hold(mailbox, undefined)
  }

  /** Lets go of the longest unused ones. */
  private makeRoom(owner: Mailbox): void {
    for (const mailbox of this.all.values()) {
      if (this.keptRows <= maxKeptRows) return
      if (!mailbox.active && mailbox !== owner) this.drop(mailbox)
    }
  }

  private drop(mailbox: Mailbox): void {
    this.hold(mailbox, undefined)
    this.all.delete(mailbox.workspace_id)
  }

  /** Lets go of workspaces that are idle, and of the longest unused ones beyond the bound. */
  sweep(now: number): void {
    let rows = this.all.size + this.keptRows
    for (const mailbox of this.all.values()) {
      if (mailbox.active) continue
      if (rows <= maxKeptRows && now - mailbox.lastUsed < keptFor) continue
      rows -= 1 + mailbox.rows
      this.drop(mailbox)
    }
  }

  /** The fibers that are at work. */
  get atWork(): ReadonlyArray<Fiber.Fiber<void>> {
    return [...this.all.values()].flatMap(({ active, fiber }) => (active && fiber !== undefined ? [fiber] : []))
  }

  get held() {
    let active = 0
    let rows = 0
    let waiting = 0
    for (const mailbox of this.all.values()) {
      if (mailbox.active) active++
      waiting += mailbox.waiting.length
      rows += mailbox.base?.rows ?? 0
    }
    return { workspaces: this.all.size, active, rows, waiting }
  }
}
