import { Effect, Redacted } from "effect"
import { createHash } from "node:crypto"
import { connect } from "node:net"
import { beforeAll, describe, expect, it } from "vitest"
import { Notes } from "../../../services/notes/Notes.ts"
import { Principal } from "../../../services/Principal.ts"
import { CurrentAttempt, IdempotencyKeys } from "../../../services/writer/IdempotencyKeys.ts"
import { Database } from "../../../services/database/Database.ts"
import { Secrets } from "../../../services/secrets/Secrets.ts"
import { ProcessLock } from "../../../services/database/ProcessLock.ts"
import { eventually } from "../../support/flows/eventually.ts"
import { request } from "../../support/RawHttp.ts"
import { startApp, type TestApp } from "../../support/TestApp.ts"
import { useApp } from "../../support/useApp.ts"

const { app } = useApp()
let inbox: string

beforeAll(async () => {
  inbox = (await app.call("GET", "/notebooks")).body.data[0].id
})

const note = (title: string, more: object = {}) => ({ notebook_id: inbox, title, body: `body of ${title}`, ...more })
const under = (key: string) => ({ "idempotency-key": key })
/** Sends a request and closes the connection after some milliseconds, whether or not a response came. */
const hangUp = (body: object, key: string, millis: number) => {
  const { host, hostname, port } = new URL(app.url)
  const bytes = request(
    "POST /v2/notes",
    { host, authorization: `Bearer ${app.key}`, "content-type": "application/json", "idempotency-key": key },
    JSON.stringify(body)
  )
  return new Promise<void>((resolve) => {
    const socket = connect(Number(port), hostname, () => {
      socket.write(bytes)
      setTimeout(() => socket.destroy(), millis)
    })
    socket.on("close", () => resolve())
  })
}
const titled = async (title: string) =>
  (await app.sql("SELECT id FROM notes WHERE workspace_id = $1 AND title = $2", [app.workspace_id, title])).length

describe("POST with an Idempotency-Key", () => {
  it("runs once, and returns the stored response again", async () => {
    const before = await app.seq()
    const first = await app.call("POST", "/notes", note("once"), under("k-once"))
    const again = await app.call("POST", "/notes", note("once"), under("k-once"))
    expect(first.status).toBe(201)
    expect(first.headers.get("idempotent-replayed")).toBe(null)
    expect(again).toMatchObject({ status: 201, text: first.text })
    expect(again.headers.get("idempotent-replayed")).toBe("true")
    expect(again.headers.get("etag")).toBe(first.headers.get("etag"))
    expect((await app.changesAfter(before)).map(({ type }) => type)).toEqual(["note.created"])
  })

  it("runs once, and returns the stored response again, for the first push of a device", async () => {
    const push = {
      device: { id: "sy_made-by-a-client-000001" },
      changes: [{ type: "note", op: "upsert", data: note("of a device") }]
    }
    const first = await app.call("POST", "/sync/push", push, under("k-device"))
    expect(first).toMatchObject({ status: 201, body: { results: [{ status: "applied" }] } })
    const again = await app.call("POST", "/sync/push", push, under("k-device"))
    expect(again).toMatchObject({ status: 201, text: first.text })
    expect(await titled("of a device")).toBe(1)
  })

  it("returns the secret of a rotated key again, even if If-Match contains the key's earlier ETag", async () => {
    const made = (await app.call("POST", "/api-keys", { name: "rotated" })).body
    const etag = (await app.call("GET", `/api-keys/${made.id}`)).headers.get("etag")!
    const headers = { ...under("k-rotate"), "if-match": etag }
    const first = await app.call("POST", `/api-keys/${made.id}/rotate`, undefined, headers)
    expect(first).toMatchObject({ status: 200, body: { secret: expect.stringMatching(/^sfk_/) } })
    const again = await app.call("POST", `/api-keys/${made.id}/rotate`, undefined, headers)
    expect(again).toMatchObject({ status: 200, body: { secret: first.body.secret } })
    const other = await app.call("POST", `/api-keys/${made.id}/rotate`, undefined, { "if-match": etag })
    expect(other.status).toBe(412)
  })

  it("returns the stored response while the secret key of the service is replaced", async () => {
    const key = (byte: number) => Redacted.make(new Uint8Array(32).fill(byte))
    const one = await startApp({ settings: { secretKey: key(7) } })
    const [{ id: notebook_id }] = (await one.call("GET", "/notebooks")).body.data
    const first = await one.call("POST", "/notes", note("before", { notebook_id }), under("k-changes"))
    const two = await startApp({ databaseOf: one, settings: { secretKey: key(8), secretKeyPrevious: key(7) } })
    const again = await two.call("POST", "/notes", note("before", { notebook_id }), under("k-changes"))
    expect(again).toMatchObject({ status: 201, text: first.text })
    const other = await two.call("POST", "/notes", note("other", { notebook_id }), under("k-changes"))
    expect(other).toMatchObject({ status: 422, body: { code: "idempotency_key_reused" } })
    await two.stop()
    // The stored response is still encrypted with the old key.
    const three = await startApp({ databaseOf: one, settings: { secretKey: key(8) } })
    const last = await three.call("POST", "/notes", note("before", { notebook_id }), under("k-changes"))
    expect(last).toMatchObject({ status: 422, body: { code: "idempotency_key_reused" } })
    await three.stop()
    await one.stop()
  })

  it("returns the stored response after the note has changed", async () => {
    const first = await app.call("POST", "/notes", note("early"), under("k-early"))
    await app.call("PATCH", `/notes/${first.body.id}`, { title: "late" })
    expect((await app.call("POST", "/notes", note("early"), under("k-early"))).body).toEqual(first.body)
  })

  it("returns the records of a push as stored, or current if they have no history, and writes nothing", async () => {
    const push = {
      changes: [
        { type: "note", op: "upsert", client_ref: "n", data: note("pushed early") },
        { mutation_id: "t-1", type: "template", op: "upsert", data: { name: "early", body: "text" } },
        { type: "tag", op: "upsert", data: { name: "early" } },
        { type: "tag", op: "upsert", data: { name: "early-too" } }
      ]
    }
    const first = await app.call("POST", "/sync/push", push, under("k-moved"))
    const [made, template, tag, deleted] = first.body.changes
    await app.call("PATCH", `/notes/${made.id}`, { body: "late", title: "late" })
    await app.call("PATCH", `/templates/${template.id}`, { name: "late" })
    await app.call("DELETE", `/tags/${deleted.id}`)
    const before = await app.seq()
    const again = await app.call("POST", "/sync/push", push, under("k-moved"))
    expect(again.headers.get("idempotent-replayed")).toBe("true")
    expect(again.body).toEqual({
      ...first.body,
      changes: [
        made,
        { ...template, revision: 2, data: { ...template.data, name: "late" } },
        tag,
        { ...deleted, op: "delete", revision: 2, data: null }
      ]
    })
    expect(await app.seq()).toBe(before)
  })

  it("returns the conflicts of a push as stored after the note has changed", async () => {
    const { id } = (await app.call("POST", "/notes", note("conflicting"))).body
    await app.call("PATCH", `/notes/${id}`, { body: "second" })
    const entry = { mutation_id: "c-1", type: "note", op: "upsert", id, revision: 1, data: { body: "mine" } }
    const first = await app.call("POST", "/sync/push", { changes: [entry] }, under("k-conflict"))
    expect(first.body.conflicts).toMatchObject([{ server: { data: { body: "second" } }, client: entry }])
    await app.call("PATCH", `/notes/${id}`, { body: "third" })
    const again = await app.call("POST", "/sync/push", { changes: [entry] }, under("k-conflict"))
    expect(again.text).toBe(first.text)
  })

  it("returns 404 after the version that it returned was erased", async () => {
    const { id } = (await app.call("POST", "/notes", note("erased"), under("k-version"))).body
    await app.call("PATCH", `/notes/${id}`, { body: "next" })
    await app.call("DELETE", `/notes/${id}/versions/1`)
    const before = await app.seq()
    const again = await app.call("POST", "/notes", note("erased"), under("k-version"))
    expect(again).toMatchObject({ status: 404, body: { code: "not_found" } })
    expect([await app.seq(), await titled("erased")]).toEqual([before, 1])
  })

  it("returns 422 for another body or query, and changes nothing", async () => {
    await app.call("POST", "/notes", note("first"), under("k-other"))
    const before = await app.seq()
    for (const [path, body] of [
      ["/notes", note("second")],
      ["/notes?x=1", note("first")]
    ] as const) {
      const answer = await app.call("POST", path, body, under("k-other"))
      expect(answer).toMatchObject({ status: 422, body: { code: "idempotency_key_reused" } })
    }
    expect(await app.seq()).toBe(before)
  })

  /** Sends the text without parsing it. */
  const postText = (text: string, key: string, path = "/notes") =>
    fetch(`${app.url}${path}`, {
      method: "POST",
      headers: { authorization: `Bearer ${app.key}`, "content-type": "application/json", "idempotency-key": key },
      body: text
    })

  it("treats values that only look equal as different requests", async () => {
    for (const [one, other] of [
      ["1e400", "null"],
      [String.raw`"\ud800"`, String.raw`"\ud801"`]
    ]) {
      const body = (x: string | undefined) => `{"notebook_id":"${inbox}","title":"like","x":${x}}`
      const first = await postText(body(one), `k-like-${one!.length}`)
      expect([first.status, (await postText(body(other), `k-like-${one!.length}`)).status]).toEqual([201, 422])
    }
  })

  it("treats bodies that are equal as JSON as the same request", async () => {
    const first = await postText(`{"notebook_id":"${inbox}","title":"equal Ä","tags":["a","b"],"version":1}`, "k-equal")
    const text = await first.text()
    expect(first.status, text).toBe(201)
    for (const body of [
      `{"title":"equal Ä","version":1,"tags":["a","b"],"notebook_id":"${inbox}"}`,
      ` {\n "notebook_id" : "${inbox}",\t"title":"equal Ä", "tags": [ "a", "b" ], "version": 1 }\r\n`,
      `{"notebook_id":"${inbox}","title":"\\u0065qual \\u00c4","tags":["a","b"],"version":1.0}`,
      `{"notebook_id":"${inbox}","title":"no","title":"equal Ä","tags":["a","b"],"version":10e-1}`
    ]) {
      const again = await postText(body, "k-equal")
      expect([again.status, again.headers.get("idempotent-replayed"), await again.text()]).toEqual([201, "true", text])
    }
    for (const body of [
      `{"notebook_id":"${inbox}","title":"equal Ä","tags":["b","a"],"version":1}`,
      `{"notebook_id":"${inbox}","title":"equal Ä","tags":["ab"],"version":1}`,
      `{"notebook_id":"${inbox}","title":"equal Ä","tags":["a","b"],"version":"1"}`,
      `{"notebook_id":"${inbox}","title":"equal Ä","tags":["a","b"],"version":1,"pinned":null}`,
      `{"notebook_id":"${inbox}","title":"equal A\u0308","tags":["a","b"],"version":1}`,
      `[{"notebook_id":"${inbox}","title":"equal Ä","tags":["a","b"],"version":1}]`,
      "{"
    ]) {
      expect((await postText(body, "k-equal")).status, body).toBe(422)
    }
    expect(await titled("equal Ä")).toBe(1)
  })

  it("treats large bodies that are equal as JSON as the same request, also in a push", async () => {
    const large = "🙂 ä\n".repeat(120_000)
    const [one, other] = [`"title":"large equal","notebook_id":"${inbox}"`, `"body":${JSON.stringify(large)}`]
    const first = await postText(`{${one},${other}}`, "k-large")
    expect(first.status).toBe(201)
    const again = await postText(`{${other.replaceAll("🙂", "\\ud83d\\ude42")} , ${one}}`, "k-large")
    expect([again.status, again.headers.get("idempotent-replayed")]).toEqual([201, "true"])
    expect((await postText(`{${other.replace(/🙂(?=[^🙂]*$)/u, "🙃")},${one}}`, "k-large")).status).toBe(422)
    const entry = (data: string) => `{"changes":[{"type":"note","op":"upsert","data":{${data}}}]}`
    expect((await postText(entry(`${one},${other}`), "k-large", "/sync/push")).status).toBe(201)
    const pushed = await postText(entry(`${other}, ${one}`), "k-large", "/sync/push")
    expect([pushed.status, pushed.headers.get("idempotent-replayed")]).toEqual([201, "true"])
    expect(await titled("large equal")).toBe(2)
  })

  it("returns the stored response to the same bytes for a key stored before bodies were compared as JSON", async () => {
    const text = `{"title":"before","notebook_id":"${inbox}"}`
    const first = await (await postText(text, "k-before")).text()
    const ofBytes = createHash("sha256").update(`\0${text}\0`).digest("base64url")
    const [stored] = await app.run(
      Effect.map(Secrets, (secrets) => secrets.derivations("stored-answer", Buffer.from(ofBytes)))
    )
    const [{ id }] = await app.sql("SELECT id FROM idempotency_keys ORDER BY created_at DESC, claimed_at DESC LIMIT 1")
    await app.sql("UPDATE idempotency_keys SET fingerprint = $2 WHERE id = $1", [
      id,
      Buffer.from(stored!).toString("base64url")
    ])
    const again = await postText(text, "k-before")
    expect([again.status, await again.text()]).toEqual([201, first])
    expect((await postText(`${text} `.replace("before", "other"), "k-before")).status).toBe(422)
  })

  it("treats forms with another boundary or order of fields as the same request", async () => {
    const { id } = (await app.call("POST", "/notes", note("with a form"))).body
    const form = (boundary: string, parts: ReadonlyArray<string>) =>
      fetch(`${app.url}/attachments`, {
        method: "POST",
        headers: {
          authorization: `Bearer ${app.key}`,
          "content-type": `multipart/form-data; boundary=${boundary}`,
          "idempotency-key": "k-form"
        },
        body: `${parts.map((part) => `--${boundary}\r\nContent-Disposition: form-data; ${part}\r\n`).join("")}--${boundary}--\r\n`
      })
    const [a, b] = [`name="note_id"\r\n\r\n${id}`, `name="content_type"\r\n\r\ntext/plain`]
    const file = (text: string) => `name="file"; filename="a.txt"\r\nContent-Type: text/plain\r\n\r\n${text}`
    const first = await form("one", [a, b, file("words")])
    const { id: made } = (await first.json()) as { id: string }
    expect(first.status).toBe(201)
    const again = await form("another", [b, a, file("words")])
    expect([again.status, again.headers.get("idempotent-replayed")]).toEqual([201, "true"])
    expect(((await again.json()) as { id: string }).id).toBe(made)
    expect((await form("one", [a, b, file("other")])).status).toBe(422)
  })

  it("treats another path as another request", async () => {
    expect((await app.call("POST", "/notes", note("path"), under("k-path"))).status).toBe(201)
    expect((await app.call("POST", "/notebooks", { name: "path" }, under("k-path"))).status).toBe(201)
  })

  it("works for actions, merges and pushes", async () => {
    const { id } = (await app.call("POST", "/notes", note("act", { tags: ["from", "to"] }))).body
    const archived = await app.call("POST", `/notes/${id}/archive`, undefined, under("k-archive"))
    expect(archived.body.archived).toBe(true)
    await app.call("POST", `/notes/${id}/restore`)
    expect((await app.call("POST", `/notes/${id}/archive`, undefined, under("k-archive"))).text).toBe(archived.text)
    expect((await app.call("GET", `/notes/${id}`)).body.archived).toBe(false)

    const merge = { sources: ["from"], target: "to" }
    const merged = await app.call("POST", "/tags/merge", merge, under("k-merge"))
    expect(merged.status).toBe(201)
    expect(await app.call("POST", "/tags/merge", merge, under("k-merge"))).toMatchObject({
      status: 201,
      text: merged.text
    })

    const push = {
      changes: [
        { type: "note", op: "upsert", data: note("pushed") },
        { type: "note", op: "upsert", data: {} }
      ]
    }
    const pushed = await app.call("POST", "/sync/push", push, under("k-push"))
    expect(pushed.body.results.map((result: any) => result.status)).toEqual(["applied", "rejected"])
    expect(pushed.body.results[1].error).toMatchObject({ status: 422, code: "validation_failed" })
    const again = await app.call("POST", "/sync/push", push, under("k-push"))
    expect(again.body).toEqual(pushed.body)
    expect(await titled("pushed")).toBe(1)
  })

  it("returns the same client error again, without another attempt", async () => {
    const bad = { notebook_id: inbox, title: "" }
    const first = await app.call("POST", "/notes", bad, under("k-bad"))
    const again = await app.call("POST", "/notes", bad, under("k-bad"))
    expect(first.status).toBe(422)
    expect(again.headers.get("idempotent-replayed")).toBe("true")
    const { request_id: _, ...rest } = first.body
    expect(again.body).toMatchObject(rest)
    expect(again.body.request_id).toBe(again.headers.get("request-id"))
    const missing = await app.call("POST", "/notes/nt_missing/archive", undefined, under("k-missing"))
    expect(missing.status).toBe(404)
    expect((await app.call("POST", "/notes/nt_missing/archive", undefined, under("k-missing"))).status).toBe(404)
  })

  it("runs again after a temporary failure", async () => {
    const { id } = (await app.call("POST", "/tags", { name: "taken" })).body
    expect((await app.call("POST", "/tags", { name: "taken" }, under("k-taken"))).status).toBe(409)
    await app.call("DELETE", `/tags/${id}`)
    const now = await app.call("POST", "/tags", { name: "taken" }, under("k-taken"))
    expect(now.status).toBe(201)
    expect(now.headers.get("idempotent-replayed")).toBe(null)
  })

  it("returns 400 for an invalid key; pulls and searches ignore the key", async () => {
    for (const key of ["", " ", "a b", "ä".repeat(3), "x".repeat(256)]) {
      const headers = new Headers()
      if (/^[\x20-\xff]*$/.test(key)) headers.set("idempotency-key", key)
      const answer = await app.call("POST", "/notes", note("bad key"), Object.fromEntries(headers))
      expect([key, answer.status, answer.body.code]).toEqual([key, 400, "invalid_header"])
    }
    expect(await titled("bad key")).toBe(0)
    for (const [path, body] of [
      ["/sync/pull", { limit: 1 }],
      ["/search", { query: "once" }]
    ] as const) {
      await app.call("POST", path, body, under("k-read"))
      const again = await app.call("POST", path, { ...body, limit: 2 }, under("k-read"))
      expect([again.status, again.headers.get("idempotent-replayed")]).toEqual([201, null])
    }
  })

  it("runs once for twenty concurrent clients, which receive its response or 409", async () => {
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => app.call("POST", "/notes", note("at once"), under("k-race")))
    )
    const ids = new Set(answers.filter(({ status }) => status === 201).map(({ body }) => body.id))
    expect(ids.size).toBe(1)
    for (const { body, status } of answers)
      if (status !== 201) expect([status, body.code]).toEqual([409, "idempotency_in_progress"])
    expect(await titled("at once")).toBe(1)
  })

  it("can be retried after the client closed the connection at any moment", async () => {
    const tries = Array.from({ length: 80 }, (_, index) => ({
      key: `k-hung-${index}`,
      title: `hung up ${index}`,
      millis: index % 13
    }))
    await Promise.all(tries.map(({ key, millis, title }) => hangUp(note(title), key, millis)))
    for (const { key, title } of tries) {
      // The clock does not move, so the key of an abandoned request would stay claimed.
      const status = await eventually(title, async () => {
        const answer = await app.call("POST", "/notes", note(title), under(key))
        return answer.status !== 409 && answer.status
      })
      expect([title, status, await titled(title)]).toEqual([title, 201, 1])
    }
  })

  it("returns 409 with Retry-After while the first request is running", async () => {
    const send = () => app.call("POST", "/notes", note("long"), under("k-long"))
    const { both, first } = await app.run(
      Effect.flatMap(Database, ({ write }) =>
        write.withTransaction(
          Effect.gen(function* () {
            // Writes to the workspace wait for the lock on its head.
            yield* write.unsafe("SELECT 1 FROM heads WHERE workspace_id = $1 FOR UPDATE", [app.workspace_id])
            const both = [send(), send()]
            return { both, first: yield* Effect.promise(() => Promise.race(both)) }
          })
        )
      )
    )
    expect(first).toMatchObject({ status: 409, body: { code: "idempotency_in_progress" } })
    expect(first.headers.get("retry-after")).toBe("1")
    expect((await Promise.all(both)).map(({ status }) => status).sort()).toEqual([201, 409])
    const refused = await app.call("POST", "/tags", { name: "to" }, under("k-taken-name"))
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([409, null])
  })

  it("expires after 24 hours", async () => {
    await app.call("POST", "/notes", note("daily"), under("k-day"))
    await app.advance("23 hours")
    expect((await app.call("POST", "/notes", note("daily"), under("k-day"))).headers.get("idempotent-replayed")).toBe(
      "true"
    )
    await app.advance("2 hours")
    expect((await app.call("POST", "/notes", note("daily"), under("k-day"))).headers.get("idempotent-replayed")).toBe(
      null
    )
    expect(await titled("daily")).toBe(2)
  })

  it("does not create the note again after it was purged, and deletes the stored response", async () => {
    const secret = "a sentence that must go"
    const { id } = (await app.call("POST", "/notes", note("purged", { body: secret }), under("k-purged"))).body
    await app.call("DELETE", `/notes/${id}?permanent=true`)
    const stored = await app.sql("SELECT result, answer FROM idempotency_keys WHERE $1 = ANY (resource_ids)", [id])
    expect(stored).toEqual([{ result: null, answer: null }])
    const again = await app.call("POST", "/notes", note("purged", { body: secret }), under("k-purged"))
    expect(again).toMatchObject({ status: 409, body: { code: "invalid_state" } })
    expect(await titled("purged")).toBe(0)
  })

  it("encrypts stored responses", async () => {
    await app.call("POST", "/notes", note("plain text"), under("k-sealed"))
    const rows = await app.sql("SELECT result FROM idempotency_keys WHERE result IS NOT NULL")
    expect(rows.length).toBeGreaterThan(0)
    for (const { result } of rows)
      expect(Buffer.from(result, "base64url").toString("latin1")).not.toMatch(/plain text|notebook_id/)
  })
})

describe("Idempotency-Key after a crash", () => {
  /** Runs the first request up to its commit. */
  const committed = (title: string, attempt: { readonly id: string; readonly fingerprint: string }) =>
    app.run(
      Effect.gen(function* () {
        const keys = yield* IdempotencyKeys
        const claim = yield* keys.claim({ workspace_id: app.workspace_id, ...attempt })
        if (claim._tag !== "Claimed") return claim
        const [owner] = yield* Effect.promise(() => app.sql("SELECT user_id FROM members LIMIT 1"))
        return yield* (yield* Notes).create(note(title)).pipe(
          Effect.provideService(CurrentAttempt, claim.attempt),
          Effect.provideService(Principal, {
            user_id: owner.user_id,
            workspace_id: app.workspace_id,
            digest: "",
            home_id: app.workspace_id,
            kind: "api_key",
            plan: "team",
            expires_at: Infinity,
            credential_id: "crash",
            scopes: new Set<string>(),
            role: "owner",
            device_id: null,
            names_foreign_device: false,
            ip: null,
            user_agent: null
          })
        )
      })
    )

  it("returns the created note if the crash was after the commit", async () => {
    const key = { id: "crashed", fingerprint: "f" }
    const first: any = await committed("crashed", key)
    const second: any = await committed("crashed", key)
    expect(second).toEqual(JSON.parse(JSON.stringify(first)))
    expect(await titled("crashed")).toBe(1)
  })

  it("keeps the key claimed for 60 seconds if the crash was before the commit", async () => {
    const key = { workspace_id: app.workspace_id, id: "stuck", fingerprint: "f" }
    const claim = () => app.run(Effect.flatMap(IdempotencyKeys, (keys) => keys.claim(key)))
    expect((await claim())._tag).toBe("Claimed")
    expect((await claim())._tag).toBe("Running")
    await app.advance("61 seconds")
    expect((await claim())._tag).toBe("Claimed")
  })

  it("releases the key when the process that claimed it is gone", async () => {
    const key = { workspace_id: app.workspace_id, id: "orphaned", fingerprint: "f" }
    const claim = (by: TestApp) => by.run(Effect.flatMap(IdempotencyKeys, (keys) => keys.claim(key)))
    const second = await startApp({ databaseOf: app })
    // The clock of this node is ahead, so that the claim does not expire by time.
    await second.advance("365 days")
    await eventually("the node is registered", () =>
      second.run(Effect.map(ProcessLock, ({ holder }) => holder() !== null))
    )
    expect((await claim(second))._tag).toBe("Claimed")
    expect((await claim(app))._tag).toBe("Running")
    await second.stop()
    // PostgreSQL detects the closed connection by itself.
    await eventually("the key is free", async () => (await claim(app))._tag === "Claimed")
    expect((await claim(app))._tag).toBe("Running")
  })

  it("creates one note when a late holder and a new one run under the same key", async () => {
    const key = { workspace_id: app.workspace_id, id: "late", fingerprint: "f" }
    await app.run(Effect.flatMap(IdempotencyKeys, (keys) => keys.claim(key)))
    await app.advance("61 seconds")
    const [a, b] = await Promise.all([committed("came back", key), committed("came back", key)])
    const made = [a, b].filter((each: any) => each.id !== undefined)
    expect(made.length).toBeGreaterThan(0)
    expect(await titled("came back")).toBe(1)
  })

  it("returns the stored response after a restart", async () => {
    const first = await app.call("POST", "/notes", note("restarted"), under("k-restart"))
    const second = await startApp({ databaseOf: app })
    const again = await second.call("POST", "/notes", note("restarted"), under("k-restart"))
    await second.stop()
    expect(again).toMatchObject({ status: 201, text: first.text })
    expect(again.headers.get("idempotent-replayed")).toBe("true")
  })
})
