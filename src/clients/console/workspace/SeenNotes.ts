import type { Change, Schemas } from "../../client/SheafClient.ts"

/** A note whose title was read. */
export type SeenNote = Pick<Schemas["NoteSummary"], "id" | "title" | "notebook_id" | "archived" | "updated_at">

/** Maximum number of notes that are kept. The ones that were read first are dropped. */
const most = 5_000

/** The notes whose titles were read since the page was opened, to find them without the server. */
export class SeenNotes {
  readonly #notes = new Map<string, SeenNote>()

  add(notes: ReadonlyArray<SeenNote>): void {
    for (const { archived, id, notebook_id, title, updated_at } of notes) {
      this.#notes.delete(id)
      this.#notes.set(id, { id, title, notebook_id, archived, updated_at })
    }
    for (const id of this.#notes.keys()) {
      if (this.#notes.size <= most) break
      this.#notes.delete(id)
    }
  }

  /** Takes changes of notes, and drops those that were deleted. */
  follow(changes: ReadonlyArray<Change>): void {
    for (const { data, id, op, type } of changes) {
      if (type !== "note") continue
      if (op === "delete") this.#notes.delete(id)
      else this.add([data as Schemas["Note"]])
    }
  }

  get(id: string): SeenNote | undefined {
    return this.#notes.get(id)
  }

  /** All of them, the one that was changed last first. */
  all(): ReadonlyArray<SeenNote> {
    return [...this.#notes.values()].sort((one, other) => (one.updated_at < other.updated_at ? 1 : -1))
  }
}
