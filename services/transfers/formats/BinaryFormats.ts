import { wideEncoding } from "./Encodings.ts"

/** Detects files that are not text, whatever their names are. */

// oxlint-disable no-control-regex -- magic numbers contain them

/** Magic numbers of formats, as Latin-1, with their names for users. */
const formats: ReadonlyArray<readonly [start: RegExp, name: string]> = [
  [/^%PDF-\d/, "a PDF"],
  [/^\x89PNG\r\n/, "a PNG image"],
  [/^\xff\xd8\xff/, "a JPEG image"],
  [/^GIF8[79]a/, "a GIF image"],
  [/^RIFF[^]{4}WEBP/, "a WebP image"],
  [/^[^]{4}ftyp(?:hei|mif1|avif)/, "an HEIF image"],
  [/^[^]{4}ftyp/, "an MP4 video"],
  [/^PK(?:\x03\x04|\x05\x06|\x07\x08)/, "a ZIP archive"],
  [/^Rar!\x1a\x07/, "a RAR archive"],
  [/^7z\xbc\xaf\x27\x1c/, "a 7z archive"],
  [/^\x1f\x8b\x08/, "a gzip archive"],
  [/^BZh[1-9]1AY&SY/, "a bzip2 archive"],
  [/^\xfd7zXZ\0/, "an xz archive"],
  [/^\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1/, "a Microsoft Office document"],
  [/^SQLite format 3\0/, "an SQLite database"]
]

/** Bytes of a file that are examined. */
const sampleBytes = 16 * 1024
/** Text has a few control characters by accident; a sixteenth of random bytes, and more of most formats, are some. */
const fewControls = 16
const maxControls = 0.05

/** The name of a binary format by the first bytes of a file; undefined for text in any encoding. */
export const binaryFormat = (bytes: Uint8Array): string | undefined => {
  const sample = bytes.subarray(0, sampleBytes)
  const text = Buffer.from(sample).toString("latin1")
  const known = formats.find(([start]) => start.test(text))
  if (known !== undefined) return known[1]
  // Tab, line feed, form feed and carriage return occur in text, and so does the escape character of ISO-2022-JP.
  const controls = text.match(/[\0-\x08\x0b\x0e-\x1a\x1c-\x1f\x7f]/g)?.length ?? 0
  if (controls < fewControls || controls < sample.length * maxControls) return undefined
  // Half of the bytes of Latin letters in UTF-16 are zero.
  if (/^(?:\xff\xfe|\xfe\xff)/.test(text)) return undefined
  const isWide = wideEncoding(sample.subarray(0, sample.length - (sample.length % 2)), false) !== undefined
  return isWide ? undefined : "a binary file"
}
