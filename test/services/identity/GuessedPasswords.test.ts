import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { isGuessed, isOwnName } from "../../../services/identity/GuessedPasswords.ts"

const base62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
const random = (length: number) => fc.string({ unit: fc.constantFrom(...base62), minLength: length, maxLength: length })
const suffix = fc.string({ unit: fc.constantFrom(..."0123456789!?.-#"), maxLength: 4 })

describe("an easily guessed password", () => {
  it.each([
    // Common passwords in different spellings.
    "password123",
    "Password123!",
    "PASSWORD2024",
    "ｐａｓｓｗｏｒｄ１２３",
    "letmein1234",
    "iloveyou!!",
    "basketball",
    "4815162342",
    "4815162342!",
    "481516234299!",
    "welkom112233",
    // Repetitions.
    "aaaaaaaaaa",
    "aaaaaaaaaa1!",
    "abababababa",
    "xyzxyzxyzx",
    "tigertiger",
    "zq7!zq7!zq7!",
    "ööööööööööö",
    "........................",
    // Runs.
    "abcdefghij",
    "ZYXWVUTSRQ",
    "0987654321",
    "fghjkl987654",
    "абвгдежзик",
    "poiuytrewq!",
    "aaaaabbbbb",
    "112233445566"
  ])("is refused: %s", (password) => expect(isGuessed(password)).toBe(true))

  it.each([
    "correct horse battery",
    "staple battery horse",
    "another password",
    "a long enough passphrase 7",
    "passwörter sind gut",
    "Tr0ub4dor&3x",
    "correct horse correct horse",
    "漢字かな交じり文の合言葉"
  ])("is not: %s", (password) => expect(isGuessed(password)).toBe(false))

  it("is refused in upper or lower case, and with digits and signs at its end", () => {
    const words = fc.constantFrom("password12", "basketball", "qwertyuiop", "abcdefghij", "aaaaaaaaaa")
    const upper = fc.array(fc.boolean(), { minLength: 10, maxLength: 10 })
    fc.assert(
      fc.property(words, upper, suffix, (word, isUpper, end) => {
        const written = [...word].map((each, index) => (isUpper[index]! ? each.toUpperCase() : each)).join("")
        return isGuessed(written + end)
      })
    )
  })

  it("is not a random password", () => {
    fc.assert(
      fc.property(random(20), (password) => !isGuessed(password)),
      { numRuns: 300 }
    )
  })

  it("is recognized in less than 500 ms of CPU time for any text", () => {
    for (const text of ["1".repeat(199), "1".repeat(198) + "a", "ﷺ".repeat(200), "\u{1f33f}".repeat(200)]) {
      const begun = process.cpuUsage()
      isGuessed(text)
      expect(process.cpuUsage(begun).user, text.slice(0, 4)).toBeLessThan(500_000)
    }
  })
})

describe("a password that is the user's name or address", () => {
  const zoe = { email: "zoe.winter@example.org", name: "Zoë Winter" }

  it.each([
    "zoe.winter@example.org",
    "ZOE.WINTER@EXAMPLE.ORG!",
    "Zoë Winter",
    "winterzoë1990",
    "zoewinter99",
    "Winter-2026!",
    "example.org1",
    "my.winter.zoë"
  ])("is refused: %s", (password) => expect(isOwnName(password, zoe)).toBe(true))

  it.each(["winter is coming", "correct horse battery", "zoë likes blue tea", "4815162342"])("is not: %s", (password) =>
    expect(isOwnName(password, zoe)).toBe(false)
  )

  it("is not recognized by very short names", () => {
    expect(isOwnName("lo4tb9zk2q", { email: "lo@x.io", name: "Lo" })).toBe(false)
  })
})
