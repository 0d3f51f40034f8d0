import { Effect } from "effect"
import { beforeAll, describe, expect, it } from "vitest"
import { guest } from "../../support/people/People.ts"
import { meanwhile } from "../../support/EventStream.ts"
import { Database } from "../../../services/database/Database.ts"
import { statementsOf } from "../../support/Statements.ts"
import { startApp } from "../../support/TestApp.ts"
import { useApp } from "../../support/useApp.ts"

const { app } = useApp()
let notebook: string

beforeAll(async () => {
  notebook = (await app.call("GET", "/notebooks")).body.data[0].id
})

const pull = async (body: object, status = 201) => {
  const answer = await app.call("POST", "/sync/pull", body)
  expect(answer.status, answer.text).toBe(status)
  return answer.body
}

const write = async (title: string) => (await app.call("POST", "/notes", { notebook_id: notebook, title })).body

const newest = async (): Promise<string> => (await app.call("GET", "/sync/cursor")).body.cursor

describe("long poll", () => {
  it("returns at once if there are changes, and otherwise with the next write", async () => {
    const start = await newest()
    const waiting = pull({ cursor: start, wait: 30 })
    const note = await write("Waited for")
    const { changes, cursor } = await waiting
    expect(changes).toMatchObject([{ id: note.id }])
    expect((await pull({ cursor: start, wait: 30 })).changes).toHaveLength(1)
    expect((await pull({ cursor })).changes).toEqual([])
  })

  it("returns with a write on another node", async () => {
    const other = await startApp({ databaseOf: app })
    const waiting = pull({ cursor: await newest(), wait: 30 })
    const note = (await other.call("POST", "/notes", { notebook_id: notebook, title: "Elsewhere" })).body
    expect((await meanwhile([app], waiting)).changes).toMatchObject([{ id: note.id }])
    await other.stop()
  })

  it("returns no changes when its time is over, whatever other types are written", async () => {
    const { cursor } = await pull({ types: ["tag"], limit: 500 })
    let answered = false
    const waiting = pull({ types: ["tag"], cursor, wait: 30 }).then((body) => {
      answered = true
      return body
    })
    await write("No tag")
    await app.advance("29 seconds")
    await app.call("GET", "/sync/cursor")
    expect(answered).toBe(false)
    // The poll may not have started to wait before the clock moved.
    expect(await meanwhile([app], waiting)).toMatchObject({ changes: [], has_more: false })
  })

  it("queries again only after a write", async () => {
    const cursor = await newest()
    const { answer, statements } = await statementsOf(app, /stretches/, () =>
      meanwhile([app], pull({ cursor, wait: 30 }))
    )
    expect(answer).toMatchObject({ changes: [], has_more: false })
    expect(statements.length).toBeLessThanOrEqual(3)
  })

  it("does not wait on an empty page that has more pages behind it", async () => {
    const other = await guest(app, { elsewhere: true })
    const call = (path: string, body: object) => app.call("POST", path, body, other.headers)
    const ids = []
    for (const name of ["a", "b"]) ids.push((await call("/notebooks", { name })).body.id)
    const page = (await call("/sync/pull", { limit: 2 })).body
    expect(page).toMatchObject({ changes: [{ data: { name: "Inbox" } }, { data: { name: "a" } }], has_more: true })
    await app.call("PATCH", `/notebooks/${ids[1]}`, { name: "c" }, other.headers)
    const next = (await call("/sync/pull", { cursor: page.cursor, limit: 1, wait: 30 })).body
    expect(next).toMatchObject({ changes: [], has_more: true })
    expect((await call("/sync/pull", { cursor: next.cursor })).body.changes).toMatchObject([{ data: { name: "c" } }])
  })

  it("does not wait above the limit per credential, and waits again once there is room", async () => {
    const other = await guest(app, { elsewhere: true })
    const call = (method: string, path: string, body?: object) => app.call(method, path, body, other.headers)
    const { cursor } = (await call("GET", "/sync/cursor")).body
    const poll = async () => (await call("POST", "/sync/pull", { cursor, wait: 30 })).body.changes.length
    const eleven = Array.from({ length: 11 }, poll)
    expect(await Promise.race(eleven)).toBe(0)
    // Polls of other credentials still wait.
    const mine = pull({ cursor: await newest(), wait: 30 })
    await write("For me")
    expect((await mine).changes).toHaveLength(1)
    await call("POST", "/notebooks", { name: "For them" })
    expect((await Promise.all(eleven)).toSorted((one, another) => one - another)).toEqual([0, ...Array(10).fill(1)])
    const after = (await call("GET", "/sync/cursor")).body.cursor
    const again = call("POST", "/sync/pull", { cursor: after, wait: 30 })
    await call("POST", "/notebooks", { name: "Once more" })
    expect((await again).body.changes).toHaveLength(1)
  })

  it("queries for two polls of a workspace at a time after a write", async () => {
    const { cursor } = (await app.call("GET", "/sync/cursor")).body
    const { read } = await app.run(Effect.service(Database))
    const client: any = read
    const unsafe = client.unsafe
    let looking = 0
    let most = 0
    let looks = 0
    let isWritten = false
    client.unsafe = (text: string, ...rest: ReadonlyArray<unknown>) => {
      const statement = unsafe(text, ...rest)
      if (!/FROM records/.test(text)) return statement
      if (!isWritten)
        return Effect.ensuring(
          statement,
          Effect.sync(() => looks++)
        )
      return Effect.ensuring(
        Effect.andThen(
          Effect.sync(() => (most = Math.max(most, ++looking))),
          statement
        ),
        Effect.sync(() => looking--)
      )
    }
    try {
      const polls = Array.from({ length: 10 }, () => pull({ cursor, wait: 30 }))
      await expect.poll(() => looks).toBe(10)
      isWritten = true
      await write("For all")
      for (const { changes } of await Promise.all(polls)) expect(changes).toHaveLength(1)
      expect(most).toBe(2)
    } finally {
      client.unsafe = unsafe
    }
  })

  it("returns at once when the server stops", async () => {
    const stopping = await startApp()
    const { cursor } = (await stopping.call("GET", "/sync/cursor")).body
    const waiting = stopping.call("POST", "/sync/pull", { cursor, wait: 30 })
    for (let times = 0; times < 10; times++) await stopping.call("GET", "/sync/cursor")
    await stopping.stop()
    expect((await waiting).body).toMatchObject({ changes: [], has_more: false, cursor: expect.any(String) })
  })

  it("waits at most 30 seconds", async () => {
    expect(await pull({ wait: 31 }, 422)).toMatchObject({ errors: [{ pointer: "/wait" }] })
  })
})
