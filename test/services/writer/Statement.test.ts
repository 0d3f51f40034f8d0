import { Effect, Fiber } from "effect"
import { expect, it } from "vitest"
import { systemRandomness } from "../../../services/Randomness.ts"
import type { WorkspaceId } from "../../../services/Ids.ts"
import { WriterCache } from "../../../services/writer/WriterCache.ts"
import { noCounts } from "../../../services/tables/Counters.ts"
import { Draft } from "../../../services/writer/Draft.ts"
import * as Statement from "../../../services/writer/Statement.ts"

/** A draft that only writes: it needs no connection. */
const draftOf = (entries: number): Draft => {
  const draft = new Draft({
    workspace_id: "ws_00000000000000000000" as WorkspaceId,
    base: new WriterCache({ ...noCounts, seq: 0, least_revision: 1 }),
    millis: 0,
    randomness: systemRandomness,
    client: undefined as never,
    readRows: undefined as never
  })
  for (let index = 0; index < entries; index++) {
    draft.append({ type: "note.updated", resource: "note", resource_id: `nt_${index}` })
  }
  return draft
}

it("makes a statement of thousands of rows in slices, with all rows", async () => {
  const few = Effect.runFork(Statement.make([draftOf(100)]))
  expect(few.pollUnsafe()).toBeDefined()
  const many = Effect.runFork(Statement.make([draftOf(10_000)]))
  expect(many.pollUnsafe()).toBeUndefined()
  const { params, text } = await Effect.runPromise(Fiber.join(many))
  expect(text).toBe((await Effect.runPromise(Fiber.join(few))).text)
  const ids = params.map(({ value }) => value).filter((value) => Array.isArray(value) && value.includes("nt_9999"))
  // The ids of the records, and of the notes that they are.
  const all = Array.from({ length: 10_000 }, (_, index) => `nt_${index}`)
  expect(ids).toEqual([all, all])
})
