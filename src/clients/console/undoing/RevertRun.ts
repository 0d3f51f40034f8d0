import { randomId } from "../../client/RandomId.ts"
import { isProblem, type Schemas, type SheafClient } from "../../client/SheafClient.ts"

type ChangeSet = Schemas["ChangeSet"]
export type Revert = Schemas["Revert"]

/** Milliseconds between two looks at a revert: at first, and after some that are doubled. */
const firstWait = 100
const longestWait = 1_000

/** The revert of a change set, or the preview of one. After a failure of a request it continues where it was. */
export class RevertRun {
  readonly #client: SheafClient
  readonly #request: { readonly id: string; readonly preview: boolean }
  readonly #idempotencyKey = randomId()
  #revert: Revert | undefined

  constructor(client: SheafClient, id: string, preview: boolean) {
    this.#client = client
    this.#request = { id, preview }
  }

  /** Returns the revert when it has ended, or as it is when the signal is aborted. */
  async finish(signal: AbortSignal, onProgress?: (revert: Revert) => void): Promise<Revert> {
    const { getRevert, revertChangeSet } = this.#client
    this.#revert ??= await revertChangeSet(this.#request, { idempotencyKey: this.#idempotencyKey })
    for (let wait = firstWait; !signal.aborted && isOpen(this.#revert); wait = Math.min(2 * wait, longestWait)) {
      onProgress?.(this.#revert)
      await new Promise((resolve) => setTimeout(resolve, wait))
      this.#revert = await getRevert({ id: this.#revert.id })
    }
    return this.#revert
  }
}

const isOpen = ({ status }: Revert): boolean => status === "queued" || status === "running"

/** The changes that the dialog is about: those of a change set, or of an import. */
export type Changes = { readonly set: string } | { readonly import_id: string }

/** A change set that can be undone. */
export interface Undoable {
  readonly id: string
  /** Whether it is an undo itself: of the changes, or of an undo of an undo. */
  readonly isUndo: boolean
}

/** Returns undefined for a set that is not kept any more. */
const found = (client: SheafClient, id: string): Promise<ChangeSet | undefined> =>
  client.getChangeSet({ id }).catch((error: unknown) => {
    if (isProblem(error, "not_found")) return undefined
    throw error
  })

/** The change set of these changes, or the last undo of it; undefined if it is not kept any more. */
export const undoableOf = async (client: SheafClient, changes: Changes): Promise<Undoable | undefined> => {
  let set =
    "set" in changes
      ? await found(client, changes.set)
      : (await client.listChangeSets({ filter: `import_id = ${changes.import_id}`, limit: 1 })).data[0]
  let isUndo = false
  while (set?.reverted_by != null) {
    const next = await found(client, set.reverted_by)
    // An undo that has changed nothing has no set.
    if (next === undefined) break
    set = next
    isUndo = !isUndo
  }
  return set && { id: set.id, isUndo }
}
