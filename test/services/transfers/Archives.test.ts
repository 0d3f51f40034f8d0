import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { limits } from "../../../services/transfers/formats/Item.ts"
import { isSlow } from "../../support/Slow.ts"
import { hostileArchives } from "./HostileArchives.ts"
import { fileOf, hasSamples, readAll, samples, told, withSamples } from "./Reading.ts"
import { type ZipEntry, zipOf } from "./Zip.ts"

const reading = (entries: ReadonlyArray<ZipEntry>, options = {}) =>
  readAll(fileOf("vault.zip", zipOf(entries)), "markdown", options)

const good = { name: "good.md", content: "# good" }

describe("an archive", () => {
  it("is read but for entries whose path leads elsewhere", async () => {
    const paths = ["../up.md", "a/../../up.md", "/abs.md", "C:\\drive.md", "..\\back.md", "a.md\0.png", "..", "."]
    const got = await reading([good, ...paths.map((name) => ({ name, content: "x" }))])
    expect(got.notes.map(({ title }) => title)).toEqual(["good"])
    expect(got.problems.map(({ code }) => code)).toEqual(paths.map(() => "unsafe_path"))
  })

  it("is read but for links to other places", async () => {
    const got = await reading([good, { name: "passwd.md", content: "/etc/passwd", mode: 0o120777 }])
    expect(got.notes).toHaveLength(1)
    expect(told(got)).toEqual(["passwd.md: symbolic_link"])
  })

  it("is read but for encrypted entries, and those of other compressions", async () => {
    const got = await reading([
      good,
      { ...good, name: "secret.md", flags: 0x801 },
      { ...good, name: "lzma.md", method: 14 }
    ])
    expect(got.notes).toHaveLength(1)
    expect(told(got)).toEqual(["secret.md: encrypted", "lzma.md: unsupported_compression"])
  })

  it.each([
    [9, "Deflate64"],
    [12, "BZIP2"],
    [14, "LZMA"],
    [93, "Zstandard"],
    [95, "XZ"],
    [77, "an unknown method"]
  ])("names the file, the method %i (%s) and what to do about it", async (method, name) => {
    const got = await reading([good, { ...good, name: "Dir/odd.md", method }])
    expect(got.problems).toMatchObject([{ file: "Dir/odd.md", code: "unsupported_compression" }])
    expect(got.problems[0]?.message).toContain(`${name} (method ${method})`)
    expect(got.problems[0]?.message).toContain("pack it again with Deflate")
  })

  it.each([
    ["more bytes than it says", { size: 3 }],
    ["fewer bytes than it says", { size: 3_000 }],
    ["another checksum", { crc: 1 }],
    ["a place outside of it", { place: 0xf000_0000 }]
  ])("is read but for entries that have %s", async (_, lie) => {
    const got = await reading([{ name: "bad.md", content: "something", ...lie }, good])
    expect(got.notes.map(({ title }) => title)).toEqual(["good"])
    expect(told(got)).toEqual(["bad.md: damaged"])
  })

  it("tells of a damaged file when its bytes are read", async () => {
    const image = { name: "i.png", content: "0".repeat(200_000), crc: 1 }
    const got = await reading([{ name: "a.md", content: "![](i.png)" }, image])
    expect(got.files).toMatchObject([{ filename: "i.png", failed: "Error: Its checksum is wrong" }])
  })

  it("is read but for entries that share their bytes", async () => {
    const content = "0".repeat(10_000)
    const shared = Array.from({ length: 50 }, (_, index) => ({ name: `${index}.md`, content, sameAs: 0 }))
    const got = await reading([{ name: "n.md", content }, ...shared])
    expect(got.notes).toHaveLength(1)
    expect(got.problems.map(({ code }) => code)).toEqual(shared.map(() => "overlapping"))
  })

  it("is read but for entries out of which far more comes than went in", async () => {
    const got = await reading([good, { name: "bomb.md", content: Buffer.alloc(20_000_000) }])
    expect(got.notes).toHaveLength(1)
    expect(told(got)).toEqual(["bomb.md: suspicious_ratio"])
  })

  it.each([
    ["more files", "too_many_entries", { entries: 2 }],
    ["more bytes", "too_large", { unpackedBytes: 100 }],
    ["more bytes as it is", "too_large", { packedBytes: 100 }]
  ])("with %s than an import may have is not read", async (_, code, less) => {
    const entries = Array.from({ length: 3 }, (_, index) => ({ name: `${index}.md`, content: "x".repeat(60) }))
    const got = await reading(entries, { limits: { ...limits, ...less } })
    expect(got.notes).toEqual([])
    expect(got.problems).toMatchObject([{ code, isFatal: true }])
  })

  it.each([
    ["empty", ""],
    ["of another kind", "%PDF-1.4 not a zip"],
    ["cut short", zipOf([good, good]).subarray(0, 100)]
  ])("that is %s is told as one that cannot be read", async (_, content) => {
    const got = await readAll(fileOf("vault.zip", content), "markdown")
    expect(got.notes).toEqual([])
    expect(got.problems).toMatchObject([{ file: "", code: "not_readable", isFatal: true }])
  })

  it.each([
    ["UTF-8 that does not say so", Buffer.from("日本語"), "日本語"],
    ["code page 437", Buffer.from([0x9a, 0x62, 0x65, 0x6e, 0x20, 0x66, 0x81, 0x72]), "Üben für"],
    ["Windows", Buffer.from([0x72, 0xe9, 0x73, 0x75, 0x6d, 0xe9]), "résumé"],
    ["Shift-JIS", Buffer.from([0x93, 0xfa, 0x96, 0x7b, 0x8c, 0xea, 0x83, 0x6d, 0x81, 0x5b, 0x83, 0x67]), "日本語ノート"]
  ])("may have names in %s", async (_, bytes, title) => {
    const got = await reading([{ name: Buffer.concat([bytes, Buffer.from(".md")]), content: "x" }])
    expect(got.notes.map((note) => note.title)).toEqual([title])
  })

  it("may have a path twice: both are read", async () => {
    const got = await reading([good, { ...good, content: "# other" }])
    expect(new Set(got.notes.map(({ key }) => key)).size).toBe(2)
    expect(told(got)).toEqual(["good.md: duplicate_path"])
  })

  it("is closed by whoever reads on no further", async () => {
    const { read } = await import("../../../services/transfers/formats/Read.ts")
    const names = { note: String, file: String }
    const path = fileOf("vault.zip", zipOf([good, { ...good, name: "b.md" }]))
    const items = read(path, { source: "markdown", filename: "vault.zip", names, scratch: "", now: new Date(0) })
    expect((await items.next()).value).toMatchObject({ type: "note", title: "good" })
    await items.return()
    expect(await items.next()).toEqual({ done: true, value: undefined })
  })
})

describe.skipIf(!hasSamples)(`archives made to do harm${withSamples}`, () => {
  const hostile = (name: string) => readAll(join(samples, "markdown", "hostile-zips", name), "markdown")

  it.each(isSlow ? [...hostileArchives, ["many-entries-20000.zip", 20_000, []] as const] : hostileArchives)(
    "%s: %i notes, and what is told",
    async (name, count, codes) => {
      const got = await hostile(name)
      expect(got.notes).toHaveLength(count)
      expect(got.problems.map(({ code }) => code)).toEqual(codes)
      expect(got.notes.map(({ body }) => body).join("")).not.toContain("root:")
    }
  )

  it("have names of every kind, each of which becomes a title", async () => {
    const titles = (await hostile("names-weird.zip")).notes.map(({ title }) => title)
    expect(titles).toEqual(
      expect.arrayContaining(["🎉 party 👩‍👩‍👧", "مرحبا", "日本語ノート", "CON", ".hidden", "new line", "tab name"])
    )
    expect((await hostile("names-cp437.zip")).notes[0]?.title).toBe("Üben für Grüße")
    expect((await hostile("names-utf8-noflag.zip")).notes[0]?.title).toBe("日本語")
  })
})
