import type { Forbidden } from "../../Errors.ts"
import type { ImportError } from "./Import.ts"

/** An item that was not imported because of a quota or the plan. */
export interface RefusedItem {
  readonly by: string
  readonly code: "plan_required" | "quota_exceeded"
  readonly detail: string
  readonly file: string
}

export const refusedBy = ({ code, detail, extra }: Forbidden, file: string): RefusedItem => ({
  by: String(extra?.["quota"] ?? code),
  code: code === "plan_required" ? code : "quota_exceeded",
  detail,
  file
})

/** Items that quotas and the plan have refused: one error per quota. */
export class RefusedItems {
  readonly #causes = new Map<string, { readonly first: RefusedItem; count: number }>()

  add(each: RefusedItem): void {
    const known = this.#causes.get(each.by)
    if (known === undefined) this.#causes.set(each.by, { first: each, count: 1 })
    else known.count++
  }

  get errors(): ReadonlyArray<ImportError> {
    return [...this.#causes.values()].map(({ count, first }) => ({
      file: first.file,
      code: first.code,
      message: `${first.detail}: ${count === 1 ? "this item was not imported" : `${count} items were not imported, starting with this one`}`
    }))
  }
}
