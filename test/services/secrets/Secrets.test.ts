import { Effect, Redacted } from "effect"
import { expect, it } from "vitest"
import { Secrets } from "../../../services/secrets/Secrets.ts"

it("opens no sealed text with a shortened authentication tag", async () => {
  const layer = Secrets.layer({ current: Redacted.make(new Uint8Array(32).fill(7)), previous: undefined })
  const secrets = await Effect.runPromise(Effect.provide(Secrets, layer))
  const sealed = secrets.seal("webhook", "")
  expect(secrets.open("webhook", sealed)).toBe("")
  const bytes = Buffer.from(sealed, "base64url")
  // Nonce and tag are 12 and 16 bytes. Node takes tags of 4, 8, 12 to 16 bytes, unless their length is stated.
  for (let length = 0; length < bytes.length; length++) {
    expect(secrets.open("webhook", bytes.subarray(0, length).toString("base64url"))).toBeUndefined()
  }
})
