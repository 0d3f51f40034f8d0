import { Effect } from "effect"
import { beforeAll, describe, expect, it } from "vitest"
import { Database } from "../../../services/database/Database.ts"
import { noteTypes, resources } from "../../../services/Resources.ts"
import { Secrets } from "../../../services/secrets/Secrets.ts"
import { register, type Person } from "../../support/people/People.ts"
import { createPlanOf, nodesOf, type PlanNode } from "../../support/storage/StatementPlans.ts"
import { useApp } from "../../support/useApp.ts"

const { app } = useApp()
let person: Person
/** The secret of a key that reaches one notebook. */
let limitedSecret = ""

type Pool = "read" | "heavy" | "write"

interface Sent {
  readonly pool: Pool
  readonly text: string
}

/** The id of a seeded record. */
const ofSeed = (prefix: string, number: number): string => `${prefix}_${String(number).padStart(18, "0")}`

/** Adds one user's workspace and others, each with more of everything than a page shows. */
const seed = async () => {
  const { user_id, workspace_id } = person
  const at = `to_char(timestamp '2026-01-01' + g * interval '1 minute', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`
  const later = "'2027-01-01T00:00:00.000Z'"
  const id = (prefix: string, number = "g") => `'${prefix}_' || lpad((${number})::text, 18, '0')`
  const many = (count: number) => `generate_series(1, ${count}) g`
  const everywhere = (count: number) =>
    `(SELECT '${workspace_id}' AS w UNION ALL SELECT ${id("ws", "i")} FROM generate_series(1, 4) i) w, ${many(count)}`
  const { write } = await app.run(Effect.service(Database))
  const token = (await app.run(Effect.service(Secrets))).seal("share-token", "0123456789abcdefABCDEF")
  const insert = (into: string, values: string, from: string) =>
    write.unsafe(`INSERT INTO ${into} SELECT ${values} FROM ${from}`)
  await app.run(
    write.withTransaction(
      Effect.all([
        insert(
          "workspaces (workspace_id, name, slug, plan, seats, created_at)",
          `${id("ws")}, 'Other', 'other-' || g, 'team', 5, ${at}`,
          many(2000)
        ),
        insert("heads (workspace_id, seq, epoch, notes)", `${id("ws")}, 0, 'e', 0`, many(2000)),
        insert(
          "users (id, email, email_key, name, locale, timezone, created_at, workspace_id, is_operator)",
          `${id("us")}, g || '@x.test', g || '@x.test', 'Somebody', 'en', 'UTC', ${at}, ${id("ws")}, false`,
          many(2000)
        ),
        insert("members", `${id("ws")}, ${id("mb")}, ${id("us")}, 'owner', ${at}`, many(2000)),
        insert("members", `'${workspace_id}', ${id("mb", "g + 10000")}, ${id("us")}, 'editor', ${at}`, many(300)),
        insert("members", `${id("ws")}, ${id("mb", "g + 20000")}, '${user_id}', 'editor', ${at}`, many(300)),
        insert(
          "notebooks (workspace_id, id, name, name_key, note_count, revision, created_at, updated_at)",
          `w, ${id("nb")}, 'N' || g, 'n' || g, 0, 1, ${at}, ${at}`,
          everywhere(300)
        ),
        insert(
          "tags (workspace_id, id, name, name_key, note_count, revision, created_at)",
          `w, ${id("tg")}, 'T' || g, 't' || g, 0, 1, ${at}`,
          everywhere(500)
        ),
        insert(
          "webhooks (workspace_id, id, url, events, scopes, secret, active, created_at, updated_at)",
          `w, ${id("wh")}, 'https://example.com/' || g, '{*}', '{}', '', true, ${at}, ${at}`,
          everywhere(200)
        ),
        insert(
          "templates (workspace_id, id, name, body, revision, created_at, updated_at)",
          `w, ${id("tp")}, 'T' || g, 'body', 1, ${at}, ${at}`,
          everywhere(300)
        ),
        insert(
          `notes (workspace_id, id, notebook_id, title, body, tags, pinned, archived, version, word_count, created_at,
            updated_at, deleted_at)`,
          `w, ${id("nt")}, ${id("nb", "1 + g % 300")}, 'T' || g, repeat('b', 200), '{}', g % 100 = 0, g % 10 = 0, 1, 1,
            ${at}, ${at}, CASE WHEN g % 20 = 0 THEN ${at} END`,
          everywhere(5000)
        ),
        insert(
          "note_contents (workspace_id, note_id, version, body_hash, identity, anchors, has_paths)",
          `w, ${id("nt")}, 1, '', '', '{}', false`,
          everywhere(5000)
        ),
        insert(
          `note_links (workspace_id, id, note_id, kind, target, start_at, end_at, line, text, context, status, target_id, anchor, candidates)`,
          `w, ${id("lk")}, ${id("nt", "1 + g % 200")}, 'link', 'T', 0, 1, 1, 'T', 'T', CASE WHEN g % 10 = 0 THEN 'missing' ELSE 'resolved' END,
            CASE WHEN g % 10 > 0 THEN ${id("nt", "1 + g % 301")} END, '', '{}'`,
          everywhere(5000)
        ),
        insert(
          `note_tasks (workspace_id, id, note_id, notebook_id, archived, line, done, source, text, due, scheduled, start, completed, tags)`,
          `w, ${id("tk")}, ${id("nt", "1 + g % 200")}, ${id("nb", "1 + (1 + g % 200) % 50")}, (1 + g % 200) % 10 = 0, g, g % 3 = 0, 'T', 'T',
            CASE WHEN g % 4 = 0 THEN '~' ELSE to_char(date '2026-01-01' + g, 'YYYY-MM-DD') END, '~', '~', '~', '{}'`,
          everywhere(5000)
        ),
        insert(
          `attachments (workspace_id, id, note_id, filename, content_type, status, created_at, revision, trashed)`,
          `w, ${id("at")}, ${id("nt", "1 + g % 5000")}, 'F' || g, 'image/png', 'pending', ${at}, 1, g % 20 = 0`,
          everywhere(3000)
        ),
        insert(
          `comments (workspace_id, id, note_id, parent_id, author_id, body, resolved, deleted, created_at, updated_at,
            revision, trashed)`,
          `w, ${id("cm")}, ${id("nt", "1 + g % 100")}, NULL, '${user_id}', 'comment', false, false, ${at}, ${at}, 1, false`,
          everywhere(3000)
        ),
        insert(
          `reminders (workspace_id, id, note_id, remind_at, channel, done, user_id, created_at, updated_at, revision,
            trashed)`,
          `w, ${id("rm")}, ${id("nt", "1 + g % 5000")}, ${later}, 'push', g % 2 = 0, '${user_id}', ${at}, ${at}, 1, g % 20 = 0`,
          everywhere(3000)
        ),
        insert(
          `shares (workspace_id, id, note_id, token, token_hash, password_protected, created_at, revision)`,
          `w, ${id("sh")}, ${id("nt", "1 + g % 5000")}, '${token}', md5(w || g), false, ${at}, 1`,
          everywhere(3000)
        ),
        insert(
          `webhook_deliveries (workspace_id, id, webhook_id, event_id, event_type, resource_id, status, attempt, created_at, body)`,
          `w, ${id("dl")}, ${id("wh", "1 + g % 10")}, ${id("ev")}, 'note.created', ${id("nt")}, 'failed', 10, ${at}, '{}'`,
          everywhere(3000)
        ),
        insert(
          `exports (workspace_id, id, scope, format, status, include_attachments, error, expires_at, created_at)`,
          `w, ${id("ex")}, 'workspace', 'json', 'failed', true, 'It failed', ${later}, ${at}`,
          everywhere(300)
        ),
        insert(
          `imports (workspace_id, id, source, status, imported, errors, created_at, permille, ends_at)`,
          `w, ${id("im")}, 'enex', 'done', 100, '[]', ${at}, 1000, ${later}`,
          everywhere(300)
        ),
        insert(
          "change_sets (workspace_id, id, origin, size, created_at, updated_at)",
          `w, ${id("cs")}, 'header', 10, ${at}, ${at}`,
          everywhere(300)
        ),
        // Few workspaces would have most of the rows of a time: an order by time alone would cost about the same.
        insert(
          "change_sets (workspace_id, id, origin, size, created_at, updated_at)",
          `${id("ws")}, ${id("cs", "g + 10000")}, 'header', 10, ${at}, ${at}`,
          many(2000)
        ),
        insert(
          "change_set_changes (workspace_id, change_set_id, type, id, seq, revision, deleted, bytes)",
          `w, ${id("cs", "1 + g % 300")}, 'note', ${id("nt")}, g, 1, false, 500`,
          everywhere(3000)
        ),
        insert(
          "reverts (workspace_id, id, change_set_id, preview, status, records, reverted, merged, kept, progress, created_at)",
          `w, ${id("rv")}, ${id("cs")}, false, 'done', 10, 10, 0, 0, '', ${at}`,
          everywhere(300)
        ),
        insert(
          "note_originals (workspace_id, note_id, path, links)",
          `w, ${id("nt")}, 'Note ' || g || '.md', '[]'`,
          everywhere(3000)
        ),
        insert(
          "import_sources (workspace_id, note_id, import_id, key, content, version)",
          `w, ${id("nt")}, ${id("im", "1 + g % 300")}, md5('key' || g), md5('content' || g), 1`,
          everywhere(3000)
        ),
        insert("transfers", `w, ${id("ex")}, 0, 0, ${later}, ${at}`, everywhere(20)),
        insert("share_views", `w, ${id("sh")}, g`, everywhere(3000)),
        insert(
          "changes (workspace_id, seq, id, type, resource, resource_id, version, occurred_at, data)",
          `w, 1000 + g, ${id("ev")}, 'note.created', 'note', ${id("nt")}, 1, ${at}, '{}'`,
          everywhere(8000)
        ),
        insert(
          "audit_entries (workspace_id, id, action, resource_type, resource_id, metadata, occurred_at)",
          `w, 'al_zzz' || lpad(g::text, 16, '0'), 'api_key.created', 'api_key', 'x', '{}', ${at}`,
          everywhere(5000)
        ),
        insert(
          "api_keys (id, workspace_id, user_id, name, prefix, secret_hash, scopes, created_at)",
          `${id("ak")}, w, '${user_id}', 'K', 'p', md5(w || g), '{}', ${at}`,
          everywhere(300)
        ),
        insert(
          `invitations (workspace_id, id, email, email_key, role, token_hash, open, expires_at, invited_by, created_at)`,
          `w, ${id("iv")}, g || '@i.test', g || '@i.test', 'editor', md5(w || g), true, ${later}, '${user_id}', ${at}`,
          everywhere(300)
        ),
        insert(
          "devices (workspace_id, id, user_id, credential_id, name, platform, last_sync_at, created_at)",
          `w, ${id("sy")}, '${user_id}', 'c', 'D', 'ios', '2026-02-28T00:00:00.000Z', ${at}`,
          everywhere(300)
        ),
        insert(
          `sessions (workspace_id, id, user_id, device_id, device_name, platform, access_hash, access_expires_at,
            last_active_at, authenticated_at, created_at, expires_at)`,
          `'${workspace_id}', ${id("se")}, '${user_id}', ${id("sy")}, 'D', 'ios', md5('s' || g), ${later}, ${at}, ${at}, ${at}, ${later}`,
          many(300)
        ),
        insert(
          `sessions (workspace_id, id, user_id, device_name, platform, app, access_hash, access_expires_at,
            last_active_at, authenticated_at, created_at, expires_at)`,
          `'${workspace_id}', 'se_' || lpad((g + 1000)::text, 18, '0'), '${user_id}', 'A', 'app', json_build_object('client_id', 'c', 'scopes', '[]'::json, 'workspace_id', '${workspace_id}'), md5('a' || g), ${later}, ${at}, ${at}, ${at}, ${later}`,
          many(100)
        ),
        insert(
          "user_identities (workspace_id, id, user_id, issuer, subject, created_at)",
          `'${workspace_id}', ${id("ui")}, '${user_id}', 'https://login.example.org', g, ${at}`,
          many(300)
        ),
        insert(
          "factors (workspace_id, id, user_id, kind, name, secret, transports, created_at)",
          `'${workspace_id}', ${id("fa")}, '${user_id}', 'totp', 'App ' || g, '', '{}', ${at}`,
          many(300)
        ),
        write.unsafe(createPlanOf())
      ])
    )
  )
}

/** The statements of some kind that the App sends while work is done, each with the pool that it goes to. */
const sentBy = async (kind: RegExp, work: () => Promise<unknown>): Promise<ReadonlyArray<Sent>> => {
  const database: any = await app.run(Effect.service(Database))
  const { use } = database.heavy
  const { whole, write } = database
  const clients = [
    { pool: "read" as const, client: whole, unsafe: whole.unsafe },
    { pool: "write" as const, client: write, unsafe: write.unsafe }
  ]
  const sent: Array<Sent> = []
  const send = (pool: Pool, text: string): void => void (kind.test(text) && sent.push({ pool, text }))
  for (const { client, pool, unsafe } of clients) {
    client.unsafe = (text: string, ...rest: ReadonlyArray<unknown>) => (send(pool, text), unsafe(text, ...rest))
  }
  database.heavy.use = (work: (connection: unknown) => unknown) =>
    use((connection: any) => {
      const query = (text: string, ...rest: ReadonlyArray<unknown>) => (
        send("heavy", text),
        connection.query(text, ...rest)
      )
      return work(Object.create(connection, { query: { value: query } }))
    })
  try {
    await work()
  } finally {
    for (const { client, unsafe } of clients) client.unsafe = unsafe
    database.heavy.use = use
  }
  return sent
}

/** The plan that the pool has for the statement. */
const planOf = async ({ pool, text }: Sent): Promise<ReadonlyArray<PlanNode>> => {
  const database = await app.run(Effect.service(Database))
  const asked = "SELECT plan_of($1) AS plan"
  const [row] = await app.run(
    pool === "heavy"
      ? Effect.map(
          database.heavy.use((connection) => connection.query(asked, [text])),
          ({ rows }) => rows
        )
      : database[pool].unsafe(asked, [text])
  )
  return nodesOf((row as { readonly plan: PlanNode }).plan)
}

/** Whether a node scans a whole table or a whole index: both have the rows of all workspaces. */
const isWide = (node: PlanNode): boolean =>
  node["Node Type"] === "Seq Scan" || (node["Index Name"] !== undefined && !/id = /.test(node["Index Cond"] ?? ""))

const described = (node: PlanNode): string =>
  `${node["Node Type"]} ${node["Index Name"] ?? node["Relation Name"] ?? ""} ${node["Index Cond"] ?? ""}`

const isSort = (node: PlanNode): boolean =>
  node["Node Type"] === "Sort" ||
  // A seq is unique, so each group that is sorted has one row.
  (node["Node Type"] === "Incremental Sort" && node["Presorted Key"]?.includes("changes.seq") !== true)

beforeAll(async () => {
  person = await register(app)
  const [inbox] = (await get("/notebooks")).data
  const notebooks = [{ id: inbox.id, access: "read", include_subnotebooks: true }]
  limitedSecret = (await app.call("POST", "/api-keys", { name: "limited", notebooks }, person.headers)).body.secret
  // The plan includes comments.
  await app.sql("UPDATE workspaces SET plan = 'team' WHERE workspace_id = $1", [person.workspace_id])
  await seed()
  const { write } = await app.run(Effect.service(Database))
  await app.run(
    write.unsafe(
      "INSERT INTO webhook_cursors (workspace_id, webhook_id, position) SELECT workspace_id, id, 0 FROM webhooks"
    )
  )
})

const get = async (path: string) => {
  const { body, status, text } = await app.call("GET", path, undefined, person.headers)
  expect(status, text).toBe(200)
  return body
}

/** Each list in each order that it offers: the response to an unknown order lists them. */
const orders = async (): Promise<ReadonlyArray<string>> => {
  const { paths } = (await app.call("GET", "/openapi.json")).body
  const found: Array<string> = []
  for (const [template, { get: operation }] of Object.entries<any>(paths)) {
    if (operation?.parameters?.some(({ name }: any) => name === "sort") !== true) continue
    const path = template
      .replace("{workspace_id}", person.workspace_id)
      .replace("/notes/{id}", `/notes/${ofSeed("nt", 1)}`)
      .replace("{id}", ofSeed("wh", 1))
      .replace("{note_id}", ofSeed("nt", 1))
    const { body } = await app.call("GET", `${path}?sort=nonsense`, undefined, person.headers)
    if (body.code !== "invalid_sort") continue
    // Properties have a test of their own: they are read in two statements.
    const fields = body.allowed_fields.filter((field: string) => !field.startsWith("properties."))
    for (const field of fields) found.push(`${path}?sort=${field}`, `${path}?sort=-${field}`)
  }
  return found
}

const page = /ORDER BY[\s\S]* LIMIT /

/** The statements of a list's first page and of the one after it. */
const pagesOf = async (list: string): Promise<ReadonlyArray<Sent>> => {
  let cursor: string
  const first = await sentBy(page, async () => {
    cursor = (await get(`${list}&limit=5`)).next_cursor
  })
  const next = await sentBy(page, () => get(`${list}&limit=5&cursor=${cursor}`))
  expect([first.length, next.length], list).toEqual([1, 1])
  return [...first, ...next]
}

/**
 * Orders without an index: all rows are sorted, but they are few. The quotas and limits of docs/limits.md bound them;
 * members and invitations are as many as users of a workspace, workspaces and sessions as many as one user has.
 */
const few: Readonly<Record<string, ReadonlyArray<string>>> = {
  // Many, and sorted in turn: an index for each costs every write of a note.
  notes: ["pinned", "version", "word_count"],
  summaries: ["pinned", "version", "word_count"],
  // Many, and sorted in turn. Those of a note are few.
  tasks: ["note_id", "line"],
  // 2 000 and 10 000: an index on counts that change with each note costs more than it saves.
  notebooks: ["note_count", "created_at", "updated_at"],
  tags: ["note_count", "created_at"],
  // 1 000.
  templates: ["created_at", "updated_at"],
  // 27 and 142.
  exports: ["status"],
  imports: ["status"],
  // 20 of a user.
  factors: ["created_at", "name"],
  // 200, and 100 of a user.
  webhooks: ["created_at", "name", "url", "last_used_at"],
  "api-keys": ["created_at", "name", "last_used_at"],
  devices: ["created_at", "name", "last_sync_at", "last_used_at"],
  sessions: ["created_at", "name", "last_used_at"],
  // 100.
  "connected-apps": ["created_at", "name", "last_active_at"],
  // 20.
  identities: ["created_at"],
  members: ["created_at", "email", "role"],
  invitations: ["created_at", "email", "role", "status"],
  workspaces: ["created_at", "name"]
}

const isFew = (list: string): boolean => {
  const [, resource, sort] = /\/([\w-]+)\?.*sort=-?(\w+)$/.exec(list)!
  return few[resource!]?.includes(sort!) === true
}

const inTrash = `/notes?filter=${encodeURIComponent("deleted_at:*")}&sort=-deleted_at`

describe.each(["before PostgreSQL has any statistics", "with statistics"])("%s", (when) => {
  beforeAll(async () => {
    const { write } = await app.run(Effect.service(Database))
    if (when === "with statistics") await app.run(write.unsafe("ANALYZE"))
  })

  it("looks up a page of any list, in any order, by its owner", async () => {
    const lists = [...(await orders()), inTrash]
    expect(new Set(lists.map((list) => list.split("?")[0])).size).toBe(28)
    const wide: Array<string> = []
    for (const list of lists) {
      for (const sent of await pagesOf(list)) {
        for (const node of await planOf(sent)) if (isWide(node)) wide.push(`${list}: ${described(node)}`)
      }
    }
    expect(wide).toEqual([])
  })

  it("reads a page of any list, in any order that it offers, in index order without a sort", async () => {
    const sorted: Array<string> = []
    for (const list of [...(await orders()), inTrash, `${inTrash.replace("-deleted_at", "deleted_at")}`]) {
      if (isFew(list)) continue
      for (const sent of await pagesOf(list)) {
        const plan = await planOf(sent)
        for (const node of plan) if (isSort(node)) sorted.push(`${list}: ${described(node)}`)
      }
    }
    expect(sorted).toEqual([])
  })

  it.each(["", "&filter=archived=true", "&filter=pinned=false"])(
    "reads notes in index order without a sort, also with %j",
    async (filter) => {
      for (const list of await orders()) {
        if (!list.startsWith("/notes?") || isFew(list)) continue
        for (const sent of await pagesOf(`${list}${filter}`)) {
          expect((await planOf(sent)).filter((node) => isSort(node) || isWide(node)).map(described), list).toEqual([])
        }
      }
    }
  )

  it("reads notes in the order of a property by its index, and few notes with a value by their ids", async () => {
    await app.sql(
      `INSERT INTO note_contents (workspace_id, note_id, version, body_hash, identity, anchors, has_paths)
        SELECT workspace_id, id, 1, '', '', '{}', false FROM notes ON CONFLICT DO NOTHING RETURNING 1`
    )
    await app.sql(
      `INSERT INTO note_properties (workspace_id, name_key, note_id, ordinal, name, type, value, text, is_list)
        SELECT workspace_id, name, id, 0, name, 'text', '4' || right(id, 3), '', false
        FROM notes, unnest(ARRAY['due', 'done', 'rare']) AS name WHERE name <> 'rare' OR right(id, 3) < '002'
        ON CONFLICT DO NOTHING RETURNING 1`
    )
    const plansOf = async (query: string) => {
      const sent = await sentBy(/note_properties/, () => get(`/notes?limit=5&${query}`))
      return Promise.all(sent.map(planOf))
    }
    for (const sort of ["properties.due", "-properties.due", "properties.rare", "-properties.rare"]) {
      const plans = await plansOf(`sort=${sort}`)
      expect(plans).toHaveLength(sort.endsWith("due") ? 1 : 2)
      for (const plan of plans) {
        expect(plan.filter((node) => isSort(node) || isWide(node)).map(described), sort).toEqual([])
      }
      expect(plans[0]!.map(described).join()).toMatch(/note_properties_value .*name_key = /)
    }
    for (const filter of ["=7", "<7", "=2026-12-01", ":*", " IN (7, x)"]) {
      const [counted, read] = await plansOf(`filter=${encodeURIComponent(`properties.due${filter}`)}`)
      expect(counted!.map(described).join(), filter).toMatch(
        /^[^S]+Index Only Scan note_properties_value .*name_key = .*value /
      )
      expect([...counted!, ...read!].filter(isWide).map(described), filter).toEqual([])
    }
    const [, read] = await plansOf("filter=properties.rare:*")
    expect(read!.map(described).join(" | ")).toMatch(/Index Scan notes_\w+ .*id = ANY/)
  })

  it("looks up the notes of a notebook by notebook, in the order of the list", async () => {
    const [{ id }] = await app.sql(
      "SELECT notebook_id AS id FROM notes WHERE workspace_id = $1 AND deleted_at IS NULL AND NOT archived GROUP BY 1 ORDER BY count(*) DESC LIMIT 1",
      [person.workspace_id]
    )
    const list = `/notes?filter=${encodeURIComponent(`notebook_id=${id}`)}`
    for (const sort of ["-updated_at", "updated_at"]) {
      for (const sent of await pagesOf(`${list}&sort=${sort}`)) {
        const plan = await planOf(sent)
        expect(plan.filter(isSort).map(described), sort).toEqual([])
        // One for pinned notes, and one for the others.
        const indexes = plan.map(described).filter((node) => node.startsWith("Index"))
        expect(indexes.length).toBeGreaterThan(0)
        for (const index of indexes) expect(index).toMatch(/notes_of_notebook.*notebook_id = /)
      }
    }
  })

  it.each([
    ["/links", `filter=note_id=${ofSeed("nt", 1)}`, /note_links_from .*note_id = /],
    ["/links", `filter=target_id=${ofSeed("nt", 1)}`, /note_links_to .*target_id = /],
    [`/notes/${ofSeed("nt", 1)}/links`, "direction=out", /note_links_from .*note_id = /],
    [`/notes/${ofSeed("nt", 11)}/links`, "direction=broken", /note_links_from .*note_id = /],
    ["/links", "filter=status=missing", /note_links_status .*status = /],
    ["/links", "filter=broken=true", /note_links_broken /],
    [`/tasks`, `filter=note_id=${ofSeed("nt", 1)}`, /note_tasks_of_note .*note_id = /],
    ["/tasks", "filter=done=false AND due<2027-01-01", /note_tasks_due .*done = .*due < /],
    [
      "/tasks",
      `filter=done=false AND notebook_id=${ofSeed("nb", 2)}`,
      /note_tasks_of_notebook .*notebook_id = .*done = /
    ],
    ["/tasks", `filter=archived=true AND notebook_id=${ofSeed("nb", 1)}`, /note_tasks_of_notebook .*notebook_id = /]
  ])("looks up %s with %s by an index, in its order unless they are those of a note", async (path, query, index) => {
    const isOfNote = query.startsWith("filter=note_id=")
    for (const sent of await pagesOf(`${path}?${encodeURI(query)}`)) {
      const plan = await planOf(sent)
      expect(plan.filter((node) => isWide(node) || (isSort(node) && !isOfNote)).map(described)).toEqual([])
      const rows = plan.map(described).filter((node) => /note_(links|tasks)_|note_(links|tasks)_pkey/.test(node))
      expect(rows.length).toBeGreaterThan(0)
      for (const each of rows) expect(each).toMatch(index)
    }
  })

  it("looks up the neighbours of a note, and the notes that link to it, by the ids of links and notes", async () => {
    const path = `/notes/${ofSeed("nt", 1)}`
    const all = await sentBy(/note_links/, async () => {
      await get(`${path}/neighbours?depth=2`)
      expect((await app.call("PATCH", path, { links: "keep" }, person.headers)).status).toBe(200)
    })
    const sent = all.filter(({ text }) => /DISTINCT (l\.id|target)\b/.test(text))
    const found = await Promise.all(
      sent.map(async (each) => (await planOf(each)).map(described).filter((node) => node.includes("Index Scan")))
    )
    expect(found.map(({ length }) => length)).toEqual([3, 3, 2])
    for (const index of found.flat())
      expect(index).toMatch(/(note_links_from|note_links_to|notes_pkey) .* AND \((note_id|target_id|id) = /)
  })

  const parts = noteTypes.filter((type) => type !== "note" && type !== "comment")
  it.each(parts.map((type) => `/${resources[type].counter}`))(
    "looks up %s of a note by note, in any order",
    async (path) => {
      const [{ id }] = await app.sql(
        `SELECT note_id AS id FROM ${path.slice(1)} WHERE workspace_id = $1 GROUP BY 1 ORDER BY count(*) DESC LIMIT 1`,
        [person.workspace_id]
      )
      for (const list of (await orders()).filter((each) => each.startsWith(`${path}?`))) {
        const [sent] = await sentBy(page, () => get(`${list}&filter=${encodeURIComponent(`note_id=${id}`)}`))
        const indexes = (await planOf(sent!)).map(described).filter((node) => /_of_note/.test(node))
        expect(indexes, list).toEqual([expect.stringMatching(/note_id = /)])
      }
    }
  )

  it("reads the activity of a note in the order of an index", async () => {
    const [note] = (await get("/notes?limit=1")).data
    for (const body of ["1", "2", "3", "4", "5", "6"]) {
      await app.call("PATCH", `/notes/${note.id}`, { body }, person.headers)
    }
    for (const sent of await pagesOf(`/notes/${note.id}/activity?`)) {
      const plan = await planOf(sent)
      expect(plan.filter((node) => isSort(node) || isWide(node)).map(described)).toEqual([])
      const indexes = plan.map(described).filter((node) => node.includes(" changes_"))
      expect(indexes).toEqual([expect.stringMatching(/changes_of_note/), expect.stringMatching(/changes_of_conflict/)])
    }
  })

  it("reads the events of a limited credential by their seqs, which it finds by note and by notebook", async () => {
    const headers = { authorization: `Bearer ${limitedSecret}` }
    // The log is longer than the entries that are near.
    await app.sql("UPDATE heads SET seq = seq + 10000 WHERE workspace_id = $1", [person.workspace_id])
    for (const sort of ["occurred_at", "-occurred_at"]) {
      const sent = await sentBy(/events[\s\S]* LIMIT /, async () => {
        const listed = await app.call("GET", `/events?sort=${sort}`, undefined, headers)
        expect(listed.status, listed.text).toBe(200)
      })
      const [near, own, ...others] = await Promise.all(sent.map(planOf))
      expect(others).toEqual([])
      expect([...near!, ...own!].filter(isWide).map(described)).toEqual([])
      const indexes = (plan: ReadonlyArray<PlanNode>) => plan.map(described).filter((node) => / changes_/.test(node))
      expect(indexes(near!)).toEqual([expect.stringMatching(/changes_pkey .*seq >= .*seq <= /)])
      expect(indexes(own!).toSorted()).toEqual([
        expect.stringMatching(/^Index Only Scan changes_of_note .*note_id = /),
        expect.stringMatching(/^Index Only Scan changes_of_note .*note_id = /),
        expect.stringMatching(/changes_of_notebook .*resource_id = /),
        expect.stringMatching(/changes_pkey .*seq = ANY/)
      ])
    }
  })

  it("looks up a pull by workspace, including deleted records", async () => {
    const sent = await sentBy(/FROM records/, async () => {
      const pulled = await app.call("POST", "/sync/pull", {}, person.headers)
      expect(pulled.status, pulled.text).toBeLessThan(300)
    })
    expect(sent.length).toBeGreaterThan(0)
    for (const each of sent) expect((await planOf(each)).filter(isWide).map(described)).toEqual([])
  })

  it("looks up what it writes of the contents of changed notes, by workspace", async () => {
    const [{ id: notebook_id }] = (await get("/notebooks?limit=1")).data
    const sent = await sentBy(/note_contents|note_links|note_tasks|former_names|content_places/, async () => {
      const note = { notebook_id, title: `${when} one`, body: `- [ ] see [[${when} other]]` }
      const created = await app.call("POST", "/notes", note, person.headers)
      await get("/tasks?limit=1")
      const renamed = await app.call("PATCH", `/notes/${created.body.id}`, { title: `${when} other` }, person.headers)
      expect(renamed.status, renamed.text).toBe(200)
      expect((await get(`/notes/${created.body.id}/links`)).data).toHaveLength(1)
    })
    expect(sent.some(({ text }) => text.includes("UPDATE note_links"))).toBe(true)
    for (const each of sent) expect((await planOf(each)).filter(isWide).map(described), each.text).toEqual([])
  })

  it("looks up only the workspaces of a commit, however many there are", async () => {
    const [notebook] = (await get("/notebooks?limit=1")).data
    const sent = await sentBy(/^WITH input AS/, async () => {
      const created = await app.call("POST", "/notes", { notebook_id: notebook.id, title: "New" }, person.headers)
      expect(created.status, created.text).toBe(201)
    })
    expect(sent.length).toBeGreaterThan(0)
    for (const each of sent) expect((await planOf(each)).filter(isWide).map(described)).toEqual([])
  })
})
