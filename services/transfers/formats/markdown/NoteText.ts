import type { Entry } from "../zip/ArchiveDirectory.ts"
import type { Converted } from "../Converted.ts"
import { dataAddresses } from "../DataAddresses.ts"
import { textOf } from "../Decoding.ts"
import { plainText } from "../evernote/Enml.ts"
import { withProperties } from "./FrontMatter.ts"
import { Damaged, encodingAssumed, type FileItem, problem, type ProblemItem, textRepaired } from "../Item.ts"
import { referredBlocks } from "../logseq/LogseqReferences.ts"
import { converted } from "../NoteMaking.ts"
import type { Reading } from "../ReadOptions.ts"
import type { Parts } from "../Parts.ts"
import { type Info, infoOf } from "./TextBundle.ts"

/** Reads the text of a Markdown file: its encoding, its embedded files, and the metadata of its bundle. */

export interface ReadText {
  readonly text: Converted
  /** The files that were embedded in the text. */
  readonly files: ReadonlyArray<FileItem>
  readonly problems: ReadonlyArray<ProblemItem>
}

/** Data of a note from outside its file. */
interface Besides {
  /** For a page of Logseq: the first words of all blocks, by id. */
  readonly blocks?: ReadonlyMap<string, string>
  /** Lines of YAML from its bundle. */
  readonly properties?: string
  readonly format?: "markdown" | "html" | "keep-page"
}

/** Reads the text of a note from the bytes of its file; throws `Damaged` if it is too long. */
export const readText = async (
  bytes: Uint8Array,
  place: Pick<Entry, "key" | "path">,
  reading: Reading,
  besides: Besides = {}
): Promise<ReadText> => {
  const { assumed, isRepaired, text: source } = await textOf(bytes)
  const read = await convertedText(source, place, reading, besides)
  const problems = [
    ...(isRepaired ? [textRepaired(place.path)] : []),
    ...(assumed === undefined ? [] : [encodingAssumed(place.path, assumed)])
  ]
  return { ...read, problems }
}

/** Converts the text of a note; throws `Damaged` if it is too long. */
export const convertedText = async (
  source: string,
  { key }: Pick<Entry, "key">,
  { convert, limits, names, now, timezone }: Reading,
  { blocks, format = "markdown", properties = "" }: Besides = {}
): Promise<Pick<ReadText, "text" | "files">> => {
  const embedded = dataAddresses(withProperties(source, properties), limits.files)
  if (embedded.text.length > limits.textBytes) throw tooLong(limits.textBytes)
  const clock = { now, timezone }
  const isPage = format !== "markdown"
  const work = isPage
    ? ({ kind: format, text: embedded.text, clock } as const)
    : ({
        kind: format,
        text: embedded.text,
        clock,
        ...(blocks === undefined ? {} : { blocks: referredBlocks(embedded.text, blocks) })
      } as const)
  const made = await converted(convert, work, () => (isPage ? plainText(embedded.text) : embedded.text), isPage)
  const used = new Map<number, string>()
  const text = embedded.placed(made, (number) => {
    const file = `${key}///data/${number + 1}`
    used.set(number, file)
    return `attachment:${names.file(file)}`
  })
  return {
    text,
    files: [...used].map(([number, file]) => ({
      ...embedded.file(number),
      type: "file",
      uses: [{ key: file, note: key }]
    }))
  }
}

const tooLong = (most: number) => new Damaged("too_large", `It has more than ${most} bytes of text`)

/** The description of a bundle, and the problems of reading it. */
export const described = async (
  parts: Parts,
  entry: Entry | undefined,
  { limits }: Reading
): Promise<{ readonly info?: Info; readonly problems: ReadonlyArray<ProblemItem> }> => {
  if (entry === undefined) return { problems: [] }
  try {
    const { text } = await textOf(await parts.bytes(entry, limits.textBytes))
    const info = infoOf(text)
    if (!info.trashed) return { info, problems: [] }
    const message = "It was in the trash of the source; it is imported as archived"
    return { info: { ...info, archived: true }, problems: [problem(entry.path, "was_in_trash", message)] }
  } catch (error) {
    if (!(error instanceof Damaged)) throw error
    return { problems: [problem(entry.path, error.code, error.message)] }
  }
}
