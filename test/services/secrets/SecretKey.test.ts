import { Redacted } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { acceptKey } from "../../support/acceptKey.ts"
import { startApp, type TestApp } from "../../support/TestApp.ts"

const key = (fill: number) => Redacted.make(new Uint8Array(32).fill(fill))

/** The fingerprint of the key in the database, and a secret that is encrypted with the key. */
const sealedIn = (app: TestApp) =>
  app.sql("SELECT (SELECT fingerprint FROM secret_key), public_key, sealed FROM vapid_keys")

describe("a node that starts on a database", () => {
  let app: TestApp
  const starts = async (secretKey: Redacted.Redacted<Uint8Array>, secretKeyPrevious?: typeof secretKey) => {
    const node = await startApp({ databaseOf: app, settings: { secretKey, secretKeyPrevious } })
    await node.stop()
  }
  beforeAll(async () => {
    app = await startApp({ settings: { secretKey: key(1) } })
  })
  afterAll(() => app.stop())

  it("is refused with another key, with or without an unrelated previous one, and changes nothing", async () => {
    const before = await sealedIn(app)
    for (const previous of [undefined, key(3)]) {
      await expect(starts(key(2), previous)).rejects.toThrow(
        /SECRET_KEY is not the key.*SECRET_KEY_PREVIOUS.*secret-key accept/
      )
    }
    expect(await sealedIn(app)).toEqual(before)
    await starts(key(1))
  })

  it("is refused on a database without a fingerprint if it cannot decrypt the key of Web Push", async () => {
    const before = await sealedIn(app)
    await app.sql("DELETE FROM secret_key RETURNING 1")
    await expect(starts(key(2))).rejects.toThrow(/SECRET_KEY is not the key/)
    expect(await app.sql("SELECT 1 FROM secret_key")).toEqual([])
    await starts(key(1))
    expect(await sealedIn(app)).toEqual(before)
  })

  it("changes the key if the old key is its previous one; afterwards the old key is refused", async () => {
    await starts(key(2), key(1))
    await expect(starts(key(1))).rejects.toThrow(/SECRET_KEY is not the key/)
    await starts(key(2))
    await starts(key(1), key(2))
    await starts(key(1))
  })

  it("stores a fingerprint that does not contain the key", async () => {
    const [{ fingerprint }] = await sealedIn(app)
    expect(fingerprint).toMatch(/^[0-9a-f]{64}$/)
    expect(fingerprint).not.toContain(Buffer.from(Redacted.value(key(1))).toString("hex"))
  })
})

describe("after the key was lost", () => {
  let lost: TestApp
  let app: TestApp
  let note: { readonly notebook_id: string; readonly title: string }
  let note_id: string
  let share: any
  const once = { "idempotency-key": "before-the-loss" }
  beforeAll(async () => {
    lost = await startApp({ settings: { secretKey: key(1) } })
    const [{ id: notebook_id }] = (await lost.call("GET", "/notebooks")).body.data
    note = { notebook_id, title: "Once" }
    note_id = (await lost.call("POST", "/notes", note, once)).body.id
    share = (await lost.call("POST", "/shares", { note_id })).body
    await acceptKey(lost, key(2))
    app = await startApp({ databaseOf: lost, settings: { secretKey: key(2) } })
  })
  afterAll(async () => {
    await app.stop()
    await lost.stop()
  })

  it("shares have a null url, can be changed, and their links still show the note", async () => {
    const shown = { ...share, url: null }
    expect((await app.call("GET", "/shares")).body.data).toEqual([shown])
    expect((await app.call("GET", `/shares/${share.id}`)).body).toEqual(shown)
    const page = await fetch(`${new URL(app.url).origin}${new URL(share.url).pathname}`)
    expect(page.status).toBe(200)
    const changed = await app.call("PATCH", `/shares/${share.id}`, { breaks: !share.breaks })
    expect(changed.body).toEqual({ ...shown, breaks: !share.breaks })
    expect((await app.call("POST", "/shares", { note_id })).body.url).toMatch(/\/s\/[\w-]{22}$/)
    expect((await app.call("DELETE", `/shares/${share.id}`)).status).toBe(200)
  })
  it("a request repeated with its Idempotency-Key is refused, and writes nothing", async () => {
    const seq = await app.seq()
    expect(await app.call("POST", "/notes", note, once)).toMatchObject({
      status: 422,
      body: { code: "idempotency_key_reused" }
    })
    expect(await app.seq()).toBe(seq)
  })
})
