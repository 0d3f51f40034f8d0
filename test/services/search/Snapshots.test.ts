import { Effect } from "effect"
import { expect, it } from "vitest"
import { SearchThread } from "../../../services/search/SearchThread.ts"
import { guest } from "../../support/People.ts"
import { useApp } from "../../support/useApp.ts"

const { app } = useApp()

const thread = () => app.run(Effect.service(SearchThread))

/** The thread begins anew: it holds nothing but what is kept. */
const restart = async () => app.run((await thread()).kill)

let asked = 0

/** The index is asked each time: answers are kept by their requests, of which no two are the same. */
const found = async (query: string, headers: Record<string, string> = {}) => {
  const { body, status } = await app.call(
    "POST",
    "/search",
    { query: query + " ".repeat(++asked), limit: 100 },
    headers
  )
  expect(status).toBe(201)
  return body
}

const loads = async () => (await thread()).held().loads

const snapshots = (workspace_id: string) =>
  app.sql(
    "SELECT id, count(*)::int AS count, min(parts) AS parts FROM search_snapshots WHERE workspace_id = $1 GROUP BY id",
    [workspace_id]
  )

const fill = async (count: number, headers: Record<string, string> = {}) => {
  const notebook_id = (await app.call("POST", "/notebooks", { name: "Kept" }, headers)).body.id
  const words = ["river", "mountain", "valley", "harbour", "glacier", "meadow"]
  const changes = Array.from({ length: count }, (_, each) => ({
    type: "note",
    op: "upsert",
    id: `nt_kept${String(each).padStart(20, "0")}`,
    data: {
      notebook_id,
      title: `Note ${each} of the ${words[each % 6]}`,
      body: `The ${words[(each + 1) % 6]}s were seen from the ${words[(each + 2) % 6]} on day ${each}`,
      tags: [words[(each + 3) % 6]]
    }
  }))
  const pushed = await app.call("POST", "/sync/push", { changes }, headers)
  expect(pushed.body.results.filter(({ status }: any) => status !== "applied")).toEqual([])
  return notebook_id as string
}

it("an index is read from its snapshot and caught up, and made anew from the log where that is not sound", async () => {
  const notebook_id = await fill(300)
  const queries = ["river", "harbors from glacier", "seen valley", "mountian", "note 17", "tag:meadow river"]
  const answers = async () => {
    const all = []
    for (const query of queries) {
      const { hits, total } = await found(query)
      all.push({ total, hits: hits.map(({ highlights, id, score }: any) => ({ id, score, highlights })) })
    }
    return all
  }
  const fresh = await answers()
  await expect
    .poll(async () => (await snapshots(app.workspace_id)).map(({ count, parts }) => count - parts))
    .toEqual([0])

  await restart()
  expect(await answers()).toEqual(fresh)
  expect(await loads()).toBe(1)

  // What was written after it is in the log.
  await restart()
  await app.call("POST", "/notes", { notebook_id, title: "Zanzibar", body: "a river" })
  expect((await found("zanzibar")).total).toBe(1)
  const note = (await found("note 17")).hits[0]
  await app.call("DELETE", `/notes/${note.id}?permanent=true`)
  await restart()
  expect((await found("note 17")).hits.map(({ id }: any) => id)).not.toContain(note.id)
  expect((await found("zanzibar")).total).toBe(1)
  expect(await loads()).toBe(1)
  const later = await answers()

  // Damaged, torn, of another format, of another workspace.
  const kept = await app.sql("SELECT * FROM search_snapshots WHERE workspace_id = $1", [app.workspace_id])
  const other = await guest(app, { elsewhere: true })
  const spoilt: ReadonlyArray<readonly [string, ReadonlyArray<unknown>]> = [
    [
      "UPDATE search_snapshots SET bytes = set_byte(bytes, 5000, 255 - get_byte(bytes, 5000)) WHERE workspace_id = $1",
      []
    ],
    ["UPDATE search_snapshots SET parts = parts + 1 WHERE workspace_id = $1", []],
    ["UPDATE search_snapshots SET bytes = substr(bytes, 1, 10) WHERE workspace_id = $1", []],
    ["UPDATE search_snapshots SET format = 0 WHERE workspace_id = $1", []],
    ["UPDATE search_snapshots SET workspace_id = $2 WHERE workspace_id = $1", [other.workspace_id]]
  ]
  for (const [statement, params] of spoilt) {
    await app.sql(statement, [app.workspace_id, ...params])
    await restart()
    expect(await answers()).toEqual(later)
    expect(await loads()).toBe(0)
    await app.sql("DELETE FROM search_snapshots")
    const [{ bytes, epoch, format, id, parts, seq }] = kept
    await app.sql("INSERT INTO search_snapshots VALUES ($1, $2, 0, $3, $4, $5, $6::bigint, $7)", [
      app.workspace_id,
      id,
      parts,
      format,
      epoch,
      String(seq),
      bytes
    ])
  }

  // A restored backup: the snapshot knows what has never been.
  await app.sql("UPDATE heads SET epoch = 'restored' WHERE workspace_id = $1", [app.workspace_id])
  await restart()
  expect(await answers()).toEqual(later)
})

it("another workspace's snapshot, moved to this one, tells nothing of it", async () => {
  const other = await guest(app, { elsewhere: true })
  await fill(250, other.headers)
  expect((await found("glacier", other.headers)).total).toBeGreaterThan(0)
  await expect.poll(async () => (await snapshots(other.workspace_id)).length).toBe(1)
  const third = await guest(app, { elsewhere: true })
  await app.sql("UPDATE search_snapshots SET workspace_id = $2 WHERE workspace_id = $1", [
    other.workspace_id,
    third.workspace_id
  ])
  await restart()
  expect((await found("glacier", third.headers)).total).toBe(0)
})
