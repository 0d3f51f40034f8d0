import { Effect } from "effect"
import { inbox } from "../../notes/notebooks/Inbox.ts"
import { createRow } from "../../notes/notebooks/Notebooks.ts"
import { depthOf } from "../../notes/notebooks/NotebookTree.ts"
import { type NotebookRow, notebooks } from "../../notes/notebooks/Notebook.ts"
import { records } from "../../writer/LogEntry.ts"
import type { Draft } from "../../writer/Draft.ts"
import type { Quotas } from "../../workspaces/Quotas.ts"
import type { ImportNames } from "./ImportNames.ts"
import { maxNotebook } from "../formats/ItemNames.ts"

const deepest = 5

/** Returns a path that fits below a notebook at `depth`: names that are too deep are joined into the last one. */
const within = (path: ReadonlyArray<string>, depth: number): ReadonlyArray<string> => {
  const most = deepest - depth
  if (path.length <= most) return path
  if (most === 0) return []
  return [
    ...path.slice(0, most - 1),
    [...path.slice(most - 1).join(" / ")].slice(0, maxNotebook).join("").trim() || "Untitled"
  ]
}

/**
 * The notebooks that an import puts notes into, for one draft. A notebook that has the name, or that the import created
 * (even if it was renamed since), is used again. A notebook that was deleted meanwhile is created again.
 */
export class ImportPlaces {
  readonly #draft: Draft
  readonly #quotas: Quotas["Service"]
  readonly #names: ImportNames
  readonly #root: string | null
  readonly #known = new Map<string, string>()

  constructor(draft: Draft, quotas: Quotas["Service"], names: ImportNames, root: string | null) {
    this.#draft = draft
    this.#quotas = quotas
    this.#names = names
    this.#root = root
  }

  /** Returns the id of the notebook of a path, which is created if it is missing. */
  readonly of = Effect.fnUntraced({ self: this as ImportPlaces }, function* (path: ReadonlyArray<string>) {
    const whole = path.join("\n")
    const known = this.#known.get(whole)
    // The attempt that created it may have been rolled back.
    if (known !== undefined && (yield* this.#draft.get(notebooks, known)) !== undefined) return known
    const tree = yield* this.#draft.all(notebooks)
    const root = this.#root !== null && tree.has(this.#root) ? this.#root : null
    let id = root
    const hasRoom = root === null || (yield* this.#draft.mayWriteBelow(notebooks, root))
    const parts = hasRoom ? within(path, depthOf(tree, root)) : []
    for (const [index, name] of parts.entries()) id = yield* this.#child(id, name, parts.slice(0, index + 1))
    const found = id ?? (yield* inbox(this.#draft, this.#quotas)).id
    this.#known.set(whole, found)
    return found
  })

  readonly #child = Effect.fnUntraced(
    { self: this as ImportPlaces },
    function* (parent_id: string | null, name: string, path: ReadonlyArray<string>) {
      const tree = yield* this.#draft.all(notebooks)
      const key = path.join("\n")
      let own = this.#names.id("notebook", key)
      if (tree.has(own) && (yield* this.#draft.mayWrite(notebooks, own))) return own
      const siblings = [...tree.values()].filter((row) => row.parent_id === parent_id)
      // macOS stores names of folders in decomposed Unicode.
      const same = (row: NotebookRow) => row.name.normalize("NFC") === name.normalize("NFC")
      const there = siblings.find((row) => row.name === name) ?? siblings.find(same)
      if (there !== undefined) return there.id
      for (let count = 2; (yield* this.#draft.get(records, "notebook", own)) !== undefined; count++) {
        own = this.#names.id("notebook", `${key}\n\n${count}`)
        if (tree.has(own) && (yield* this.#draft.mayWrite(notebooks, own))) return own
      }
      yield* this.#quotas.take(this.#draft, "notebooks", 1)
      // The path fits the maximum depth, unless its notebooks were moved meanwhile: then it is created at the top.
      yield* Effect.catchTag(createRow(this.#draft, { name, parent_id }, { id: own, revision: 1 }), "Invalid", () =>
        createRow(this.#draft, { name }, { id: own, revision: 1 })
      )
      return own
    }
  )
}
