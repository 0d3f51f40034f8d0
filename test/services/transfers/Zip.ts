import { crc32, deflateRawSync } from "node:zlib"

export interface ZipEntry {
  readonly name: string | Uint8Array
  readonly content: string | Uint8Array
  /** Overrides of the directory's data, for an invalid archive. */
  readonly size?: number
  readonly crc?: number
  readonly flags?: number
  readonly method?: number
  readonly mode?: number
  /** The index of an entry whose bytes are also the bytes of this one. */
  readonly sameAs?: number
  /** The same name in UTF-8, in an extra field (0x7075). */
  readonly unicodeName?: string
  /** The position that the directory states. */
  readonly place?: number
}

/** The field of Info-ZIP for a name in UTF-8 (APPNOTE 4.6.9). */
const unicodeField = (name: Buffer, unicode: string): Buffer => {
  const text = Buffer.from(unicode)
  const field = Buffer.alloc(9)
  field.writeUInt16LE(0x7075, 0)
  field.writeUInt16LE(5 + text.length, 2)
  field.writeUInt8(1, 4)
  field.writeUInt32LE(crc32(name), 5)
  return Buffer.concat([field, text])
}

/** A ZIP of these entries, valid or not. */
export const zipOf = (entries: ReadonlyArray<ZipEntry>): Buffer => {
  const parts: Array<Buffer> = []
  const directory: Array<Buffer> = []
  const places: Array<number> = []
  let at = 0
  for (const entry of entries) {
    const content = Buffer.from(entry.content)
    const name = Buffer.from(entry.name)
    const packed = deflateRawSync(content)
    const header = Buffer.alloc(30)
    header.writeUInt32LE(0x04034b50, 0)
    header.writeUInt16LE(20, 4)
    header.writeUInt16LE(name.length, 26)
    places.push(entry.sameAs === undefined ? at : places[entry.sameAs]!)
    if (entry.sameAs === undefined) {
      parts.push(header, name, packed)
      at += 30 + name.length + packed.length
    }
    const row = Buffer.alloc(46)
    row.writeUInt32LE(0x02014b50, 0)
    row.writeUInt16LE(3 << 8, 4)
    row.writeUInt16LE(entry.flags ?? (typeof entry.name === "string" ? 0x800 : 0), 8)
    row.writeUInt16LE(entry.method ?? 8, 10)
    // 2020-05-04 03:02:00
    row.writeUInt16LE((3 << 11) | (2 << 5), 12)
    row.writeUInt16LE(((2020 - 1980) << 9) | (5 << 5) | 4, 14)
    row.writeUInt32LE(entry.crc ?? crc32(content), 16)
    row.writeUInt32LE(packed.length, 20)
    row.writeUInt32LE(entry.size ?? content.length, 24)
    row.writeUInt16LE(name.length, 28)
    row.writeUInt32LE(((entry.mode ?? 0o100644) << 16) >>> 0, 38)
    row.writeUInt32LE(entry.place ?? places.at(-1)!, 42)
    const extra = entry.unicodeName === undefined ? Buffer.alloc(0) : unicodeField(name, entry.unicodeName)
    row.writeUInt16LE(extra.length, 30)
    directory.push(Buffer.concat([row, name, extra]))
  }
  const rows = Buffer.concat(directory)
  const end = Buffer.alloc(22)
  end.writeUInt32LE(0x06054b50, 0)
  end.writeUInt16LE(entries.length, 8)
  end.writeUInt16LE(entries.length, 10)
  end.writeUInt32LE(rows.length, 12)
  end.writeUInt32LE(at, 16)
  return Buffer.concat([...parts, rows, end])
}
