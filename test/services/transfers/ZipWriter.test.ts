import { describe, expect, it } from "vitest"
import { pack, ZipWriter } from "../../../services/transfers/formats/zip/ZipWriter.ts"
import { unzip } from "../../support/Unzip.ts"

const time = "2026-03-01T12:34:56.789Z"

const written = async (fill: (zip: ZipWriter) => Promise<void>): Promise<Buffer> => {
  const pieces: Array<Uint8Array> = []
  const zip = new ZipWriter(async (piece) => void pieces.push(piece))
  await fill(zip)
  await zip.end()
  return Buffer.concat(pieces)
}

async function* streamed(text: string) {
  for (const letter of text) yield Buffer.from(letter)
}

describe("the ZIP writer", () => {
  it("stores entries with names in any script and times in UTC, and nothing about the machine", async () => {
    const zip = await written(async (zip) => {
      await zip.add("ä/日本.md", time, pack("held"))
      await zip.add("empty", time, pack(""))
      await zip.addStream("streamed", time, streamed("piece by piece"), 14)
    })
    const { entries, files } = await unzip(zip)
    expect([...files].map(([name, bytes]) => [name, bytes.toString()])).toEqual([
      ["ä/日本.md", "held"],
      ["empty", ""],
      ["streamed", "piece by piece"]
    ])
    for (const entry of entries) {
      // Years from 1980, months and days; hours, minutes, and two seconds at a time.
      expect(entry.lastModFileDate).toBe((46 << 9) | (3 << 5) | 1)
      expect(entry.lastModFileTime).toBe((12 << 11) | (34 << 5) | 28)
      expect([entry.extraFieldLength, entry.externalFileAttributes]).toEqual([0, 0])
    }
  })

  it("stores more than 65 535 files, and 64-bit sizes of files that may exceed 4 GiB", async () => {
    const count = 70_000
    const zip = await written(async (zip) => {
      const packed = pack("x")
      for (let index = 0; index < count; index++) await zip.add(`${index}`, time, packed)
      await zip.addStream("large", time, streamed("not so large"), 5 * 1024 ** 3)
    })
    const last = `${count - 1}`
    const { entries, files } = await unzip(zip, ({ fileName }) => fileName === last || fileName === "large")
    expect(new Set(entries.map(({ fileName }) => fileName)).size).toBe(count + 1)
    expect(files.get(last)?.toString()).toBe("x")
    expect(files.get("large")?.toString()).toBe("not so large")
  })

  it("fails if its source fails, or yields more than its bound", async () => {
    async function* failing() {
      yield Buffer.from("some")
      throw new Error("the file is gone")
    }
    await expect(written((zip) => zip.addStream("x", time, failing(), 10))).rejects.toThrow("the file is gone")
    await expect(written((zip) => zip.addStream("x", time, streamed("long"), 3))).rejects.toThrow("larger")
  })
})
