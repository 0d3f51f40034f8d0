import { expect } from "vitest"
import type { useApp } from "../useApp.ts"

type Given = ReturnType<typeof useApp>["given"]

/** The outcome of a revert: its numbers, and the outcome of each record by its id. */
export interface Reverted {
  readonly id: string
  readonly reverted_by: string | null
  readonly counts: readonly [reverted: number, merged: number, kept: number]
  readonly records: Readonly<
    Record<string, readonly [outcome: string, reason: string | null, members: ReadonlyArray<string>]>
  >
}

/** Reverts a change set, or previews that, and waits for the end. */
export const reverting =
  (given: Given) =>
  async (set: string, { preview = false } = {}): Promise<Reverted> => {
    const { id } = await given("POST", `/change-sets/${set}/revert`, { preview })
    const found = await expect
      .poll(() => given("GET", `/reverts/${id}`), { interval: 5, timeout: 120_000 })
      .toMatchObject({ status: "done" })
      .then(() => given("GET", `/reverts/${id}`))
    const records: Record<string, readonly [string, string | null, ReadonlyArray<string>]> = {}
    let cursor: string | null = null
    do {
      const page: any = await given(
        "GET",
        `/reverts/${id}/records?limit=100${cursor === null ? "" : `&cursor=${cursor}`}`
      )
      for (const { members, outcome, reason, record_id } of page.data) records[record_id] = [outcome, reason, members]
      cursor = page.next_cursor
    } while (cursor !== null)
    return { id, reverted_by: found.reverted_by, counts: [found.reverted, found.merged, found.kept], records }
  }
