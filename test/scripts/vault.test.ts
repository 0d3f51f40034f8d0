import { crc32 } from "node:zlib"
import { describe, expect, it } from "vitest"
import { frontMatter, prose, tagName, tagsOf } from "../../scripts/demo/markdown.ts"
import { batchesOf, foldersToNames, newId, planPush } from "../../scripts/demo/plan.ts"
import { chooseQueries } from "../../scripts/demo/search.ts"
import { EventParser } from "../../scripts/demo/stream.ts"
import { readVault } from "../../scripts/demo/vault.ts"

/** A ZIP with stored entries, UTF-8 names. */
function zip(files: readonly (readonly [name: string, content: string | Buffer])[], damage = false): Buffer {
  const locals: Buffer[] = []
  const central: Buffer[] = []
  let offset = 0
  for (const [name, content] of files) {
    const data = Buffer.from(content as string)
    const file = Buffer.from(name)
    const common = Buffer.alloc(26)
    common.writeUInt16LE(20, 0)
    common.writeUInt16LE(0x0800, 2)
    common.writeUInt32LE((crc32(data) ^ (damage ? 1 : 0)) >>> 0, 10)
    common.writeUInt32LE(data.length, 14)
    common.writeUInt32LE(data.length, 18)
    common.writeUInt16LE(file.length, 22)
    locals.push(Buffer.from("PK\x03\x04"), common, file, data)
    const tail = Buffer.alloc(14)
    tail.writeUInt32LE(offset, 10)
    central.push(Buffer.from("PK\x01\x02\x14\x00", "latin1"), common, tail, file)
    offset += 30 + file.length + data.length
  }
  const directory = Buffer.concat(central)
  const end = Buffer.alloc(22)
  end.write("PK\x05\x06", "latin1")
  end.writeUInt16LE(files.length, 8)
  end.writeUInt16LE(files.length, 10)
  end.writeUInt32LE(directory.length, 12)
  end.writeUInt32LE(offset, 16)
  return Buffer.concat([...locals, directory, end])
}

describe("tags", () => {
  it("reads front matter as a list, a comma list and a spaced list", () => {
    expect(tagsOf("---\ntags: [One, '#two', three four]\n---\n")).toEqual(["One", "two", "three-four"])
    expect(tagsOf("---\ntags: one, two\ntag: '#three four'\n---\n")).toEqual(["one", "two", "three", "four"])
    expect(tagsOf("\uFEFF---\r\ntags:\r\n  - a\r\n  - 2024\r\n---\r\ntext")).toEqual(["a", "2024"])
  })

  it("survives broken YAML and leaves its lines out of the scan", () => {
    expect(tagsOf("---\ntags: [a\nx: #no\n---\n#yes")).toEqual(["yes"])
    expect(frontMatter("--- \n\nnot front matter").end).toBe(0)
  })

  it("reads inline tags where a reader sees one", () => {
    expect(tagsOf("#start and #nested/tag, also #kebab-case. Not C#sharp, a#b, #123 or # alone")).toEqual([
      "start",
      "nested/tag",
      "kebab-case"
    ])
    expect(tagsOf("- tags:: #Academic\n- #[[minor change]] #日本語 #naïve")).toEqual([
      "Academic",
      "minor-change",
      "日本語",
      "naïve"
    ])
  })

  it("reads no tags from code, headings, links, comments and URLs", () => {
    const text = [
      "# Title #a",
      "- ## Block #b",
      "`#c` and ``x ` #d``",
      "```css",
      "#e",
      "````",
      "~~~",
      "#f",
      "~~~ ",
      "- ```",
      "  #g",
      "  ```",
      "[[Page #h]] [text](<page #i>) https://example.org/ #real",
      "%% #j %% <!-- #k -->"
    ].join("\n")
    expect(tagsOf(text)).toEqual(["real"])
    expect(tagsOf("```\n#never closed")).toEqual([])
    expect(prose("a ```inline``` b").replace(/ +/g, " ")).toBe("a b")
  })

  it("follows the contract: NFC, 50 code points, no duplicates in another case, at most 50", () => {
    expect(tagsOf("#cafe\u0301 #CAFÉ #Café")).toEqual(["café"])
    expect(Array.from(tagsOf(`#${"😀".repeat(60)}`)[0] ?? "")).toHaveLength(50)
    expect(tagsOf(Array.from({ length: 60 }, (_, index) => `#t${index}`).join(" "))).toHaveLength(50)
    expect(tagName(" #a, b#c ")).toBe("a-b-c")
    expect(tagName("###")).toBeUndefined()
    expect(tagName(null)).toBeUndefined()
  })
})

describe("vault", () => {
  it("keeps every byte and lists what it left out", async () => {
    const body = "\uFEFF---\r\ntags: x\r\n---\r\nZeile\tмир 日本\r\n\r\n"
    const vault = await readVault(
      zip([
        ["Area/Sub/Note. One.md", body],
        ["empty.md", ""],
        ["image.png", "png"],
        [".obsidian/plugin.md", "hidden"],
        ["bad.md", Buffer.from([0x61, 0xff])],
        ["nul.md", "a\0b"],
        ["huge.md", "x".repeat(1_048_577)]
      ])
    )
    expect(vault.notes.map(({ path, title, folders }) => ({ path, title, folders }))).toEqual([
      { path: "Area/Sub/Note. One.md", title: "Note. One", folders: ["Area", "Sub"] },
      { path: "empty.md", title: "empty", folders: [] }
    ])
    expect(vault.notes[0]?.bytes.equals(Buffer.from(body))).toBe(true)
    expect(vault.notes[0]?.body).toBe(body)
    expect(vault.notes[0]?.tags).toEqual(["x"])
    expect(vault.files).toEqual([{ path: "image.png", name: "image.png", bytes: Buffer.from("png") }])
    expect(vault.leftOut.map(({ path }) => path).sort()).toEqual(["bad.md", "huge.md", "nul.md"])
  })

  it("cuts a title at 200 code points, leaves damaged files out and refuses a file that is not a ZIP", async () => {
    const long = await readVault(zip([[`${"😀".repeat(205)}.md`, "x"]]))
    expect(Array.from(long.notes[0]?.title ?? "")).toHaveLength(200)
    const damaged = await readVault(zip([["a.md", "text"]], true))
    expect(damaged.leftOut).toEqual([{ path: "a.md", why: "damaged: wrong checksum" }])
    await expect(readVault(Buffer.from("no zip at all, only text of some length"))).rejects.toThrow()
  })
})

describe("plan", () => {
  it("puts parents before children, at most five levels, in batches", async () => {
    const vault = await readVault(
      zip([
        ["a/b/c/d/e/f.md", "deep"],
        ["a/b/c/d/x.md", "one less"],
        ["a/top.md", "high"],
        ["root.md", "none"]
      ])
    )
    const plan = planPush(vault, "Vault 1")
    const paths = plan.notes.map(({ notebookPath }) => notebookPath.join("›"))
    expect(paths).toEqual(["Vault 1›a›b›c›d / e", "Vault 1›a›b›c›d", "Vault 1›a", "Vault 1"])
    const known = new Set<unknown>([null])
    for (const { type, id, data } of plan.batches.flat()) {
      expect(id).toMatch(/^n[bt]_[0-9A-Za-z_-]{22}$/)
      expect(known.has(type === "notebook" ? data["parent_id"] : data["notebook_id"])).toBe(true)
      known.add(id)
    }
    expect(plan.notebooks.size).toBe(6)
  })

  it("splits by count and by bytes", () => {
    const entries = Array.from({ length: 5 }, () => ({
      type: "note",
      id: newId("nt_"),
      data: { body: "x".repeat(1000) }
    }))
    expect(batchesOf(entries, 2).map((batch) => batch.length)).toEqual([2, 2, 1])
    expect(batchesOf(entries, 10, 2500).map((batch) => batch.length)).toEqual([2, 2, 1])
    expect(batchesOf(entries, 10, 10).map((batch) => batch.length)).toEqual([1, 1, 1, 1, 1])
    expect(foldersToNames(["a", "b", "c"], 2)).toEqual(["a", "b / c"])
  })

  it("chooses the same queries each time", async () => {
    const files = ["Gardening manual", "Winter vegetables", "Bicycle repair"].map(
      (title, index) => [`${title}.md`, `some unusual${"abc"[index]} words standing here #tag${index}\n`] as const
    )
    const { notes } = planPush(await readVault(zip(files)), "V")
    const queries = chooseQueries(notes)
    expect(chooseQueries(notes)).toEqual(queries)
    expect(new Set(queries.map(({ kind }) => kind))).toEqual(
      new Set(["title", "word", "prefix", "typo", "tag", "phrase"])
    )
    for (const { wanted } of queries) expect(wanted.length).toBeGreaterThan(0)
    expect(queries.find(({ kind }) => kind === "typo")?.text).toBe("gardxning")
  })
})

describe("event stream", () => {
  it("reads events split anywhere, with any line ending", () => {
    const text =
      ": ping\n\nretry: 10\r\nid: 1\r\nevent: change\r\ndata: {\r\ndata: }\r\n\r\nid:2\rdata:x\r\revent: y\n\n"
    for (const size of [1, 2, 3, 7, 1000]) {
      const parser = new EventParser()
      const events = []
      for (let at = 0; at < text.length; at += size) events.push(...parser.feed(text.slice(at, at + size)))
      expect(events).toEqual([
        { event: "change", data: "{\n}", id: "1" },
        { event: "message", data: "x", id: "2" }
      ])
      expect(parser.lastEventId).toBe("2")
      expect(parser.retry).toBe(10)
    }
  })

  it("discards an event that a broken connection truncated", () => {
    const parser = new EventParser()
    parser.feed("id: 5\ndata: a\n\nid: 6\nda")
    parser.reset()
    expect(parser.lastEventId).toBe("5")
    expect(parser.feed("ta: b\n\ndata: c\n\n")).toEqual([{ event: "message", data: "c", id: undefined }])
  })
})
