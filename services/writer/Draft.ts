import { Context, Effect, Exit } from "effect"
import type { PgClient } from "@effect/sql-pg/PgClient"
import type { WorkspaceId } from "../Ids.ts"
import type { EventType } from "../EventTypes.ts"
import { type Actor, systemActor } from "./Actor.ts"
import type { Base, Head } from "./WriterCache.ts"
import { type Change, type RecordRow, records } from "./LogEntry.ts"
import type { Counter } from "../tables/Counters.ts"
import { eventId } from "./EventIds.ts"
import { Overlay } from "./Overlay.ts"
import type { ReadRows } from "./RowReads.ts"

/** What a change does to a record that clients sync. */
export interface RecordChange {
  readonly revision: number
  /** The resource after the change; null when it is gone. */
  readonly value: object | null
  /** About the size of the value on the wire. */
  readonly bytes: number
}

/** A change as published: with the value that sync sends, when the change is one to a record. */
export interface Appended {
  readonly change: Change
  readonly record: RecordChange | null
}

export interface DraftOptions {
  readonly workspace_id: WorkspaceId
  readonly millis: number
  readonly client: PgClient
  readonly readRows: ReadRows
  readonly base: Base
}

/**
 * What a batch of writes to one workspace is about to do: rows and log entries, in memory until the committer writes
 * them in one statement. Reads go through it, so that a later write of the batch sees the earlier ones.
 */
export class Draft extends Overlay {
  readonly now: string
  readonly millis: number
  readonly head: Head
  /** The seq that the guard expects: that of the database when the draft was begun, or last settled. */
  expected: number
  actor: Actor = systemActor
  appended: Array<Appended> = []
  /** Who may do what changes with it: said to all processes in the commit itself. */
  changesAccess = false
  /** The resources that its log entries are about, those that were settled too. */
  readonly touched: Array<string> = []

  constructor({ base, client, millis, readRows, workspace_id }: DraftOptions) {
    super(workspace_id, client, readRows, base)
    this.millis = millis
    this.now = new Date(millis).toISOString()
    this.head = { ...base.head }
    this.expected = base.head.seq
  }

  /** Adds to a counter of the head. What is counted is appended to the log too: a head is written when it moves on. */
  count(counter: Counter, difference: number): void {
    this.head[counter] += difference
    this.onUndo(() => (this.head[counter] -= difference))
  }

  /** Appends to the log; for a change to a record, says too where and as what it stands now. */
  append(entry: {
    readonly type: EventType
    readonly resource: string
    readonly resource_id: string
    readonly version?: number | null
    readonly data?: unknown
    readonly record?: RecordChange
  }): void {
    const seq = ++this.head.seq
    const change: Change = {
      seq,
      id: eventId(seq),
      type: entry.type,
      resource: entry.resource,
      resource_id: entry.resource_id,
      version: entry.record?.revision ?? entry.version ?? null,
      actor_id: this.actor.user_id,
      device_id: this.actor.device_id,
      ip: this.actor.ip,
      data: entry.data ?? null,
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
      // The first revision is the first that is ever heard of the record.
      entry.record.revision === 1 ? this.add(records, row) : this.put(records, row)
    }
  }

  /**
   * Runs a method over this draft, at once as far as it awaits nothing. When the method fails, what it has written is taken
   * back, and nothing else.
   */
  attempt<A, E, R>(method: (draft: this) => Effect.Effect<A, E, R>): Effect.Effect<A, E, R> {
    const mark = this.mark()
    const effect = method(this)
    if (!Exit.isExit(effect)) return Effect.onError(effect, () => Effect.sync(() => this.undo(mark)))
    if (Exit.isFailure(effect)) this.undo(mark)
    return effect
  }

  /** An entry of this draft alone: when it stands in the log, all of the draft is stored. */
  get witness(): Change | undefined {
    return this.appended.at(-1)?.change
  }

  get isEmpty(): boolean {
    return this.head.seq === this.expected && this.contents.size === 0
  }

  /** What the writer may hold on to once this draft is stored. */
  nextBase(): Base {
    return this.base.after(this.head, this.read, this.contents)
  }
}

/** The draft that the present write belongs to: a write inside a write shares it. */
export const CurrentDraft = Context.Reference<Draft | undefined>("sheaf/writer/CurrentDraft", {
  defaultValue: () => undefined
})
