import { Context, Effect, Exit } from "effect"
import type { PgClient } from "@effect/sql-pg/PgClient"
import type { Id, Prefix, WorkspaceId } from "../Ids.ts"
import type { EventType } from "../EventTypes.ts"
import type { RandomnessShape } from "../Randomness.ts"
import { type Via, withVia } from "./Actor.ts"
import type { WriterCache, Head } from "./WriterCache.ts"
import { setChanges } from "./ChangeSetLog.ts"
import { type Change, eventId, noteOf, type RecordRow, records } from "./LogEntry.ts"
import type { Counter } from "../tables/Counters.ts"
import { ReachedOverlay } from "./ReachedOverlay.ts"
import type { ReadRows } from "./RowReads.ts"

/** The effect of a change on a record that clients sync. */
export interface RecordChange {
  readonly revision: number
  /** The resource after the change; null when it is deleted. */
  readonly value: object | null
  /** Approximate bytes of the value on the wire. */
  readonly bytes: number
  /**
   * The record before the change: null if there was none, or it was deleted. `data` is null if a history has it. Absent for an
   * entry that does not change the record.
   */
  readonly previous?: { readonly revision: number; readonly data: object | null } | null
}

/** A change as it is published: with the value that sync sends, if it changes a record. */
export interface Appended {
  readonly change: Change
  readonly record: RecordChange | null
}

export interface DraftOptions {
  readonly workspace_id: WorkspaceId
  readonly millis: number
  readonly randomness: RandomnessShape
  readonly client: PgClient
  readonly readRows: ReadRows
  readonly base: WriterCache
}

/**
 * The unit of work of a batch of writes to one workspace: rows and log entries, in memory until the committer stores
 * them in one statement. Writes read through it, so that a later write of the batch sees the earlier ones.
 */
export class Draft extends ReachedOverlay {
  /** What it was made of. */
  readonly options: DraftOptions
  readonly now: string
  readonly millis: number
  readonly randomness: RandomnessShape
  readonly head: Head
  /** The seq that the guard expects of the head in the database: as read when the draft began, or as last settled. */
  expected: number
  appended: Array<Appended> = []
  /** Whether it has changes that belong to a change set. */
  isGrouped = false
  /** Whether nothing of it is stored. */
  isDry = false
  /** Whether permissions change: the commit itself notifies all processes. */
  changesAccess = false
  /** The ids of the resources of its log entries, including settled entries. */
  readonly touched: Array<string> = []

  constructor(options: DraftOptions) {
    const { base, client, millis, randomness, readRows, workspace_id } = options
    super(workspace_id, client, readRows, base)
    this.options = options
    this.millis = millis
    this.randomness = randomness
    this.now = new Date(millis).toISOString()
    this.head = { ...base.head }
    this.expected = base.head.seq
  }

  /** Returns a new identifier with the time of the draft. */
  newId<P extends Prefix>(prefix: P): Id<P> {
    return this.randomness.id(prefix, this.millis)
  }

  /** The revision of a record after its next change (contract 6, "After a restore"). */
  revisionAfter(revision: number): number {
    return Math.max(revision + 1, this.head.least_revision)
  }

  /** Adds to a counter of the head, which is written only if the draft also has a row or a log entry. */
  count(counter: Counter, difference: number): void {
    this.head[counter] += difference
    this.onUndo(() => (this.head[counter] -= difference))
  }

  /** Appends the entries of `run` with more about the way by which they came. */
  withVia(more: Via, run: () => void): void {
    const { actor } = this
    this.actor = withVia(actor, more)
    run()
    this.actor = actor
  }

  /** Appends an entry to the log; for a change to a record, also updates its row in `records`. */
  append(entry: {
    readonly type: EventType
    readonly resource: string
    readonly resource_id: string
    readonly version?: number | null
    readonly data?: unknown
    readonly record?: RecordChange
  }): void {
    const seq = ++this.head.seq
    const { via = null } = this.actor
    const change: Change = {
      seq,
      id: eventId(this.randomness, seq),
      type: entry.type,
      resource: entry.resource,
      resource_id: entry.resource_id,
      version: entry.record?.revision ?? entry.version ?? null,
      actor_id: this.actor.user_id,
      device_id: this.actor.device_id,
      ip: this.actor.ip,
      data: entry.data ?? null,
      note_id: noteOf(entry.resource, entry.resource_id, entry.data ?? entry.record?.value),
      with_note: via?.with_note === true,
      via,
      conflict_of: via?.conflict_of ?? null,
      occurred_at: this.now
    }
    this.appended.push({ change, record: entry.record ?? null })
    this.touched.push(entry.resource_id)
    this.rows++
    this.onUndo(() => {
      this.head.seq--
      this.appended.pop()
      this.touched.pop()
      this.rows--
    })
    if (entry.record !== undefined) {
      const row: RecordRow = {
        type: entry.resource,
        id: entry.resource_id,
        seq,
        revision: entry.record.revision,
        deleted: entry.record.value === null,
        bytes: entry.record.bytes,
        changed_at: this.now,
        actor_id: this.actor.user_id,
        device_id: this.actor.device_id
      }
      // Revision 1 is a new row.
      entry.record.revision === 1 ? this.add(records, row) : this.put(records, row)
      const { previous, revision } = entry.record
      if (previous !== undefined && via?.change_set_id !== undefined && via.with_note !== true) {
        this.isGrouped = true
        this.add(
          setChanges,
          {
            change_set_id: via.change_set_id,
            type: entry.resource,
            id: entry.resource_id,
            seq,
            revision,
            deleted: row.deleted,
            bytes: row.bytes,
            previous: previous?.revision ?? null,
            before: previous?.data ?? null,
            note_id: change.note_id
          },
          previous?.data == null ? 200 : entry.record.bytes
        )
      }
    }
  }

  /** Runs a method over this draft, synchronously until it awaits. If it fails, only its own changes are undone. */
  attempt<A, E, R>(method: (draft: this) => Effect.Effect<A, E, R>): Effect.Effect<A, E, R> {
    const mark = this.mark()
    const effect = method(this)
    if (!Exit.isExit(effect)) return Effect.onError(effect, () => Effect.sync(() => this.undo(mark)))
    if (Exit.isFailure(effect)) this.undo(mark)
    return effect
  }

  /** The last log entry, with an id that is unique to this draft: if it is in the log, the whole draft was stored. */
  get witness(): Change | undefined {
    return this.appended.at(-1)?.change
  }

  get isEmpty(): boolean {
    return this.head.seq === this.expected && this.contents.size === 0
  }

  /** The base for the next batch, once this draft is stored. */
  nextBase(): WriterCache {
    return this.base.after(this.head, this.read, this.contents)
  }
}

/** The draft of the current write: a write inside a write shares it. */
export const CurrentDraft = Context.Reference<Draft | undefined>("sheaf/writer/CurrentDraft", {
  defaultValue: () => undefined
})
