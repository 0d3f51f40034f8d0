import type { ImportError } from "./Import.ts"
import type * as ImportBatch from "./ImportBatch.ts"

/** Items that quotas and the plan have refused: one error per quota. */
export class RefusedItems {
  private readonly causes = new Map<string, { readonly first: ImportBatch.RefusedItem; count: number }>()

  add(each: ImportBatch.RefusedItem): void {
    const known = this.causes.get(each.by)
    if (known === undefined) this.causes.set(each.by, { first: each, count: 1 })
    else known.count++
  }

  get errors(): ReadonlyArray<ImportError> {
    return [...this.causes.values()].map(({ count, first }) => ({
      file: first.file,
      code: first.code,
      message: `${first.detail}: ${count === 1 ? "this item was not imported" : `${count} items were not imported, starting with this one`}`
    }))
  }
}
