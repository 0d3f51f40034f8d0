import { beforeAll, describe, expect, it } from "vitest"
import { syncedTypes } from "../../services/sync/SyncedTypes.ts"
import { openApiDocument } from "../../src/server/openapi/OpenApiDocument.ts"
import { Team } from "../support/people/Team.ts"
import { EventStream } from "../support/EventStream.ts"
import { fromAnywhere } from "../support/FromAnywhere.ts"
import { bodyFor, notebooks, notes, segmentOf, syncedResources } from "../support/Resources.ts"
import { statementsOf } from "../support/Statements.ts"
import type { ApiResponse } from "../support/TestApp.ts"
import { expectTruth } from "../support/people/Truth.ts"
import { operations } from "../support/rights/Operations.ts"
import { referencesOf } from "../support/rights/References.ts"
import { mark, never, type Stranger, strangersTo } from "../support/rights/Strangers.ts"
import { useApp } from "../support/useApp.ts"

// Each request has its own client address, because wrong credentials are throttled per address.
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

/** Every operation of the API description that needs a credential, so that new ones are included automatically. */
const described: ReadonlyArray<{ readonly path: string; readonly method: string; readonly at?: () => string }> =
  Object.entries<any>(document.paths).flatMap(([path, item]) =>
    Object.entries<any>(item)
      .filter(([, { security }]) => security.length > 0)
      .map(([method]) => ({ path, method: method.toUpperCase() }))
  )

/** Operations with an id in the path. */
const addressed = described.filter(({ path }) => path.includes("{"))

/** Lists and other reads of a whole workspace. The stream has its own test. */
const wholes = described.filter(
  ({ method, path }) => method === "GET" && !/\{(id|version)\}/.test(path) && path !== "/sync/stream"
)

/** Replaces the workspace of a path by that of the stranger. */
const within = (each: { readonly path: string; readonly method: string }) => ({ ...each, at: () => team.id })

/** Valid bodies by method and path, for operations that need one. */
const bodies = new Map<string, object | undefined>()

const collectionOf = (path: string) => /([^/]+)\/\{id\}/.exec(path)?.[1] ?? ""

/** Returns the id of the hidden record in a collection. */
const hiddenIn = (collection: string, path: string): string => {
  const id = ids[collection]
  if (id === undefined)
    throw new Error(`${path}: test/support/Resources.ts has no resource with the collection "${collection}"`)
  return id
}

/** Pairs of the same request, for a hidden record and for one that never existed. */
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

/** Everything in a response that a client can see, except what belongs to the single request. */
const seen = ({ body, headers, status }: ApiResponse) => {
  const { instance: _, request_id: __, ...rest } = body ?? {}
  const own = new Set(["request-id", "date", "ratelimit", "ratelimit-remaining", "ratelimit-reset"])
  return (
    JSON.stringify({ status, body: rest, headers: [...headers].filter(([name]) => !own.has(name)) })
      // Ids of the request may be repeated in the response.
      .replaceAll(new RegExp(Object.values(ids).join("|"), "g"), never)
      .replaceAll(/"(took_ms|score)":[\d.]+/g, "")
  )
}

const ask = (method: string, path: string, body: unknown, headers: Record<string, string>) =>
  app.call(method, path, body, { ...headers, ...fromAnywhere() })

/** Digests of all rows of a workspace, except usage times and counts of credentials and the progress of webhooks. */
const rowsOf = async (workspace_id: string) => {
  const tables = await app.sql(
    `SELECT table_name AS name FROM information_schema.columns
    WHERE table_schema = 'public' AND column_name = 'workspace_id' AND table_name NOT IN ('key_request_counts', 'key_requests', 'request_days', 'webhook_cursors') ORDER BY 1`
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

describe("the data of another workspace", () => {
  it("is covered by the test for every resource", () => {
    for (const { hidden, path } of pairs)
      expect(hidden(), `${path} has a parameter that this test cannot fill`).not.toMatch(/[{}]/)
    expect(pairs.length).toBeGreaterThan(40)
    expect(syncedResources.map(({ synced }) => synced.type).toSorted()).toEqual(
      syncedTypes.map(({ type }) => type).toSorted()
    )
  })

  it("is accessible to its owner", async () => {
    const shown = pairs.filter(
      ({ isWithin, method, path }) => method === "GET" && !isWithin && !path.startsWith("/admin/")
    )
    const statuses = await Promise.all(
      shown.map(async ({ hidden: path }) => [
        path(),
        (await app.call("GET", path(), undefined, hidden.owner.headers)).status
      ])
    )
    expect(statuses).toEqual(shown.map(({ hidden: path }) => [path(), 200]))
  })

  it("is indistinguishable from missing data for strangers: status, body and headers", async () => {
    const before = await rowsOf(hidden.id)
    const found = await Promise.all(
      strangers.map(async ({ headers, instead, isLimited, status, title }) => {
        const faults: Array<string> = []
        for (const pair of pairs) {
          const { method } = pair
          const body = pair.body()
          const there = await ask(method, pair.hidden(), body, headers)
          const nowhere = await ask(method, pair.never(), body, instead ?? headers)
          const isExpected =
            there.status === status ||
            (isLimited === true && there.body.code === "insufficient_role") ||
            // Keys may not administer, and change no way to sign in.
            (/^\/(admin|me\/factors)\//.test(pair.path) && there.body.code === "insufficient_scope")
          if (!isExpected || seen(there) !== seen(nowhere)) {
            faults.push(`${method} ${pair.path} by ${title}: ${seen(there)} and ${seen(nowhere)}`)
          }
        }
        return faults
      })
    )
    expect(found.flat()).toEqual([])
    expect(await rowsOf(hidden.id)).toEqual(before)
  })

  it("causes the same statements as missing data", async () => {
    const [{ headers }] = strangers as [Stranger]
    let count = 0
    for (const pair of pairs) {
      const { method, path } = pair
      const body = pair.body()
      // The last credential used is cached, so each measured request follows the same one.
      await app.call(method, pair.never(), body, headers)
      const { statements: there } = await statementsOf(app, /./, () => app.call(method, pair.hidden(), body, headers))
      const { statements: nowhere } = await statementsOf(app, /./, () => app.call(method, pair.never(), body, headers))
      expect(there, `${method} ${path}`).toEqual(nowhere)
      count += there.length
    }
    expect(count).toBeGreaterThan(pairs.length)
  })

  it("cannot be referenced by a body member or parameter", async () => {
    const references = referencesOf(document)
    // A minimum: the references to notebooks, notes and merged tags.
    expect(references.length).toBeGreaterThan(20)
    const before = await rowsOf(hidden.id)
    const faults: Array<string> = []
    for (const { isList, name, operation, place, resource } of references) {
      const { prepare } = operations[operation]!
      const { body, method, path } = await prepare(team, team.owner, true)
      // Without other members for the same reference, which would take precedence.
      const others = references.filter(
        (each) => each.operation === operation && each.resource === resource && each.isList === isList
      )
      // A second push of the same entry would have another result.
      const given = operation === "pushChanges" ? { changes: [] } : (body ?? {})
      const rest = Object.entries(given).filter(([member]) => !others.some((each) => each.name === member))
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
        // The second request may create another version. Cursors for some notebooks are encrypted, so no two are the same.
        return seen(answer).replaceAll(/"version":\d+|:\d+\\"|"cursor":"~[^"]+"/g, "")
      }
      const id = ids[segmentOf(resource)]!
      const [there, nowhere] = [await ask(id), await ask(never(id))]
      if (there !== nowhere) faults.push(`${operation}, ${name}: ${there} and ${nowhere}`)
    }
    expect(faults).toEqual([])
    expect(await rowsOf(hidden.id)).toEqual(before)
  })

  it("cannot be found with a filter", async () => {
    for (const filter of ["/events?filter=resource_id=", "/notes?filter=notebook_id="]) {
      const id = ids[filter.startsWith("/events") ? "notes" : "notebooks"]!
      const [there, nowhere] = [await team.get(filter + id), await team.get(filter + never(id))]
      expect(there).toEqual(nowhere)
    }
  })

  it("appears in no list, search, pull, event, usage or audit entry of strangers", async () => {
    const pages = [
      ...(await Promise.all(wholes.map(({ path }) => team.at(path)))),
      "/notes?filter=archived:*",
      "/events?sort=occurred_at",
      "/search/suggest?q=zan"
    ]
    const all = new Set(Object.values(ids))
    const reveals = (text: string) => text.includes(mark) || [...all].some((id) => text.includes(id))
    const faults: Array<string> = []
    for (const { headers, instead, title } of strangers) {
      if (instead !== undefined) continue
      for (const path of pages) {
        const answer = await ask("GET", path, undefined, headers)
        if (reveals(answer.text)) faults.push(`${path} by ${title}: ${answer.text.slice(0, 300)}`)
      }
      const pull = await ask("POST", "/sync/pull", {}, headers)
      const search = await ask("POST", "/search", { query: mark.toLowerCase() }, headers)
      if (reveals(pull.text) || search.body.hits?.length > 0) faults.push(`search or pull by ${title}`)
    }
    expect(faults).toEqual([])
    // The same reads return it to its owner.
    const here = await app.call("POST", "/search", { query: mark }, hidden.owner.headers)
    // The note, and that of the task.
    expect(here.body.hits).toHaveLength(2)
    expect(reveals((await app.call("POST", "/sync/pull", {}, hidden.owner.headers)).text)).toBe(true)
  })

  it("counts only in its own usage", async () => {
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

  it("is not accessible with one of its cursors", async () => {
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

  it("is unchanged when its ids are pushed to another workspace, which creates its own records", async () => {
    const before = await rowsOf(hidden.id)
    const other = await Team.start(app)
    const push = (changes: ReadonlyArray<object>) => app.call("POST", "/sync/push", { changes }, other.owner.headers)
    const bodies = await Promise.all(syncedResources.map(({ body }) => body?.(other)))
    const changes = (of: (id: string) => string) =>
      syncedResources.map((resource, index) => {
        const { named, path } = resource
        const data: Record<string, unknown> = { ...bodies[index], ...(named === undefined ? {} : { [named]: "ours" }) }
        // References point to records that were pushed before.
        if ("notebook_id" in data) data["notebook_id"] = of(ids["notebooks"]!)
        if (path.includes("{note_id}")) data["note_id"] = of(ids["notes"]!)
        return { type: resource.synced.type, op: "upsert", id: of(ids[segmentOf(resource)]!), data }
      })
    // Edits and deletions of another workspace's records have the same results as those of records that never existed.
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

  it("appears on no stream and in no long poll of strangers", async () => {
    const listeners = strangers.filter(({ title }) => /^key of (owner|admin|editor|viewer)|elsewhere/.test(title))
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

  it("is consistent afterwards, as is the other workspace", async () => {
    await expectTruth({ ...app, workspace_id: hidden.id })
    await expectTruth({ ...app, workspace_id: team.id })
  })
})
