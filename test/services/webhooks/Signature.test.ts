import { existsSync, readFileSync } from "node:fs"
import { Webhook } from "standardwebhooks"
import { describe, expect, it } from "vitest"
import { patterns, typesOf } from "../../../services/webhooks/EventPatterns.ts"
import { keyOf, makeSecret, signatureOf, signerOf } from "../../../services/webhooks/Signature.ts"

/** Published vectors of Standard Webhooks. They stand beside the checkout and are not part of it. */
const file = new URL("../../../../shared/data/webhooks/vectors.json", import.meta.url)
const isThere = existsSync(file)
const missing = isThere ? "" : " (skipped: no ../shared/data/webhooks here)"
interface Signed {
  readonly secret: string
  readonly id: string
  readonly timestamp: number
  readonly payload: string
  readonly signature: string
}
const vectors: { readonly sign: ReadonlyArray<Signed> } = !isThere
  ? { sign: [] }
  : JSON.parse(readFileSync(file, "utf8"))

describe("a signature", () => {
  it("is the one that Standard Webhooks publishes", () => {
    const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
    expect(signatureOf([signerOf(secret)], "msg_p5jXN8AQM9LWM0D4loKWxJek", 1614265330, '{"test": 2432232314}')).toBe(
      "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="
    )
  })

  it(`is that of every vector${missing}`, () => {
    for (const { id, payload, secret, signature, timestamp } of vectors.sign) {
      expect(signatureOf([signerOf(secret)], id, timestamp, payload)).toBe(signature)
    }
    if (missing === "") expect(vectors.sign.length).toBeGreaterThan(5)
  })

  it("is made by each secret, and taken by who knows one of them", () => {
    const [one, other] = [makeSecret(), makeSecret()]
    const seconds = Math.floor(Date.now() / 1000)
    const headers = {
      "webhook-id": "ev_1",
      "webhook-timestamp": String(seconds),
      "webhook-signature": signatureOf([one, other].map(signerOf), "ev_1", seconds, "{}")
    }
    for (const secret of [one, other]) expect(new Webhook(secret).verify("{}", headers)).toEqual({})
    expect(() => new Webhook(makeSecret()).verify("{}", headers)).toThrow()
  })

  it("is made of no secret that is none", () => {
    expect(keyOf(makeSecret())).toHaveLength(32)
    for (const secret of ["", "whsec_", "whsec_AAAA", `${makeSecret()}=`, makeSecret().slice(0, -1)]) {
      expect(keyOf(secret)).toBeUndefined()
    }
  })
})

describe("a pattern", () => {
  it("names a type of event, all of a resource, or all", () => {
    expect(typesOf(["note.created"])).toEqual(["note.created"])
    expect(typesOf(["tag.*", "tag.created"])).toEqual(["tag.created", "tag.updated", "tag.deleted", "tag.merged"])
    expect(typesOf(["*"])).toContain("sync.conflict")
    expect(typesOf(["ping"])).toEqual(["ping"])
    expect(new Set(patterns).size).toBe(patterns.length)
    expect(patterns).toEqual(expect.arrayContaining(["*", "note.*", "api_key.*", "sync.*", "webhook.disabled", "ping"]))
  })
})
