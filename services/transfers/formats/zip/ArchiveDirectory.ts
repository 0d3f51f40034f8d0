import { crc32 } from "node:zlib"
import type { Entry as DirectoryEntry, ZipFile } from "yauzl"
import { legacyEncoding, utf8Of } from "../Decoding.ts"
import { type Limits, problem, type ProblemCode, type ProblemItem, Unreadable } from "../Item.ts"

/** Reads the directory of a ZIP, and decides which entries are trusted. */

/** A file of an archive, according to its directory. */
export interface Entry {
  /** Segments between slashes; none is empty, `.` or `..`. */
  readonly path: string
  /** `path`, with a suffix if several entries have the same path. */
  readonly key: string
  readonly size: number
  readonly modified: string | undefined
  /** Used by `Archive` only. */
  readonly place: Place
}

/** The position of its local header, and the directory's data about the bytes after that. */
export interface Place {
  readonly header: number
  readonly packed: number
  readonly crc: number
  readonly isDeflated: boolean
}

/** Counts what a file and the archives in it would unpack to, and enforces the limits. */
export class Unpacked {
  entries = 0
  bytes = 0
  readonly #limits: Limits

  constructor(limits: Limits) {
    this.#limits = limits
  }

  entry(): void {
    if (++this.entries > this.#limits.entries) {
      throw new Unreadable("too_many_entries", `The archive has more than ${this.#limits.entries} files`)
    }
  }

  add(bytes: number): void {
    this.bytes += bytes
    if (this.bytes > this.#limits.unpackedBytes) {
      throw new Unreadable("too_large", `More than ${this.#limits.unpackedBytes} bytes would be unpacked`)
    }
  }
}

const unicodePath = 0x7075
const fileType = 0o170000
const symbolicLink = 0o120000

interface Named {
  readonly name: string
  readonly isRepaired: boolean
}

/** The declared name of an entry; undefined if its encoding is not declared. */
const declaredName = (entry: DirectoryEntry): Named | undefined => {
  const field = entry.extraFields.find(({ data, id }) => id === unicodePath && data.length > 5 && data[0] === 1)
  if (field !== undefined && field.data.readUInt32LE(1) === crc32(entry.fileNameRaw)) {
    const name = utf8Of(field.data.subarray(5))
    if (name !== undefined) return { name, isRepaired: false }
  }
  const isAscii = entry.fileNameRaw.every((byte) => byte < 0x80)
  if (!isAscii && (entry.generalPurposeBitFlag & 0x800) === 0) return undefined
  const name = utf8Of(entry.fileNameRaw)
  return { name: name ?? new TextDecoder("windows-1252").decode(entry.fileNameRaw), isRepaired: name === undefined }
}

/** Bytes of a character of three or four bytes in UTF-8: text in another encoding hardly ever contains them. */
const longCharacter = /[\xe0-\xf4][\x80-\xbf]{2}/
/** A letter next to a character of Chinese, Japanese or Korean: part of a word with accents, read in a wrong encoding. */
const mixedWord = /[a-z][\u3000-\uffff]|[\u3000-\uffff][a-z]/i

/**
 * Decodes the names of one archive. Many programs write UTF-8 without declaring it: a name that is valid UTF-8 is UTF-8,
 * whatever the other names are. The others are judged together. Only if their encoding has characters of two bytes, a
 * name may be valid UTF-8 by chance, and the majority decides.
 */
const namesOf = async (read: ReadonlyArray<DirectoryEntry>) => {
  const undeclared = read.filter((entry) => declaredName(entry) === undefined)
  const notUtf8 = undeclared.filter((entry) => utf8Of(entry.fileNameRaw) === undefined)
  const assumed = notUtf8.length === 0 ? undefined : await legacyEncoding(notUtf8.map((entry) => entry.fileNameRaw))
  const isDoubtful = assumed?.isMultiByte === true && notUtf8.length * 2 >= undeclared.length
  const isUtf8 = ({ fileNameRaw }: DirectoryEntry): boolean =>
    !isDoubtful ||
    longCharacter.test(Buffer.from(fileNameRaw).toString("latin1")) ||
    mixedWord.test(assumed.decode(fileNameRaw))
  let count = 0
  const named = new Map<DirectoryEntry, Named>()
  for (const entry of read) {
    const declared = declaredName(entry)
    const asUtf8 = declared === undefined && isUtf8(entry) ? utf8Of(entry.fileNameRaw) : undefined
    if (declared === undefined && asUtf8 === undefined) count++
    const name = asUtf8 ?? assumed?.decode(entry.fileNameRaw) ?? ""
    named.set(entry, declared ?? { name, isRepaired: false })
  }
  const problems =
    assumed === undefined
      ? []
      : [
          problem(
            "",
            "encoding_assumed",
            `The archive does not declare the encoding of ${count} names, which are not UTF-8; they were read as ${assumed.name}`
          )
        ]
  return { nameOf: (entry: DirectoryEntry) => named.get(entry)!, problems }
}

/** The segments of a path, if it leads to a place within the archive. */
const partsOf = (name: string): ReadonlyArray<string> | undefined => {
  const path = name.replaceAll("\\", "/")
  if (path.includes("\0") || path.startsWith("/") || /^[a-z]:/i.test(path)) return undefined
  const parts = path.split("/").filter((part) => part !== "" && part !== ".")
  return parts.length === 0 || parts.includes("..") ? undefined : parts
}

/** Any text as one line for a message. */
const shown = (name: string): string => JSON.stringify(name.length > 300 ? `${name.slice(0, 300)}…` : name).slice(1, -1)

const modifiedOf = (entry: DirectoryEntry): string | undefined => {
  const date = entry.getLastModDate({ timezone: "UTC" })
  // The first day of the format means that there is no date.
  return Number.isNaN(date.getTime()) || date.getUTCFullYear() < 1981 ? undefined : date.toISOString()
}

export const notAnArchive = (error: unknown): Unreadable =>
  new Unreadable(
    "not_readable",
    `The file is not a ZIP archive, or is incomplete: ${error instanceof Error ? error.message : ""}`
  )

/** All entries that may be read, and problems of the others. */
export const directoryOf = async (zip: ZipFile, packed: number, limits: Limits, unpacked: Unpacked) => {
  const read: Array<DirectoryEntry> = []
  try {
    for await (const entry of zip.eachEntry()) {
      unpacked.entry()
      read.push(entry)
    }
  } catch (error) {
    throw error instanceof Unreadable ? error : notAnArchive(error)
  }
  const total = read.reduce((sum, entry) => sum + entry.uncompressedSize, 0)
  // An entry never yields more bytes than it declares.
  unpacked.add(total)
  if (total > 16 * limits.suspiciousBytes && total > limits.ratio * packed) {
    throw new Unreadable("suspicious_ratio", `${total} bytes would be unpacked from ${packed}`)
  }

  const { nameOf, problems: ofNames } = await namesOf(read)
  const overlapping = overlaps(read)
  const problems: Array<ProblemItem> = [...ofNames]
  const entries: Array<Entry> = []
  const known = new Map<string, number>()
  for (const entry of read) {
    const named = nameOf(entry)
    const refuse = (code: ProblemCode, message: string) => problems.push(problem(shown(named.name), code, message))
    const parts = partsOf(named.name)
    const mode = (entry.externalFileAttributes >>> 16) & fileType
    const refused = refusedOf(entry, packed, limits)
    if (parts === undefined) refuse("unsafe_path", "Its path does not lead to a place within the archive")
    else if (/[/\\]$/.test(named.name)) continue
    else if (mode === symbolicLink) refuse("symbolic_link", "It is a symbolic link")
    else if (refused !== undefined) refuse(...refused)
    else if (overlapping.has(entry)) refuse("overlapping", "It shares its bytes with another file of the archive")
    else {
      if (named.isRepaired) refuse("name_repaired", "Its name is declared as UTF-8, but is not valid UTF-8")
      const path = parts.join("/")
      const count = (known.get(path) ?? 0) + 1
      known.set(path, count)
      if (count > 1) refuse("duplicate_path", "The archive has more than one file with this path; all of them are read")
      entries.push({
        path,
        // No path contains two consecutive slashes.
        key: count > 1 ? `${path}//${count}` : path,
        size: entry.uncompressedSize,
        modified: modifiedOf(entry),
        place: {
          header: entry.relativeOffsetOfLocalHeader,
          packed: entry.compressedSize,
          crc: entry.crc32,
          isDeflated: entry.compressionMethod === 8
        }
      })
    }
  }
  return { entries, problems }
}

/** Methods of compression other than Deflate that programs use (APPNOTE 6.3.10, 4.4.5). */
const methods: Readonly<Record<number, string>> = {
  1: "Shrink",
  2: "Reduce",
  3: "Reduce",
  4: "Reduce",
  5: "Reduce",
  6: "Implode",
  9: "Deflate64",
  10: "PKWARE DCL Implode",
  12: "BZIP2",
  14: "LZMA",
  16: "CMPSC",
  18: "TERSE",
  19: "LZ77",
  20: "Zstandard",
  93: "Zstandard",
  94: "MP3",
  95: "XZ",
  96: "JPEG",
  97: "WavPack",
  98: "PPMd"
}
const remedy =
  'Unpack the archive and pack it again with Deflate, for example by "zip -r notes.zip FOLDER", or by "Compress" of the file manager'

const refusedOf = (
  entry: DirectoryEntry,
  length: number,
  limits: Limits
): readonly [ProblemCode, string] | undefined => {
  const { compressedSize, compressionMethod, uncompressedSize } = entry
  if (entry.relativeOffsetOfLocalHeader + 30 + compressedSize > length) {
    return ["damaged", "It is not at the place that the archive states"]
  }
  if (entry.isEncrypted()) {
    const how = compressionMethod === 99 ? " with AES" : ""
    return ["encrypted", `It is encrypted${how}. Unpack the archive with its password, and pack it again without one`]
  }
  if (compressionMethod !== 0 && compressionMethod !== 8) {
    const method = methods[compressionMethod] ?? "an unknown method"
    return [
      "unsupported_compression",
      `It is compressed with ${method} (method ${compressionMethod}), which is not supported. ${remedy}`
    ]
  }
  if (compressionMethod === 0 && compressedSize !== uncompressedSize) {
    return ["damaged", "The archive states two sizes for it"]
  }
  if (uncompressedSize > limits.suspiciousBytes && uncompressedSize > limits.ratio * compressedSize) {
    return ["suspicious_ratio", `${uncompressedSize} bytes would be unpacked from ${compressedSize}`]
  }
  return undefined
}

/** Entries whose bytes overlap those of an earlier one: a few bytes could be unpacked thousands of times. */
const overlaps = (read: ReadonlyArray<DirectoryEntry>): ReadonlySet<DirectoryEntry> => {
  const found = new Set<DirectoryEntry>()
  let end = 0
  for (const entry of read.toSorted((a, b) => a.relativeOffsetOfLocalHeader - b.relativeOffsetOfLocalHeader)) {
    if (entry.relativeOffsetOfLocalHeader < end) found.add(entry)
    end = Math.max(end, entry.relativeOffsetOfLocalHeader + 30 + entry.fileNameLength + entry.compressedSize)
  }
  return found
}
