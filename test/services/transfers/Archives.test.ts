import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { limits } from "../../../services/transfers/formats/Item.ts"
import { isSlow } from "../../support/Slow.ts"
import { hostileArchives } from "./HostileArchives.ts"
import { fileOf, hasSamples, readAll, reported, samples, withSamples } from "./Reading.ts"
import { type ZipEntry, zipOf } from "./Zip.ts"

const reading = (entries: ReadonlyArray<ZipEntry>, options = {}) =>
  readAll(fileOf("vault.zip", zipOf(entries)), "markdown", options)

const good = { name: "good.md", content: "# good" }

describe("reading an archive", () => {
  it("refuses entries whose paths lead out of the archive", async () => {
    const paths = ["../up.md", "a/../../up.md", "/abs.md", "C:\\drive.md", "..\\back.md", "a.md\0.png", "..", "."]
    const got = await reading([good, ...paths.map((name) => ({ name, content: "x" }))])
    expect(got.notes.map(({ title }) => title)).toEqual(["good"])
    expect(got.problems.map(({ code }) => code)).toEqual(paths.map(() => "unsafe_path"))
  })

  it("refuses symbolic links", async () => {
    const got = await reading([good, { name: "passwd.md", content: "/etc/passwd", mode: 0o120777 }])
    expect(got.notes).toHaveLength(1)
    expect(reported(got)).toEqual(["passwd.md: symbolic_link"])
  })

  it("refuses encrypted entries and unsupported compression methods", async () => {
    const got = await reading([
      good,
      { ...good, name: "secret.md", flags: 0x801 },
      { ...good, name: "lzma.md", method: 14 }
    ])
    expect(got.notes).toHaveLength(1)
    expect(reported(got)).toEqual(["secret.md: encrypted", "lzma.md: unsupported_compression"])
  })

  it.each([
    [9, "Deflate64"],
    [12, "BZIP2"],
    [14, "LZMA"],
    [93, "Zstandard"],
    [95, "XZ"],
    [77, "an unknown method"]
  ])("reports the file, the method %i (%s) and a remedy", async (method, name) => {
    const got = await reading([good, { ...good, name: "Dir/odd.md", method }])
    expect(got.problems).toMatchObject([{ file: "Dir/odd.md", code: "unsupported_compression" }])
    expect(got.problems[0]?.message).toContain(`${name} (method ${method})`)
    expect(got.problems[0]?.message).toContain("pack it again with Deflate")
  })

  it.each([
    ["more bytes than declared", { size: 3 }],
    ["fewer bytes than declared", { size: 3_000 }],
    ["a wrong checksum", { crc: 1 }],
    ["a position outside of the archive", { place: 0xf000_0000 }]
  ])("refuses entries with %s", async (_, lie) => {
    const got = await reading([{ name: "bad.md", content: "something", ...lie }, good])
    expect(got.notes.map(({ title }) => title)).toEqual(["good"])
    expect(reported(got)).toEqual(["bad.md: damaged"])
  })

  it("reports a damaged file when its bytes are read", async () => {
    const image = { name: "i.png", content: "0".repeat(200_000), crc: 1 }
    const got = await reading([{ name: "a.md", content: "![](i.png)" }, image])
    expect(got.files).toMatchObject([{ filename: "i.png", failed: "Error: Its checksum is wrong" }])
  })

  it("refuses entries that share bytes with others", async () => {
    const content = "0".repeat(10_000)
    const shared = Array.from({ length: 50 }, (_, index) => ({ name: `${index}.md`, content, sameAs: 0 }))
    const got = await reading([{ name: "n.md", content }, ...shared])
    expect(got.notes).toHaveLength(1)
    expect(got.problems.map(({ code }) => code)).toEqual(shared.map(() => "overlapping"))
  })

  it("refuses entries with a suspicious compression ratio", async () => {
    const got = await reading([good, { name: "bomb.md", content: Buffer.alloc(20_000_000) }])
    expect(got.notes).toHaveLength(1)
    expect(reported(got)).toEqual(["bomb.md: suspicious_ratio"])
  })

  it.each([
    ["files", "too_many_entries", { entries: 2 }],
    ["unpacked bytes", "too_large", { unpackedBytes: 100 }],
    ["packed bytes", "too_large", { packedBytes: 100 }]
  ])("rejects an archive with too many %s", async (_, code, less) => {
    const entries = Array.from({ length: 3 }, (_, index) => ({ name: `${index}.md`, content: "x".repeat(60) }))
    const got = await reading(entries, { limits: { ...limits, ...less } })
    expect(got.notes).toEqual([])
    expect(got.problems).toMatchObject([{ code, isFatal: true }])
  })

  it.each([
    ["empty", ""],
    ["of another format", "%PDF-1.4 not a zip"],
    ["truncated", zipOf([good, good]).subarray(0, 100)]
  ])("reports an archive that is %s as not readable", async (_, content) => {
    const got = await readAll(fileOf("vault.zip", content), "markdown")
    expect(got.notes).toEqual([])
    expect(got.problems).toMatchObject([{ file: "", code: "not_readable", isFatal: true }])
  })

  it.each([
    ["UTF-8 that is not declared", Buffer.from("日本語"), "日本語"],
    ["code page 437", Buffer.from([0x9a, 0x62, 0x65, 0x6e, 0x20, 0x66, 0x81, 0x72]), "Üben für"],
    ["Windows", Buffer.from([0x72, 0xe9, 0x73, 0x75, 0x6d, 0xe9]), "résumé"],
    ["Shift-JIS", Buffer.from([0x93, 0xfa, 0x96, 0x7b, 0x8c, 0xea, 0x83, 0x6d, 0x81, 0x5b, 0x83, 0x67]), "日本語ノート"]
  ])("decodes names in %s", async (_, bytes, title) => {
    const got = await reading([{ name: Buffer.concat([bytes, Buffer.from(".md")]), content: "x" }])
    expect(got.notes.map((note) => note.title)).toEqual([title])
  })

  it("reads both entries that have the same path", async () => {
    const got = await reading([good, { ...good, content: "# other" }])
    expect(new Set(got.notes.map(({ key }) => key)).size).toBe(2)
    expect(reported(got)).toEqual(["good.md: duplicate_path"])
  })

  it("closes the archive when the consumer stops early", async () => {
    const { read } = await import("../../../services/transfers/formats/FileReader.ts")
    const names = { note: String, file: String }
    const path = fileOf("vault.zip", zipOf([good, { ...good, name: "b.md" }]))
    const items = read(path, { source: "markdown", filename: "vault.zip", names, scratch: "", now: new Date(0) })
    expect((await items.next()).value).toMatchObject({ type: "note", title: "good" })
    await items.return()
    expect(await items.next()).toEqual({ done: true, value: undefined })
  })
})

describe.skipIf(!hasSamples)(`malicious archives${withSamples}`, () => {
  const hostile = (name: string) => readAll(join(samples, "markdown", "hostile-zips", name), "markdown")

  it.each(isSlow ? [...hostileArchives, ["many-entries-20000.zip", 20_000, []] as const] : hostileArchives)(
    "%s yields %i notes and the expected problems",
    async (name, count, codes) => {
      const got = await hostile(name)
      expect(got.notes).toHaveLength(count)
      expect(got.problems.map(({ code }) => code)).toEqual(codes)
      expect(got.notes.map(({ body }) => body).join("")).not.toContain("root:")
    }
  )

  it("yield titles from names of every kind", async () => {
    const titles = (await hostile("names-weird.zip")).notes.map(({ title }) => title)
    expect(titles).toEqual(
      expect.arrayContaining(["🎉 party 👩‍👩‍👧", "مرحبا", "日本語ノート", "CON", ".hidden", "new line", "tab name"])
    )
    expect((await hostile("names-cp437.zip")).notes[0]?.title).toBe("Üben für Grüße")
    expect((await hostile("names-utf8-noflag.zip")).notes[0]?.title).toBe("日本語")
  })
})
