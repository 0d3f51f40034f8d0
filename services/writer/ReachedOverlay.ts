import { Effect } from "effect"
import { NotFound } from "../Errors.ts"
import { type Reach, writable } from "../Reach.ts"
import type { Table } from "../tables/Table.ts"
import { type Actor, systemActor } from "./Actor.ts"
import { Overlay, type Written } from "./Overlay.ts"

export const refused = new NotFound({
  code: "not_found",
  detail: "The credential may write to no notebook that contains this"
})

/** Maximum number of steps from a record to its outermost notebook: five levels of notebooks, a note, and a part of it. */
const maxSteps = 10

/** Whether one of the grants is for notebooks, of which each contains the one before. */
const covers = (grants: Reach, [own, ...around]: ReadonlyArray<string>): boolean =>
  grants.some(({ id, include_subnotebooks }) => id === own || (include_subnotebooks && around.includes(id)))

const parentOf = (row: object | null | undefined) =>
  (row as { readonly parent_id?: string } | null | undefined)?.parent_id

/** The rows of a workspace as the caller of a write reaches them (contract 4, Limited credentials). */
export class ReachedOverlay extends Overlay {
  /** The author of the present write. */
  actor: Actor = systemActor

  /** What the caller of the present write reaches; undefined for everything. */
  get reach(): Reach | undefined {
    return this.actor.reach
  }

  /** The row; undefined if the caller does not reach it. */
  override get<Row extends object>(table: Table<Row>, ...key: ReadonlyArray<string>): Effect.Effect<Row | undefined> {
    const found = super.get(table, ...key)
    const { reach } = this
    if (reach === undefined || table.within === undefined) return found
    return Effect.flatMap(found, (row) =>
      row === undefined
        ? Effect.undefined
        : Effect.map(this.#isWithin(reach, table, row), (isWithin) => (isWithin ? row : undefined))
    )
  }

  /** The notebooks around a row, the innermost first. */
  readonly #around = Effect.fnUntraced({ self: this as ReachedOverlay }, function* (table: Table<any>, row: any) {
    const ids: Array<string> = []
    let [place, at] = [table.within, row]
    if (place?.isNotebook === true) ids.push(row.id)
    for (let steps = 0; steps < maxSteps && place !== undefined; steps++) {
      const id: string | null = at[place.column]
      if (id === null) break
      let outer: any
      let next: Table<any>["within"]
      for (const container of place.containers()) {
        if (container.within?.isNotebook === true && ids.at(-1) !== id) ids.push(id)
        outer = yield* Overlay.prototype.get.call(this, container, id)
        next = container.within
        if (outer !== undefined) break
      }
      if (outer === undefined) break
      ;[place, at] = [next, outer]
    }
    return ids
  })

  /** Whether the caller may write to a row. */
  mayWrite<Row extends object>(table: Table<Row>, ...key: ReadonlyArray<string>): Effect.Effect<boolean> {
    return this.#mayWrite(table, key, (ids) => ids)
  }

  /** Whether the caller may make, move and delete notebooks in this one. */
  mayWriteBelow(table: Table<any>, id: string): Effect.Effect<boolean> {
    return this.#mayWrite(table, [id], (ids) => ["", ...ids])
  }

  readonly #mayWrite = Effect.fnUntraced(
    { self: this as ReachedOverlay },
    function* (
      table: Table<any>,
      key: ReadonlyArray<string>,
      place: (around: ReadonlyArray<string>) => ReadonlyArray<string>
    ) {
      const { reach } = this
      if (reach === undefined) return true
      const row = yield* Overlay.prototype.get.call(this, table, ...key)
      return row !== undefined && covers(writable(reach), place(yield* this.#around(table, row)))
    }
  )

  #isWithin(grants: Reach, table: Table<any>, row: object): Effect.Effect<boolean> {
    return Effect.map(this.#around(table, row), (ids) => covers(grants, ids))
  }

  /** Has a row checked that SQL changes, like a row that is written. */
  changesBySql<Row extends object>(table: Table<Row>, row: Row): void {
    this.watched?.push({ table, before: row, after: row })
  }

  /**
   * Runs a method of the caller, and fails with 404 if it has written outside of the notebooks that the caller may write to:
   * a row that was there before, or is there after it.
   */
  withinReach<A, E, R>(method: () => Effect.Effect<A, E, R>): Effect.Effect<A, E | NotFound, R> {
    const { reach } = this
    if (reach === undefined) return method()
    const written: Array<Written> = []
    const { watched } = this
    return Effect.suspend(() => {
      // A method may write as soon as it is called.
      this.watched = written
      return method()
    }).pipe(
      Effect.tap(() => this.#check(writable(reach), written)),
      Effect.ensuring(Effect.sync(() => (this.watched = watched)))
    )
  }

  readonly #check = Effect.fnUntraced(
    { self: this as ReachedOverlay },
    function* (grants: Reach, written: ReadonlyArray<Written>) {
      for (const { after, before, table } of written) {
        if (table.within === undefined) continue
        // A named notebook may have a place that the caller does not reach: it stays there.
        const isMoved = table.within.isNotebook === true && parentOf(before) !== parentOf(after)
        for (const row of [before, after]) {
          if (row === null) continue
          if (row === undefined) return yield* refused
          const [own, ...around] = yield* this.#around(table, row)
          if (!covers(grants, [isMoved ? "" : own!, ...around])) return yield* refused
        }
      }
    }
  )
}
