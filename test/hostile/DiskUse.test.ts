import { randomBytes } from "node:crypto"
import { beforeAll, describe, expect, it } from "vitest"
import { eventually } from "../support/flows/eventually.ts"
import { useApp } from "../support/useApp.ts"

const { app, given } = useApp()
let notebook_id: string

beforeAll(async () => {
  notebook_id = (await given("GET", "/notebooks")).data[0].id
})

/** A text that compression cannot reduce much. */
const noise = (length: number) => randomBytes(length).toString("base64").slice(0, length)

const keyBytes = async () =>
  Number(
    (
      await app.sql("SELECT sum(octet_length(coalesce(result, '') || coalesce(answer, ''))) AS n FROM idempotency_keys")
    )[0].n ?? 0
  )

describe("responses that are stored with an Idempotency-Key", () => {
  let note: any

  beforeAll(async () => {
    note = await given("POST", "/notes", { notebook_id, title: "Large", body: noise(100_000) })
    note = await given("PATCH", `/notes/${note.id}`, { body: noise(100_000) })
  })

  it("store only ids for conflicting pushes", async () => {
    const before = await keyBytes()
    const changes = Array.from({ length: 14 }, (_, n) => ({
      type: "note",
      op: "upsert",
      id: note.id,
      revision: 1,
      data: { title: `Mine ${n}` }
    }))
    for (let n = 0; n < 12; n++) {
      const first = await app.call("POST", "/sync/push", { changes }, { "idempotency-key": `conflict-${n}` })
      expect(first.status).toBe(201)
      expect(first.text.length).toBeGreaterThan(14 * 200_000)
      if (n > 0) continue
      const again = await app.call("POST", "/sync/push", { changes }, { "idempotency-key": `conflict-${n}` })
      expect(again.headers.get("idempotent-replayed")).toBe("true")
      expect(again.text === first.text).toBe(true)
    }
    expect((await keyBytes()) - before).toBeLessThan(12 * 2_000)
  })

  it("store at most the title for actions on a large note", async () => {
    await given("POST", `/notes/${note.id}/archive`)
    const before = await keyBytes()
    for (let n = 0; n < 5; n++) {
      const first = await app.call("POST", `/notes/${note.id}/archive`, undefined, {
        "idempotency-key": `archive-${n}`
      })
      const again = await app.call("POST", `/notes/${note.id}/archive`, undefined, {
        "idempotency-key": `archive-${n}`
      })
      expect([first.status, again.status, again.text === first.text]).toEqual([200, 200, true])
    }
    expect((await keyBytes()) - before).toBeLessThan(5 * 2_000)
  })

  it("store only ids for a created note, template or comment with a large text", async () => {
    const before = await keyBytes()
    const version = await given("GET", `/notes/${note.id}`).then(({ version }) => version)
    const template = await given("POST", "/templates", { name: "Large", body: noise(100_000) })
    const requests = [
      ["/notes", { notebook_id, title: "Made", body: noise(100_000) }],
      [`/notes/${note.id}/duplicate`, {}],
      [`/notes/${note.id}/restore`, {}],
      [`/notes/${note.id}/versions/1/restore`, {}],
      [`/notes/${note.id}/versions/${version}/restore`, {}],
      ["/templates", { name: "Made", body: noise(100_000) }],
      [`/templates/${template.id}/apply`, { title: "Applied" }],
      [`/notes/${note.id}/comments`, { body: noise(4_000) }],
      ["/sync/push", { changes: [{ type: "template", op: "upsert", data: { name: "Pushed", body: noise(100_000) } }] }],
      [
        "/sync/push",
        { changes: [{ type: "note", op: "upsert", data: { notebook_id, title: "P", body: noise(100_000) } }] }
      ]
    ] as const
    for (const [index, [path, body]] of requests.entries()) {
      const headers = { "idempotency-key": `made-${index}` }
      const first = await app.call("POST", path, body, headers)
      const again = await app.call("POST", path, body, headers)
      expect([path, first.status < 300, again.status, again.text === first.text]).toEqual([
        path,
        true,
        first.status,
        true
      ])
      expect(again.headers.get("idempotent-replayed")).toBe("true")
    }
    expect((await keyBytes()) - before).toBeLessThan(requests.length * 2_000)
  })

  it("store at most 64 KiB for a push of 500 entries, and are repeated unchanged", async () => {
    const before = await keyBytes()
    const changes = Array.from({ length: 500 }, (_, n) =>
      n % 2 === 0
        ? { mutation_id: `${n}-${"m".repeat(200)}`, type: "tag", op: "upsert", data: { name: `t${n}` } }
        : { type: "note", op: "upsert", data: { title: "x", notebook_id: `$${noise(2_000)}` } }
    )
    const first = await app.call("POST", "/sync/push", { changes }, { "idempotency-key": "many" })
    expect(first.body.results.map(({ status }: any) => status)).toEqual(
      changes.map((_, n) => (n % 2 === 0 ? "applied" : "rejected"))
    )
    const again = await app.call("POST", "/sync/push", { changes }, { "idempotency-key": "many" })
    const withoutIds = ({ body: { results, ...rest } }: any) => ({
      ...rest,
      results: results.map(({ error, ...result }: any) => ({ ...result, detail: error?.detail }))
    })
    expect(withoutIds(again)).toEqual(withoutIds(first))
    expect((await keyBytes()) - before).toBeLessThan(64 * 1024)
  })

  it("are not stored when they contain a long list of errors; the request runs again", async () => {
    const before = await keyBytes()
    const unknown = Object.fromEntries(Array.from({ length: 9_000 }, () => [`field${noise(20)}`, 1]))
    const headers = { "idempotency-key": "faults", prefer: "handling=strict" }
    const body = { notebook_id, title: "Strict", ...unknown }
    const first = await app.call("POST", "/notes", body, headers)
    const again = await app.call("POST", "/notes", body, headers)
    expect([first.status, again.status]).toEqual([422, 422])
    expect((await keyBytes()) - before).toBeLessThan(2_000)
  })
})

describe("webhook deliveries", () => {
  it("store no copy of a large note each, and still send and return its body", async () => {
    const hooks: Array<string> = []
    for (let n = 0; n < 20; n++) {
      hooks.push((await given("POST", "/webhooks", { url: `https://none.example/${n}`, events: ["note.*"] })).id)
    }
    const text = noise(100_000)
    const note = await given("POST", "/notes", { notebook_id, title: "Told", body: text })
    for (let n = 0; n < 4; n++) await given("PATCH", `/notes/${note.id}`, { pinned: n % 2 === 0 })
    const stored = async () =>
      (
        await app.sql(
          "SELECT count(*)::int AS count, sum(octet_length(d::text))::int AS bytes FROM webhook_deliveries d"
        )
      )[0]
    // Each event has one failed and one waiting attempt.
    await eventually("all deliveries are stored", async () => (await stored()).count === 20 * 5 * 2)
    expect((await stored()).bytes).toBeLessThan(20 * 5 * 2 * 1_000)

    const { data } = await given("GET", `/webhooks/${hooks[0]}/deliveries?filter=status=failed&sort=created_at`)
    expect(data).toHaveLength(5)
    for (const { event_id, request } of data) {
      expect(Buffer.byteLength(request.body)).toBe(16 * 1024)
      expect(request.body).toContain(event_id)
      expect(request.body).toContain(text.slice(0, 10_000))
    }
    await app.call("DELETE", `/notes/${note.id}?permanent=true`)
    const erased = (await given("GET", `/webhooks/${hooks[0]}/deliveries?filter=event_type=note.created`)).data
    for (const { request } of erased) if (request !== null) expect(JSON.parse(request.body).data.resource).toBe(null)
    for (const id of hooks) await given("DELETE", `/webhooks/${id}`)
  })
})
