import { createECDH } from "node:crypto"
import { describe, expect, it } from "vitest"
import { systemRandomness } from "../../../services/Randomness.ts"
import {
  authSecret,
  encrypt,
  makeEphemeral,
  makePair,
  messageLength,
  publicKey
} from "../../../services/webpush/PushMessage.ts"
import { decrypt } from "../../../src/program/testing/PushDevices.ts"

describe("a push message", () => {
  it("equals the example of RFC 8291, section 5", () => {
    const key = createECDH("prime256v1")
    key.setPrivateKey("yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw", "base64url")
    const body = encrypt(
      "When I grow up, I want to be a watermelon",
      {
        p256dh: "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4",
        auth: "BTBZMqHH6r4Tts7J_aSIgg"
      },
      { key, salt: Buffer.from("DGv6ra1nlYgDCS1FRnbzlw", "base64url") }
    )
    expect(body.toString("base64url")).toBe(
      "DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN"
    )
  })

  it("has a maximum length, and differs each time", () => {
    const browser = createECDH("prime256v1")
    const auth = Buffer.alloc(16, 7)
    const recipient = { p256dh: browser.generateKeys("base64url"), auth: auth.toString("base64url") }
    const longest = "ä".repeat(Math.floor(messageLength / 2)).padEnd(Math.ceil(messageLength / 2), "x")
    const sent = (text: string) => encrypt(text, recipient, makeEphemeral(systemRandomness))
    const [one, other] = [sent(longest), sent(longest)]
    expect(one.length).toBe(4096)
    expect(one.equals(other)).toBe(false)
    expect(decrypt(one, browser, auth)).toBe(longest)
    expect(() => sent(`${longest}x`)).toThrow(/at most 3993 bytes/)
  })
})

describe("a browser's key", () => {
  const { public_key } = makePair(systemRandomness)
  const bytes = Buffer.from(public_key, "base64url")

  it("is accepted in base64url and base64, with and without padding", () => {
    expect(publicKey(public_key)).toBe(public_key)
    expect(publicKey(bytes.toString("base64"))).toBe(public_key)
    expect(authSecret(Buffer.alloc(16).toString("base64"))).toBe(Buffer.alloc(16).toString("base64url"))
  })

  it.each([
    ["is empty", ""],
    ["is not base64", "!".repeat(87)],
    ["is no point of the curve", Buffer.concat([Buffer.from([4]), Buffer.alloc(64, 1)]).toString("base64url")],
    ["is at infinity", Buffer.alloc(65).toString("base64url")],
    ["is compressed", createECDH("prime256v1").generateKeys("base64url", "compressed")],
    ["is of another curve", createECDH("secp384r1").generateKeys("base64url")],
    ["is too short", bytes.subarray(0, 64).toString("base64url")],
    ["is too long", Buffer.concat([bytes, Buffer.from([0])]).toString("base64url")]
  ])("is rejected when it %s", (_, text) => {
    expect(publicKey(text)).toBeUndefined()
    expect(authSecret(text)).toBeUndefined()
  })
})
