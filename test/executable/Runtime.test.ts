import fc from "fast-check"
import { spawn } from "node:child_process"
import { once } from "node:events"
import * as fs from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { afterAll, describe, expect, it } from "vitest"
import { pack, type PackedFile } from "../../scripts/release/pack.ts"
import { DamagedExecutable, install } from "../../src/program/executable/Runtime.ts"
import { eventually } from "../support/flows/eventually.ts"
import { rounds } from "../support/Slow.ts"

const place = fs.mkdtempSync(join(tmpdir(), "sheaf-runtime-"))
afterAll(() => fs.rmSync(place, { recursive: true, force: true }))

let number = 0
const emptyFolder = () => join(place, String(++number), "runtime")

const packed = (count: number): ReadonlyArray<PackedFile> =>
  Array.from({ length: count }, (_, index) => ({
    path: `folder ${index % 7}/${index}`,
    mode: index % 2 === 0 ? 0o644 : 0o755,
    bytes: Buffer.from(`content of ${index} `.repeat(index))
  }))

const files = packed(30)
const { bytes, manifest } = pack("1.2.3", files)
const unpackedInto = (folder: string) => install(folder, manifest, () => bytes)

const contents = (home: string) =>
  files.map(({ path }) => [fs.readFileSync(join(home, path)), fs.statSync(join(home, path)).mode & 0o777])
const expected = files.map(({ bytes, mode }) => [bytes, mode])
const inodes = (home: string) => files.map(({ path }) => fs.statSync(join(home, path), { throwIfNoEntry: false })?.ino)

/** A process that unpacks a thousand files. */
const unpacking = (folder: string) => {
  const [runtime, packing] = ["src/program/executable/Runtime.ts", "scripts/release/pack.ts"].map((file) =>
    JSON.stringify(pathToFileURL(join(import.meta.dirname, "../..", file)).href)
  )
  const code = `
    import { install } from ${runtime}
    import { pack } from ${packing}
    const files = Array.from({ length: 1000 }, (_, index) => ({ path: index + "/file", mode: 0o755, bytes: Buffer.alloc(9000, index) }))
    const { bytes, manifest } = pack("1.2.3", files)
    console.log(install(${JSON.stringify(folder)}, manifest, () => bytes))`
  const child = spawn(process.execPath, ["--input-type=module", "-e", code], { stdio: ["ignore", "pipe", "inherit"] })
  let output = ""
  child.stdout.on("data", (text) => (output += text))
  return { child, ended: once(child, "close").then(([status]) => ({ status, home: output.trim() })) }
}

const wholeFiles = (home: string): number => {
  const found = fs.existsSync(home) ? fs.readdirSync(home) : []
  let count = 0
  for (const name of found) {
    const file = join(home, name, "file")
    if (!fs.existsSync(file)) continue
    expect(fs.readFileSync(file).equals(Buffer.alloc(9000, Number(name)))).toBe(true)
    count += 1
  }
  return count
}

describe("the files of the executable", () => {
  it("are unpacked once, with their modes whatever the umask is", () => {
    const folder = emptyFolder()
    const umask = process.umask(0o077)
    try {
      const home = unpackedInto(folder)
      expect(contents(home)).toEqual(expected)
      expect(fs.statSync(join(home, "folder 1")).mode & 0o777).toBe(0o755)
      const before = inodes(home)
      expect(install(folder, manifest, () => expect.fail("the files were read again"))).toBe(home)
      expect(inodes(home)).toEqual(before)
      expect(process.umask(umask)).toBe(0o077)
    } finally {
      process.umask(umask)
    }
  })

  it("are replaced when they are missing, truncated or changed, and only then", () => {
    const folder = emptyFolder()
    const home = unpackedInto(folder)
    const damage = fc.record({
      index: fc.nat(files.length - 1),
      kind: fc.constantFrom("missing", "truncated", "changed", "longer"),
      at: fc.nat()
    })
    fc.assert(
      fc.property(fc.uniqueArray(damage, { selector: ({ index }) => index, maxLength: 5 }), (damages) => {
        const before = inodes(home)
        const damaged = new Set<number>()
        for (const { at, index, kind } of damages) {
          const file = join(home, files[index]!.path)
          const text = Buffer.from(files[index]!.bytes)
          if (kind === "missing") fs.rmSync(file)
          else if (kind === "longer") fs.appendFileSync(file, "x")
          else if (text.length === 0) continue
          else if (kind === "truncated") fs.truncateSync(file, at % text.length)
          else {
            text[at % text.length]! ^= 1
            fs.writeFileSync(file, text)
          }
          damaged.add(index)
        }
        expect(unpackedInto(folder)).toBe(home)
        expect(contents(home)).toEqual(expected)
        for (const [index, inode] of inodes(home).entries()) if (!damaged.has(index)) expect(inode).toBe(before[index])
        expect(fs.readdirSync(folder)).toEqual([manifest.name])
      }),
      { numRuns: rounds(30, 300) }
    )
  })

  it("are whole or missing after a kill at any moment, and the next start completes them", async () => {
    for (let round = 0; round < rounds(3, 30); round++) {
      const folder = emptyFolder()
      const { child, ended } = unpacking(folder)
      await eventually("files are unpacked", () => {
        const name = fs.existsSync(folder) ? fs.readdirSync(folder).find((entry) => entry.startsWith("1.")) : undefined
        return name !== undefined && fs.readdirSync(join(folder, name)).length > round * 20
      })
      child.kill("SIGKILL")
      await ended
      const home = join(
        folder,
        fs.readdirSync(folder).find((entry) => entry.startsWith("1."))!
      )
      wholeFiles(home)
      expect(await unpacking(folder).ended).toEqual({ status: 0, home })
      expect(wholeFiles(home)).toBe(1000)
    }
  })

  it("are complete for each of several starts at once", async () => {
    const folder = emptyFolder()
    const starts = await Promise.all(Array.from({ length: 4 }, () => unpacking(folder).ended))
    const [home] = starts.map((start) => start.home)
    expect(starts).toEqual(Array.from({ length: 4 }, () => ({ status: 0, home })))
    expect(wholeFiles(home!)).toBe(1000)
    expect(fs.readdirSync(folder)).toHaveLength(1)
  })

  it("of the version that was unpacked last are kept, older ones and those of interrupted starts are deleted", () => {
    const folder = emptyFolder()
    const versions = ["1.0.0", "1.1.0", "1.2.0", "1.3.0"].map((version) => pack(version, files))
    for (const [hour, { bytes, manifest }] of versions.entries()) {
      const home = install(folder, manifest, () => bytes)
      fs.utimesSync(home, hour * 3600, hour * 3600)
    }
    const [, , previous, current] = versions.map(({ manifest }) => manifest.name)
    expect(fs.readdirSync(folder).sort()).toEqual([previous, current])
    for (const [name, age] of [
      [".unpacking-old", 7200],
      [".unpacking-new", 60]
    ] as const) {
      fs.mkdirSync(join(folder, name))
      fs.utimesSync(join(folder, name), Date.now() / 1000 - age, Date.now() / 1000 - age)
    }
    // A command of the previous version deletes neither.
    install(folder, versions[2]!.manifest, () => bytes)
    expect(fs.readdirSync(folder).sort()).toEqual([".unpacking-new", ".unpacking-old", previous, current])
    const next = pack("1.4.0", files)
    install(folder, next.manifest, () => next.bytes)
    expect(fs.readdirSync(folder).sort()).toEqual([".unpacking-new", current, next.manifest.name])
  })

  it("of two builds of one version are in two folders", () => {
    const other = pack("1.2.3", [{ ...files[0]!, bytes: Buffer.from("another build") }, ...files.slice(1)])
    expect(other.manifest.name).not.toBe(manifest.name)
    expect(pack("1.2.3", files).manifest.name).toBe(manifest.name)
  })

  it("are not unpacked from a damaged executable", () => {
    const folder = emptyFolder()
    const damaged = Buffer.from(bytes)
    damaged[damaged.length - 1]! ^= 1
    expect(() => install(folder, manifest, () => damaged)).toThrow(DamagedExecutable)
    const home = join(folder, manifest.name)
    expect(fs.existsSync(join(home, files.at(-1)!.path))).toBe(false)
    expect(fs.readdirSync(folder)).toEqual([manifest.name])
    expect(contents(unpackedInto(folder))).toEqual(expected)
  })
})
