import { expect } from "vitest"
import type { TestDatabase } from "./StorageProcess.ts"

interface Entry {
  readonly seq: number
  readonly type: string
  readonly resource_id: string
  readonly version: number | null
  readonly write: string
  readonly part: string
}

/** Checks the stored data of a workspace against its log, and returns the log entries by write. */
export const storedTruth = async (database: TestDatabase, workspace_id: string) => {
  const ask = (text: string) => database.sql(text, [workspace_id])
  const [head] = await ask("SELECT seq::float8 AS seq, notes::int AS notes FROM heads WHERE workspace_id = $1")
  const log = (await ask(
    `SELECT seq::float8 AS seq, type, resource_id, version, data->>'write' AS write, data->>'part' AS part
    FROM changes WHERE workspace_id = $1 ORDER BY seq`
  )) as ReadonlyArray<Entry>
  expect(
    log.map((entry) => entry.seq),
    "the log is dense from 1 to the head"
  ).toEqual(Array.from({ length: head.seq }, (_, index) => index + 1))
  // The state according to the log, from its beginning.
  const items = new Map<string, { value: number; revision: number; seq: number; deleted: boolean }>()
  const labels = new Map<string, number>()
  for (const { resource_id: id, seq, type, version } of log) {
    if (type === "tag.updated") labels.set(id, (labels.get(id) ?? 0) + 1)
    else if (type === "tag.deleted") labels.delete(id)
    else {
      const before = items.get(id)
      const deleted = type === "note.deleted"
      expect(version, `revisions of ${id} go up one by one`).toBe((before?.revision ?? 0) + 1)
      const value = deleted ? 0 : (before?.value ?? 0) + 1
      items.set(id, { value, revision: version!, seq, deleted })
    }
  }
  const sorted = (rows: ReadonlyArray<any>) => [...rows].sort((a, b) => (a.id < b.id ? -1 : 1))
  const expected = sorted([...items].map(([id, item]) => ({ id, ...item })))
  expect(
    sorted(await ask("SELECT id, value, revision FROM items WHERE workspace_id = $1")),
    "rows are what the log says"
  ).toEqual(expected.filter((item) => !item.deleted).map(({ id, revision, value }) => ({ id, value, revision })))
  expect(
    sorted(
      await ask(
        "SELECT id, revision, seq::float8 AS seq, deleted FROM records WHERE workspace_id = $1 AND type = 'item'"
      )
    ),
    "records have the seq of their last change"
  ).toEqual(expected.map(({ deleted, id, revision, seq }) => ({ id, revision, seq, deleted })))
  expect(
    sorted(await ask("SELECT id, uses FROM labels WHERE workspace_id = $1")),
    "resident rows are what the log says"
  ).toEqual(sorted([...labels].map(([id, uses]) => ({ id, uses }))))
  expect(head.notes, "the head counts the notes").toBe(expected.filter((item) => !item.deleted).length)

  const writes = new Map<string, { readonly parts: Array<string>; readonly first: number; last: number }>()
  for (const { part, seq, write } of log) {
    const found = writes.get(write)
    if (found === undefined) writes.set(write, { parts: [part], first: seq, last: seq })
    else {
      expect(seq, `the entries of ${write} are adjacent`).toBe(found.last + 1)
      found.parts.push(part)
      found.last = seq
    }
  }
  return writes
}
