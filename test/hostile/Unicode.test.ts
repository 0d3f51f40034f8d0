import { beforeAll, describe, expect, it } from "vitest"
import { expectTruth } from "../support/people/Truth.ts"
import { BadInput } from "../support/hostile/BadInput.ts"
import { expectSound } from "../support/hostile/Sound.ts"
import { useApp } from "../support/useApp.ts"

const { app } = useApp()
let notebook: string

beforeAll(async () => {
  notebook = (await app.call("GET", "/notebooks")).body.data[0].id
})

const sound = async (method: string, path: string, body?: unknown) =>
  expectSound(await app.call(method, path, body), `${method} ${path}`)
const made = async (name: string) => (await sound("POST", "/tags", { name })).status

describe("names of tags", () => {
  it.each([
    ["café", "cafe\u0301", "CAFÉ", "CAFE\u0301"],
    ["\u1100\u1161\u11a8", "각"],
    ["Å", "\u212b", "a\u030a"],
    ["\u2126hm", "ωHM"],
    ["ǆ", "ǅ", "Ǆ"],
    ["ΣΑΣ", "σας"],
    ["q\u0307\u0323", "q\u0323\u0307"],
    ["𐐨", "𐐀"]
  ])("%s is one tag in any Unicode form and letter case", async (first, ...same) => {
    expect(await made(first)).toBe(201)
    for (const name of same) expect(await made(name), JSON.stringify(name)).toBe(409)
    const { body } = await sound("POST", "/notes", { notebook_id: notebook, title: "same", tags: [...same, first] })
    expect(body.tags).toEqual([first.normalize("NFC")])
  })

  it("that only look alike are different tags", async () => {
    const alike = [
      "admin",
      "\u0430dmin",
      "\uff41dmin",
      "ad\u200bmin",
      "ad\u2060min",
      "\u202eadmin",
      "\u2066admin\u2069",
      "adm\u0131n",
      "ad\u00admin",
      "admin\ufe0f",
      "𝐚dmin"
    ]
    for (const name of alike) expect(await made(name), JSON.stringify(name)).toBe(201)
    const { body } = await sound("POST", "/notes", { notebook_id: notebook, title: "alike", tags: alike })
    expect(body.tags).toEqual(alike)
  })

  it("are refused only with white space, not with characters that look like it or are invisible", async () => {
    for (const name of ["a\u00a0b", "a\u2028b", "a\u2029b", "a\ufeffb", "a\u180eb", "a\u3000b", "a\u1680b"]) {
      expect(await made(name), JSON.stringify(name)).toBe(/[\s\p{White_Space}]/u.test(name) ? 422 : 201)
    }
  })

  it("find their notes in a search, with and without words", async () => {
    const names = ["ﬁle", "ＡＢｃ", "Straße", "日本語", "ΣΑΣ", "\u0430dmin", "𝕏", "I\u0307stanbul"]
    for (const [index, name] of names.entries()) {
      await sound("POST", "/notes", { notebook_id: notebook, title: `needle${index}`, tags: [name] })
    }
    for (const [index, name] of names.entries()) {
      for (const asked of [name, name.normalize("NFD")]) {
        const filtered = await sound("POST", "/search", { query: `needle${index}`, tags: [asked] })
        expect(filtered.body.total, `tags: ${name}`).toBe(1)
        const typed = await sound("POST", "/search", { query: `needle${index} tag:${asked}` })
        expect(typed.body.total, `tag:${name}`).toBe(1)
      }
    }
  })
})

describe("texts", () => {
  it("of any script and direction are found by their own words", async () => {
    const texts =
      BadInput.unicode.length > 0
        ? BadInput.unicode
        : [
            { name: "arabic", s: "مرحبا العالم" },
            { name: "zwj", s: "👨‍👩‍👧" },
            { name: "jamo", s: "\u1112\u1161\u11ab" }
          ]
    for (const { name, s } of texts) {
      const { body: note } = await sound("POST", "/notes", {
        notebook_id: notebook,
        title: s,
        body: `before ${s} after`
      })
      expect([note.title, note.body], name).toEqual([s.replaceAll(/[\u2028\u2029]/g, " "), `before ${s} after`])
      const { body } = await sound("POST", "/search", { query: s, limit: 100 })
      expect(
        body.hits.map((hit: any) => hit.id),
        name
      ).toContain(note.id)
    }
  })

  it("have search highlights that start and end at whole characters", async () => {
    const body = "🙂🙂 éé needle 👨‍👩‍👧 \u202eneedle\u202c e\u0301needle 日本needle語"
    await sound("POST", "/notes", { notebook_id: notebook, title: "highlighted", body })
    const { hits } = (await sound("POST", "/search", { query: "highlighted needle" })).body
    const found = hits[0].highlights.find((each: any) => each.field === "body")
    for (const { length, start } of found.matches) {
      const piece = body.slice(start, start + length)
      expect(piece.isWellFormed()).toBe(true)
      expect(piece.normalize("NFC")).toContain("needle")
    }
    expect(hits[0].snippet.isWellFormed()).toBe(true)
  })

  it("leave the workspace consistent", () => expectTruth(app))
})
