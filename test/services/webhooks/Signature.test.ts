import { existsSync, readFileSync } from "node:fs"
import { Webhook } from "standardwebhooks"
import { describe, expect, it } from "vitest"
import { systemRandomness } from "../../../services/Randomness.ts"
import { patterns, typesOf } from "../../../services/webhooks/Webhook.ts"
import { keyOf, makeSecret, signatureOf, signerOf } from "../../../services/webhooks/Signature.ts"

/** Published vectors of Standard Webhooks. They are in a directory next to the checkout. */
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
  it("equals the example of Standard Webhooks", () => {
    const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
    expect(signatureOf([signerOf(secret)], "msg_p5jXN8AQM9LWM0D4loKWxJek", 1614265330, '{"test": 2432232314}')).toBe(
      "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="
    )
  })

  it(`equals that of every published vector${missing}`, () => {
    for (const { id, payload, secret, signature, timestamp } of vectors.sign) {
      expect(signatureOf([signerOf(secret)], id, timestamp, payload)).toBe(signature)
    }
    if (missing === "") expect(vectors.sign.length).toBeGreaterThan(5)
  })

  it("is made by each secret, and verifies with any of them", () => {
    const [one, other] = [makeSecret(systemRandomness), makeSecret(systemRandomness)]
    const seconds = Math.floor(Date.now() / 1000)
    const headers = {
      "webhook-id": "ev_1",
      "webhook-timestamp": String(seconds),
      "webhook-signature": signatureOf([one, other].map(signerOf), "ev_1", seconds, "{}")
    }
    for (const secret of [one, other]) expect(new Webhook(secret).verify("{}", headers)).toEqual({})
    expect(() => new Webhook(makeSecret(systemRandomness)).verify("{}", headers)).toThrow()
  })

  it("requires a valid secret", () => {
    expect(keyOf(makeSecret(systemRandomness))).toHaveLength(32)
    for (const secret of [
      "",
      "whsec_",
      "whsec_AAAA",
      `${makeSecret(systemRandomness)}=`,
      makeSecret(systemRandomness).slice(0, -1)
    ]) {
      expect(keyOf(secret)).toBeUndefined()
    }
  })
})

describe("an event pattern", () => {
  it("matches an event type, all types of a resource, or all types", () => {
    expect(typesOf(["note.created"])).toEqual(["note.created"])
    expect(typesOf(["tag.*", "tag.created"])).toEqual(["tag.created", "tag.updated", "tag.deleted", "tag.merged"])
    expect(typesOf(["*"])).toContain("sync.conflict")
    expect(typesOf(["ping"])).toEqual(["ping"])
    expect(new Set(patterns).size).toBe(patterns.length)
    expect(patterns).toEqual(expect.arrayContaining(["*", "note.*", "api_key.*", "sync.*", "webhook.disabled", "ping"]))
  })
})
