import { beforeAll, describe, expect, it } from "vitest"
import { syncedTypes } from "../../services/sync/SyncedTypes.ts"
import { openApiDocument } from "../../src/openapi/OpenApiDocument.ts"
import { Team } from "../support/Team.ts"
import { EventStream } from "../support/EventStream.ts"
import { fromAnywhere } from "../support/FromAnywhere.ts"
import { bodyFor, notebooks, notes, segmentOf, syncedResources } from "../support/Resources.ts"
import { statementsOf } from "../support/Statements.ts"
import type { Answer } from "../support/TestApp.ts"
import { expectTruth } from "../support/Truth.ts"
import { operations } from "../support/rights/Operations.ts"
import { referencesOf } from "../support/rights/References.ts"
import { mark, never, type Stranger, strangersTo } from "../support/rights/Strangers.ts"
import { useApp } from "../support/useApp.ts"

// Each request comes from an address of its own: wrong credentials are limited by address.
const { app } = useApp({ settings: { trustedProxies: ["127.0.0.1"] } })
let hidden: Team
let team: Team
let ids: Readonly<Record<string, string>>
let strangers: ReadonlyArray<Stranger>

beforeAll(async () => {
  ;({ team, hidden, ids, strangers } = await strangersTo(app))
  for (const { method, path } of addressed) {
    const isEmpty = method === "GET" || method === "DELETE"
    const body = await bodyFor(team, method, path.replace("{version}", "1"))
    bodies.set(`${method} ${path}`, body ?? (isEmpty ? undefined : {}))
  }
})

const document = openApiDocument("http://sheaf.test")

/** Every operation that needs a credential, as the API description lists them: a new one is among them by itself. */
const described: ReadonlyArray<{ readonly path: string; readonly method: string; readonly at?: () => string }> =
  Object.entries<any>(document.paths).flatMap(([path, item]) =>
    Object.entries<any>(item)
      .filter(([, { security }]) => security.length > 0)
      .map(([method]) => ({ path, method: method.toUpperCase() }))
  )

/** Those that an id is sent to in the path. */
const addressed = described.filter(({ path }) => path.includes("{"))

/** Lists and other reads of a whole workspace. The stream has a test of its own. */
const wholes = described.filter(
  ({ method, path }) => method === "GET" && !/\{(id|version)\}/.test(path) && path !== "/sync/stream"
)

/** Of what belongs to a workspace in the path: asked for in the stranger's own. */
const within = (each: { readonly path: string; readonly method: string }) => ({ ...each, at: () => team.id })

/** What their bodies need, by method and path; the others have none, or may be empty. */
const bodies = new Map<string, object | undefined>()

const collectionOf = (path: string) => /([^/]+)\/\{id\}/.exec(path)?.[1] ?? ""

/** Of what is hidden, the one in a collection. */
const hiddenIn = (collection: string, path: string): string => {
  const id = ids[collection]
  if (id === undefined)
    throw new Error(`${path}: test/support/Resources.ts has no resource with the collection "${collection}"`)
  return id
}

/** The same request for what is hidden and for what never was. */
const pairs = [...addressed, ...addressed.filter(({ path }) => /workspace_id.*\{id/.test(path)).map(within)].map(
  ({ at, method, path }) => {
    const fill = (change: (id: string) => string) =>
      path
        .replace("{workspace_id}", () => (at === undefined ? change(hidden.id) : at()))
        .replace("{note_id}", () => change(ids["notes"]!))
        .replace("{webhook_id}", () => change(ids["webhooks"]!))
        .replace("{id}", () => change(hiddenIn(collectionOf(path), path)))
        .replace("{version}", "1")
    return {
      method,
      path,
      body: () => bodies.get(`${method} ${path}`),
      isWithin: at !== undefined,
      hidden: () => fill((id) => id),
      never: () => fill(never)
    }
  }
)

/** All that a client can see of an answer, but for what is the request's own. */
const seen = ({ body, headers, status }: Answer) => {
  const { instance: _, request_id: __, ...rest } = body ?? {}
  const own = new Set(["request-id", "date", "ratelimit", "ratelimit-remaining", "ratelimit-reset"])
  return (
    JSON.stringify({ status, body: rest, headers: [...headers].filter(([name]) => !own.has(name)) })
      // Where the question comes back, as in a list of what was asked for.
      .replaceAll(new RegExp(Object.values(ids).join("|"), "g"), never)
      .replaceAll(/"(took_ms|score)":[\d.]+/g, "")
  )
}

const ask = (method: string, path: string, body: unknown, headers: Record<string, string>) =>
  app.call(method, path, body, { ...headers, ...fromAnywhere() })

/** A digest of every row of a workspace, but for when credentials were used and how often, and how far its webhooks are. */
const rowsOf = async (workspace_id: string) => {
  const tables = await app.sql(
    `SELECT table_name AS name FROM information_schema.columns
    WHERE table_schema = 'public' AND column_name = 'workspace_id' AND table_name NOT IN ('request_days', 'webhook_cursors') ORDER BY 1`
  )
  const row = "(to_jsonb(t) - '{last_used_at,last_active_at,last_sync_at}'::text[])::text"
  return Promise.all(
    tables.map(async ({ name }) => {
      const [{ digest, count }] = (await app.sql(
        `SELECT count(*)::int AS count, md5(string_agg(${row}, ' ' ORDER BY ${row})) AS digest
      FROM ${name} t WHERE workspace_id = $1`,
        [workspace_id]
      )) as [any]
      return [name, count, digest]
    })
  )
}

describe("what another workspace has", () => {
  it("is known to the test in every kind", () => {
    for (const { hidden, path } of pairs)
      expect(hidden(), `${path} has a parameter that this test does not know`).not.toMatch(/[{}]/)
    expect(pairs.length).toBeGreaterThan(40)
    expect(syncedResources.map(({ synced }) => synced.type).toSorted()).toEqual(
      syncedTypes.map(({ type }) => type).toSorted()
    )
  })

  it("is reached by who belongs there", async () => {
    const shown = pairs.filter(({ isWithin, method }) => method === "GET" && !isWithin)
    const statuses = await Promise.all(
      shown.map(async ({ hidden: path }) => [
        path(),
        (await app.call("GET", path(), undefined, hidden.owner.headers)).status
      ])
    )
    expect(statuses).toEqual(shown.map(({ hidden: path }) => [path(), 200]))
  })

  it("is for everybody else as if it never was: status, body and headers", async () => {
    const before = await rowsOf(hidden.id)
    const found = await Promise.all(
      strangers.map(async ({ headers, instead, isLimited, status, who }) => {
        const faults: Array<string> = []
        for (const pair of pairs) {
          const { method } = pair
          const body = pair.body()
          const there = await ask(method, pair.hidden(), body, headers)
          const nowhere = await ask(method, pair.never(), body, instead ?? headers)
          const isExpected = there.status === status || (isLimited === true && there.body.code === "insufficient_role")
          if (!isExpected || seen(there) !== seen(nowhere)) {
            faults.push(`${method} ${pair.path} by ${who}: ${seen(there)} and ${seen(nowhere)}`)
          }
        }
        return faults
      })
    )
    expect(found.flat()).toEqual([])
    expect(await rowsOf(hidden.id)).toEqual(before)
  })

  it("costs the same statements as what never was", async () => {
    const [{ headers }] = strangers as [Stranger]
    let count = 0
    for (const pair of pairs) {
      const { method, path } = pair
      const body = pair.body()
      // What was done last is not read again: so the same was done before each of them.
      await app.call(method, pair.never(), body, headers)
      const { statements: there } = await statementsOf(app, /./, () => app.call(method, pair.hidden(), body, headers))
      const { statements: nowhere } = await statementsOf(app, /./, () => app.call(method, pair.never(), body, headers))
      expect(there, `${method} ${path}`).toEqual(nowhere)
      count += there.length
    }
    expect(count).toBeGreaterThan(pairs.length)
  })

  it("is nothing that a member of a body or a parameter could name", async () => {
    const references = referencesOf(document)
    // At least: notebooks of notes and notebooks, notes of what hangs on notes, tags that are merged.
    expect(references.length).toBeGreaterThan(20)
    const before = await rowsOf(hidden.id)
    const faults: Array<string> = []
    for (const { isList, name, operation, place, resource } of references) {
      const { prepare } = operations[operation]!
      const { body, method, path } = await prepare(team, team.owner, true)
      // Without another name of the same member, which would be used instead.
      const others = references.filter(
        (each) => each.operation === operation && each.resource === resource && each.isList === isList
      )
      const rest = Object.entries(body ?? {}).filter(([member]) => !others.some((each) => each.name === member))
      const ask = async (id: string) => {
        const answer =
          place === "body"
            ? await app.call(
                method,
                path,
                { ...Object.fromEntries(rest), [name]: isList ? [id] : id },
                team.owner.headers
              )
            : await app.call(method, `${path}?${name}=${id}`, undefined, team.owner.headers)
        // The second call may make a further version.
        return seen(answer).replaceAll(/"version":\d+|:\d+\\"/g, "")
      }
      const id = ids[segmentOf(resource)]!
      const [there, nowhere] = [await ask(id), await ask(never(id))]
      if (there !== nowhere) faults.push(`${operation}, ${name}: ${there} and ${nowhere}`)
    }
    expect(faults).toEqual([])
    expect(await rowsOf(hidden.id)).toEqual(before)
  })

  it("is nothing that a filter could name", async () => {
    for (const filter of ["/events?filter=resource_id=", "/notes?filter=notebook_id="]) {
      const id = ids[filter.startsWith("/events") ? "notes" : "notebooks"]!
      const [there, nowhere] = [await team.get(filter + id), await team.get(filter + never(id))]
      expect(there).toEqual(nowhere)
    }
  })

  it("is in no list, no search, no pull, no event, no usage and no audit entry of theirs", async () => {
    const pages = [
      ...(await Promise.all(wholes.map(({ path }) => team.at(path)))),
      "/notes?filter=archived:*",
      "/events?sort=occurred_at",
      "/search/suggest?q=zan"
    ]
    const all = new Set(Object.values(ids))
    const tells = (text: string) => text.includes(mark) || [...all].some((id) => text.includes(id))
    const faults: Array<string> = []
    for (const { headers, instead, who } of strangers) {
      if (instead !== undefined) continue
      for (const path of pages) {
        const answer = await ask("GET", path, undefined, headers)
        if (tells(answer.text)) faults.push(`${path} by ${who}: ${answer.text.slice(0, 300)}`)
      }
      const pull = await ask("POST", "/sync/pull", {}, headers)
      const search = await ask("POST", "/search", { query: mark.toLowerCase() }, headers)
      if (tells(pull.text) || search.body.hits?.length > 0) faults.push(`search or pull by ${who}`)
    }
    expect(faults).toEqual([])
    // The same looks find it where it is.
    const here = await app.call("POST", "/search", { query: mark }, hidden.owner.headers)
    expect(here.body.hits).toHaveLength(1)
    expect(tells((await app.call("POST", "/sync/pull", {}, hidden.owner.headers)).text)).toBe(true)
  })

  it("counts in its own usage only", async () => {
    const used = async (headers: Record<string, string>) => {
      const { body } = await app.call("GET", "/usage", undefined, headers)
      return { notes: body.notes, api_requests: body.api_requests }
    }
    const other = await Team.start(app)
    const before = await used(other.owner.headers)
    await hidden.make(notes)
    for (let time = 0; time < 5; time++) await app.call("GET", "/notes", undefined, hidden.owner.headers)
    expect(await used(other.owner.headers)).toEqual({ notes: before.notes, api_requests: before.api_requests + 1 })
    expect((await used(hidden.owner.headers)).notes).toBeGreaterThan(before.notes)
  })

  it("is not reached by a cursor that was given out there", async () => {
    await hidden.make(notes)
    const page = async (path: string) => (await app.call("GET", path, undefined, hidden.owner.headers)).body.next_cursor
    const cursors = {
      "/notes": await page("/notes?limit=1"),
      "/events": await page("/events?limit=1"),
      "/events?sort=occurred_at": await page("/events?sort=occurred_at&limit=1"),
      "/audit-log": await page("/audit-log?limit=1")
    }
    const { body: sync } = await app.call("GET", "/sync/cursor", undefined, hidden.owner.headers)
    for (const [path, cursor] of Object.entries(cursors)) {
      const url = `${path}${path.includes("?") ? "&" : "?"}cursor=${cursor}`
      const own = await app.call("GET", url, undefined, team.owner.headers)
      expect([own.status, own.body.code], path).toEqual([400, "cursor_mismatch"])
    }
    const pull = await app.call("POST", "/sync/pull", { cursor: sync.cursor }, team.owner.headers)
    expect(pull.status).toBe(400)
    const stream = await EventStream.open(app, { cursor: sync.cursor, headers: team.owner.headers })
    await stream.ended()
    expect(stream.status).toBe(400)
    const last = await EventStream.open(app, { last: sync.cursor, headers: team.owner.headers })
    await last.ended()
    expect(last.status).toBe(400)
  })

  it("stays as it is when its ids are pushed elsewhere: they are made there", async () => {
    const before = await rowsOf(hidden.id)
    const other = await Team.start(app)
    const push = (changes: ReadonlyArray<object>) => app.call("POST", "/sync/push", { changes }, other.owner.headers)
    const bodies = await Promise.all(syncedResources.map(({ body }) => body?.(other)))
    const changes = (of: (id: string) => string) =>
      syncedResources.map((resource, index) => {
        const { named, path } = resource
        const data: Record<string, unknown> = { ...bodies[index], ...(named === undefined ? {} : { [named]: "ours" }) }
        // What is pushed before it may be part of it.
        if ("notebook_id" in data) data["notebook_id"] = of(ids["notebooks"]!)
        if (path.includes("{note_id}")) data["note_id"] = of(ids["notes"]!)
        return { type: resource.synced.type, op: "upsert", id: of(ids[segmentOf(resource)]!), data }
      })
    // Edits and deletions of what is not there are answered as of what never was.
    const results = async (of: (id: string) => string) => {
      const known = changes(of).map((change) => ({ ...change, revision: 1 }))
      const answer = await push([...known, ...known.map(({ data: _, ...each }) => ({ ...each, op: "delete" }))])
      return answer.body.results.map(({ error, status }: any) => [status, error?.code])
    }
    expect(await results((id) => id)).toEqual(await results(never))
    const made = await push(changes((id) => id))
    expect(made.body.results.map(({ status }: any) => status)).toEqual(syncedResources.map(() => "applied"))
    expect(await rowsOf(hidden.id)).toEqual(before)
    for (const [{ owner }, title] of [
      [hidden, mark],
      [other, "ours"]
    ] as const) {
      expect((await app.call("GET", `/notes/${ids["notes"]}`, undefined, owner.headers)).body.title).toBe(title)
    }
  })

  it("is on no stream and in no long poll of theirs", async () => {
    const listeners = strangers.filter(({ who }) => /^key of (owner|admin|editor|viewer)|elsewhere/.test(who))
    const streams = await Promise.all(listeners.map(({ headers }) => EventStream.open(app, { headers })))
    await Promise.all(streams.map((stream) => stream.until(() => stream.events.length > 0)))
    const { body: head } = await app.call("GET", "/sync/cursor", undefined, team.owner.headers)
    const poll = app.call("POST", "/sync/pull", { cursor: head.cursor, wait: 30 }, team.owner.headers)
    await hidden.make(notes, { title: mark })
    const own = await team.make(notebooks)
    expect((await poll).body.changes.map(({ id }: any) => id)).toEqual([own])
    await Promise.all(streams.map((stream) => stream.until(() => stream.changes.length > 0)))
    for (const stream of streams) {
      expect(stream.changes.map(({ data }) => data.id)).toEqual([own])
      stream.close()
    }
  })

  it("is in order afterwards, and so is all else", async () => {
    await expectTruth({ ...app, workspace_id: hidden.id })
    await expectTruth({ ...app, workspace_id: team.id })
  })
})
