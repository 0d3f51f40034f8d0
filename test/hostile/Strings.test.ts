import { beforeAll, describe, expect, it } from "vitest"
import { expectTruth } from "../support/people/Truth.ts"
import { BadInput, missing } from "../support/hostile/BadInput.ts"
import { each, expectSound } from "../support/hostile/Sound.ts"
import { rounds, sampled } from "../support/Slow.ts"
import { useApp } from "../support/useApp.ts"

const { app } = useApp()
let notebook: string

beforeAll(async () => {
  notebook = (await app.call("GET", "/notebooks")).body.data[0].id
})

const sound = async (method: string, path: string, body?: unknown) =>
  expectSound(await app.call(method, path, body), `${method} ${path} ${JSON.stringify(body)}`)

// The rules of contract 2 and 5, implemented independently.
const isText = (text: string) => text.isWellFormed() && !text.includes("\0")
const isLine = (text: string, max: number) =>
  isText(text) && /[^\s\p{White_Space}]/u.test(text) && [...text].length <= max
const onOneLine = (text: string) => text.replaceAll(/\r\n|[\t\n\v\f\r\u0085\u2028\u2029]/g, " ")
const isTag = (text: string) =>
  isLine(text, 50) && [...text.normalize("NFC")].length <= 50 && !/[\s\p{White_Space},#]/u.test(text)
const keyOf = (name: string) => name.normalize("NFC").toLowerCase().normalize("NFC")

const all = [
  ...BadInput.naughty,
  ...BadInput.unicode.map(({ s }) => s),
  ...BadInput.markup,
  "\0",
  "a\0b",
  "\ud800",
  "\udc00\ud800",
  "a\udfff",
  "__proto__",
  "constructor",
  "toString",
  "hasOwnProperty",
  "\u202etxt.exe",
  "\u200b",
  "\u{10ffff}\uffff\ufdd0"
]
const strings = sampled(all, 250)

/** Returns all changes, page by page. */
const pulled = async () => {
  const changes: Array<any> = []
  let cursor: string | null = null
  for (let hasMore = true; hasMore;) {
    const { body } = await sound("POST", "/sync/pull", { cursor, limit: 500 })
    changes.push(...body.changes)
    cursor = body.cursor
    hasMore = body.has_more
  }
  return new Map(changes.map((change) => [change.id, change.data]))
}

const listed = async (path: string) => {
  const items: Array<any> = []
  for (let cursor: string | null = ""; cursor !== null;) {
    const { body } = await sound("GET", `${path}?limit=100${cursor === "" ? "" : `&cursor=${cursor}`}`)
    items.push(...body.data)
    cursor = body.next_cursor
  }
  return new Map(items.map((item) => [item.id, item]))
}

describe.skipIf(missing !== "")(`naughty strings${missing}`, () => {
  /** The spelling of each tag, by its key. */
  const spellings = new Map<string, string>()
  const notes = new Map<string, { readonly title: string; readonly body: string }>()
  const notebooks = new Map<string, string>()

  it("are stored unchanged as tag names, or refused by the rules", async () => {
    for (const name of strings) {
      const { body, status } = await sound("POST", "/tags", { name })
      const expected = !isTag(name) ? 422 : spellings.has(keyOf(name)) ? 409 : 201
      expect([status, status === 201 ? body.name : null], JSON.stringify(name)).toEqual([
        expected,
        expected === 201 ? name.normalize("NFC") : null
      ])
      if (status === 201) spellings.set(keyOf(name), body.name)
    }
    expect(spellings.size).toBeGreaterThan(rounds(40, 100))
    expect([...(await listed("/tags")).values()].map((tag) => tag.name).sort()).toEqual([...spellings.values()].sort())
  })

  it("are stored unchanged as bodies, titles and tags of notes, or refused by the rules", async () => {
    await each(sampled(strings, 80), async (text) => {
      const made = await sound("POST", "/notes", { notebook_id: notebook, title: "plain", body: text })
      expect(made.status, JSON.stringify(text)).toBe(isText(text) ? 201 : 422)
      if (made.status !== 201) return
      const { id } = made.body
      expect(made.body.body).toBe(text)
      const titled = await sound("PATCH", `/notes/${id}`, { title: text })
      expect(titled.status, JSON.stringify(text)).toBe(isLine(text, 200) ? 200 : 422)
      const title = titled.status === 200 ? onOneLine(text) : "plain"
      const tagged = await sound("PATCH", `/notes/${id}`, { tags: [text], body: `${text}\n${text}` })
      expect(tagged.status, JSON.stringify(text)).toBe(isTag(text) ? 200 : 422)
      const body = isTag(text) ? `${text}\n${text}` : text
      const got = (await sound("GET", `/notes/${id}`)).body
      expect([got.title, got.body]).toEqual([title, body])
      expect(got.tags).toEqual(isTag(text) ? [spellings.get(keyOf(text))] : [])
      const versions = (await sound("GET", `/notes/${id}/versions`)).body.data
      expect(versions.at(-1)).toMatchObject({ title: "plain", body: text })
      expect(versions[0]).toMatchObject({ title, body })
      notes.set(id, { title, body })
    })
  })

  it("are stored unchanged as notebook names, or refused by the rules", async () => {
    await each(strings, async (name) => {
      const { body, status } = await sound("POST", "/notebooks", { name })
      expect(status, JSON.stringify(name)).toBe(isLine(name, 100) ? 201 : 422)
      if (status === 201) notebooks.set(body.id, onOneLine(name))
    })
  })

  it("are stored unchanged by a push, or rejected by the rules", async () => {
    const results = await sound("POST", "/sync/push", {
      device: { name: "naughty", platform: "test" },
      changes: strings.map((text) => ({
        type: "note",
        op: "upsert",
        data: { notebook_id: notebook, title: "pushed", body: text, [text]: text }
      }))
    })
    expect(results.body.results.map((result: any) => result.status)).toEqual(
      strings.map((text) => (isText(text) ? "applied" : "rejected"))
    )
    for (const { data, id } of results.body.changes) {
      notes.set(id, { title: "pushed", body: strings[results.body.results.findIndex((each: any) => each.id === id)]! })
      expect(data.body).toBe(notes.get(id)!.body)
    }
    for (const entryOf of [
      (text: string) => ({ type: text, op: text, id: text, mutation_id: text, client_ref: text, data: {} }),
      (text: string) => ({ type: "note", op: "delete", id: text, mutation_id: text, revision: 1 })
    ]) {
      const { body } = await sound("POST", "/sync/push", { changes: strings.map((text) => entryOf(text)) })
      expect(new Set(body.results.map((result: any) => result.status))).toEqual(new Set(["rejected"]))
    }
  })

  it("are returned unchanged by pull and lists", async () => {
    const changes = await pulled()
    const list = await listed("/notes")
    for (const [id, note] of notes) {
      expect(changes.get(id)).toMatchObject(note)
      expect(list.get(id)).toMatchObject(note)
    }
    const shelf = await listed("/notebooks")
    for (const [id, name] of notebooks) {
      expect(changes.get(id).name).toBe(name)
      expect(shelf.get(id).name).toBe(name)
    }
    const spelt = [...changes.values()].filter((data) => data?.color === null && "name" in data && !("icon" in data))
    expect(spelt.map((data) => data.name).sort()).toEqual([...spellings.values()].sort())
  })

  it("cause no error as search query, completion, device, key, cursor, sort, filter and id", async () => {
    await each(sampled(strings, 60), async (text) => {
      const found = await sound("POST", "/search", { query: text, tags: [text], notebook_id: text })
      expect(found.status, JSON.stringify(text)).toBe(isText(text) ? 201 : 422)
      const alone = await sound("POST", "/search", { query: text })
      if (alone.status === 201) expect(alone.body.query).toBe(text)
      const part = encodeURIComponent(text.toWellFormed())
      await sound("GET", `/search/suggest?q=${part}`)
      for (const name of ["cursor", "sort", "filter", text.toWellFormed()]) {
        await sound("GET", `/notes?${encodeURIComponent(name)}=${part}`)
      }
      if (text.length < 100 && !/^\.*$/.test(text)) {
        const { status } = await sound("GET", `/notes/${part}`)
        expect(status, JSON.stringify(text)).toBe(404)
        await sound("DELETE", `/tags/${part}`)
        await sound("GET", `/notes/nt_none/versions/${part}`)
        await sound("DELETE", `/notebooks/${notebook}x?move_notes_to=${part}`)
      }
      await sound("POST", "/sync/pull", { cursor: text, types: [text], device: { name: text, platform: text } })
      await sound("POST", "/tags/merge", { sources: [text], target: text })
    })
  })

  it("leave the workspace consistent", () => expectTruth(app))
})
