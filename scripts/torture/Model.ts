/** What must be on the server, according to what it has acknowledged. */
import type { Change, Data, Type } from "./Change.ts"

/** A contradiction. Failures of one check have one name. */
export interface Failure {
  readonly check: string
  readonly detail: string
}

export interface Known {
  readonly id: string
  readonly type: Type
  life: "live" | "trash" | "gone"
  /** Its life is uncertain: the effect of a request is unknown, or a replica has an edit that brings it back. */
  isLoose: boolean
  /** It was, or may have been, deleted for good: a replica may have made it again. */
  wasPurged: boolean
  /** A replica made it: it may be refused, or become a note. */
  isReplicas: boolean
  /** It was made from another record, whose words it has. */
  isCopy: boolean
  /** The moments of the last change and of the last deletion; 0 if there was none. */
  changedAt: number
  endedAt: number
  /** All records that may have contained it. */
  readonly parents: Set<string>
  /** The last acknowledged value of each member, `unset` if there is none, and values that other writers may have set. */
  readonly members: Map<string, { value: unknown; readonly others: Array<unknown> }>
}

export interface Word {
  readonly word: string
  /** Undefined if the id of the record is not known, as after an import. */
  readonly id: string | undefined
  readonly isCertain: boolean
  /** Whether a replica stored it first: the server may have got it later. */
  readonly isKept: boolean
  /** Whether it made a record: then it is in one record only. */
  readonly isBirth: boolean
  /** Whether it is in a title that a replica has written. */
  readonly isTitle: boolean
  readonly at: number
}

/** An acknowledged change of a note. */
export interface Acknowledged {
  readonly at: number
  readonly step: number
  readonly version: number
  /** The version that the request named, if it did. */
  readonly based: number | undefined
  readonly data: Data
  readonly touches: ReadonlyArray<string>
  readonly word: string | undefined
}

/** A change, and how it ended. */
export interface Settled extends Partial<Pick<Acknowledged, "based" | "version">> {
  readonly step: number
  readonly change: Change
  readonly by: "server" | "replica"
  /** `kept`: a replica has stored it, and pushes it later. */
  readonly state: "done" | "kept" | "refused" | "unknown"
  readonly id?: string | undefined
  /** The moment before the request. */
  readonly began: number
  readonly isDuplicate?: boolean
  /** A replica has an edit of the record that may bring it back. */
  readonly isContested?: boolean
}

export const unset = Symbol("no acknowledged value")

/** The members of a note that its history has. */
export const inHistory = ["title", "body", "tags", "notebook_id"] as const
const parentMembers = ["notebook_id", "note_id", "parent_id"]
/** Signed addresses and derived counts differ between two reads of one revision. */
const derived = ["url", "note_count", "view_count", "deleted_at"]

export const shown = (value: unknown): string => JSON.stringify(value)?.slice(0, 300) ?? "undefined"
export const equal = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other)

export class Model {
  readonly failures: Array<Failure> = []
  readonly known = new Map<string, Known>()
  readonly words = new Map<string, Word>()
  /** The acknowledged changes of each note. */
  readonly changes = new Map<string, Array<Acknowledged>>()
  /** The records by the step that made them. */
  readonly ids = new Map<number, string>()
  /** The newest content of each record that any client has received, and each revision. */
  readonly latest = new Map<string, { readonly revision: number; readonly data: Data }>()
  private readonly revisions = new Map<string, { readonly data: Data; readonly by: string }>()
  /** Titles and names that replicas have written: those that lose a conflict become notes of their own. */
  readonly replicaTitles = new Set<string>()
  /** Counts acknowledgements: the order of events. */
  now = 0
  /** Whether the server went back to a backup: then there are gaps between versions, and in the log. */
  isRestored = false

  fail(check: string, detail: string): void {
    // More of one kind say nothing new.
    if (this.failures.filter((each) => each.check === check).length < 5) this.failures.push({ check, detail })
  }

  /** Takes a revision of a record: it must be equal to what other clients have received for it. */
  saw(id: string, revision: number, data: Data, by: string): void {
    this.contained(id, data)
    const key = `${id} ${revision}`
    const before = this.revisions.get(key) ?? { data: {}, by: "" }
    for (const [member, value] of Object.entries(before.data)) {
      if (derived.includes(member) || data[member] === undefined || equal(value, data[member])) continue
      const both = `${shown(value)} by ${before.by}, ${shown(data[member])} by ${by}`
      this.fail("one revision, two contents", `${key}, ${member}: ${both}`)
    }
    this.revisions.set(key, { data: { ...before.data, ...data }, by })
    if (revision >= (this.latest.get(id)?.revision ?? 0)) this.latest.set(id, { revision, data: { ...data, id } })
  }

  private record(id: string, type: Type): Known {
    const known = this.known.get(id) ?? {
      ...({ id, type, life: "live", isLoose: false, wasPurged: false, isReplicas: false, isCopy: false } as const),
      ...{ changedAt: 0, endedAt: 0, parents: new Set<string>(), members: new Map() }
    }
    this.known.set(id, known)
    return known
  }

  /** Takes the records that contain one: a replica moves what has lost its container. */
  contained(id: string, data: Data): void {
    for (const member of parentMembers) {
      const parent = data[member]
      if (typeof parent === "string") this.known.get(id)?.parents.add(parent)
    }
  }

  private set(known: Known, data: Data, state: Settled["state"], isOrdered: boolean): void {
    this.contained(known.id, data)
    for (const [member, value] of Object.entries(data)) {
      const before = known.members.get(member)
      if (isOrdered && before !== undefined) before.value = value
      else if (before !== undefined) before.others.push(value)
      // Nothing is known of the value before an outcome that is not known. A replica may set its value after later writers.
      else if (state === "unknown") known.members.set(member, { value: unset, others: [value] })
      else known.members.set(member, { value, others: isOrdered ? [] : [value] })
    }
  }

  private takeWords({ by, change: { data, id, isStale, op, word }, state, ...settled }: Settled, at: number): void {
    const isCertain = state !== "unknown"
    const isBirth = op === "create"
    const isTitle = by === "replica" && data["title"] !== undefined
    if (word !== undefined && (isStale !== true || isCertain))
      this.words.set(word, {
        word,
        id: isBirth ? settled.id : id,
        isCertain,
        isKept: state === "kept",
        isBirth,
        isTitle,
        at
      })
    // A device that replaces its own title before it was pushed drops the former one.
    for (const [other, each] of isTitle ? this.words : [])
      if (each.id === id && each.isTitle && word !== other) this.words.set(other, { ...each, isCertain: false })
    if (by === "replica") for (const member of ["title", "name"]) this.replicaTitles.add(String(data[member]))
  }

  /** Takes the outcome of a change. */
  settle(settled: Settled): void {
    const { based, began, by, change, id, isContested, isDuplicate, state, step, version } = settled
    const { action, data, op, touches = [], type, word } = change
    const at = ++this.now
    if (state === "refused") return
    this.takeWords(settled, at)
    const target = op === "create" ? id : change.id
    if (target === undefined) return
    const known = this.record(target, type)
    known.changedAt = at
    const isCertain = state !== "unknown"
    const isOrdered = isCertain && by === "server"
    if (op === "create") {
      this.ids.set(step, target)
      this.set(known, data, "done", true)
      known.isCopy = action !== undefined
      known.isReplicas = by === "replica"
      for (const each of this.known.get(change.id ?? "")?.parents ?? []) known.parents.add(each)
      if (!isCertain) known.isLoose = true
    } else if (op === "update") {
      this.set(known, data, state, isOrdered)
      if (by === "replica" && known.life !== "live") known.isLoose = true
    } else if (op === "restore") {
      known.life = "live"
      if (!isOrdered || known.endedAt >= began) known.isLoose = true
      for (const each of known.parents) if (this.known.get(each)?.endedAt) known.isLoose = true
    } else {
      known.endedAt = at
      // A deletion of what was deleted for good succeeds, and brings nothing into the trash.
      known.life = op === "delete" && type === "note" && known.life !== "gone" ? "trash" : "gone"
      if (op === "purge" || type !== "note") known.wasPurged = true
      if (!isOrdered || isContested === true) known.isLoose = true
    }
    if (!isOrdered || type !== "note" || version === undefined || isDuplicate === true) return
    if (based !== undefined && !this.isRestored && version !== based + 1 && version !== based)
      this.fail("a change on an old version is refused", `step ${step}: ${target} ${based} became ${version}`)
    // A note that is made from another record has a content that the change does not name. The version of a duplicate
    // may be that of a later writer.
    if (op === "create" && action !== undefined) return
    const changed = { at, step, version, based, data, touches: [...Object.keys(data), ...touches], word }
    this.changes.set(target, [...(this.changes.get(target) ?? []), changed])
  }

  /**
   * The server went back to the backup of a moment. What it acknowledged since is lost, except for what replicas have:
   * they bring it back. Numbers of the lost part never come again, so that the revisions stay.
   */
  restore(moment: number, inReplicas: ReadonlySet<string>): void {
    this.isRestored = true
    for (const [word, each] of this.words)
      if (each.at > moment || each.isKept)
        this.words.set(word, { ...each, isCertain: each.isCertain && inReplicas.has(word) })
    for (const known of this.known.values()) {
      // The bytes of a file may have come after the backup, and are in no replica.
      known.members.delete("status")
      // A replica that has a state from before the deletion may bring it back.
      if (known.life !== "live") known.isLoose = true
      if (known.changedAt <= moment) continue
      known.life = "live"
      known.isLoose = true
      known.members.clear()
      this.latest.delete(known.id)
    }
    for (const [id, changes] of this.changes) {
      const kept = changes.filter(({ at }) => at <= moment)
      this.changes.set(id, kept)
    }
  }

  /** Whether a record, or one that contains it, was ever deleted, or may have been. */
  mayBeCovered(id: string, seen: ReadonlySet<string> = new Set()): boolean {
    if (seen.has(id)) return false
    return [...(this.known.get(id)?.parents ?? [])].some((parent) => {
      const container = this.known.get(parent)
      if (container === undefined) return false
      return container.endedAt > 0 || container.isLoose || this.mayBeCovered(parent, new Set([...seen, id]))
    })
  }
}
