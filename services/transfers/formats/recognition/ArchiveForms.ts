import type { Archive } from "../zip/Archive.ts"
import type { Entry } from "../zip/ArchiveDirectory.ts"
import { Damaged } from "../Item.ts"
import { bundleOf, isPack } from "../markdown/TextBundle.ts"
import { mayBeNote } from "../markdown/NotePaths.ts"
import { noteEnding } from "../../../markdown/LinkText.ts"
import { baseOf, junk } from "../Paths.ts"
import { type Found, refusals } from "./Forms.ts"
import { headBytes, textForm } from "./TextForms.ts"

/** Recognises the format of a ZIP by the names in it, and by the beginning of some of its files. */

/** Maximum number of files whose content is examined. */
const maxRead = 20

const office: ReadonlyArray<readonly [folder: string, found: Found]> = [
  ["word/", refusals.word],
  ["xl/", refusals.excel],
  ["ppt/", refusals.powerPoint]
]

/** The first bytes of a file; none if it is damaged. */
const headOf = async (archive: Archive, entry: Entry): Promise<Buffer> => {
  const chunks: Array<Uint8Array> = []
  let size = 0
  try {
    for await (const chunk of archive.stream(entry)) {
      chunks.push(chunk)
      size += chunk.length
      if (size >= headBytes) break
    }
  } catch (error) {
    // Reported when the file itself is read.
    if (!(error instanceof Damaged)) throw error
  }
  return Buffer.concat(chunks).subarray(0, headBytes)
}

const formIn = async (archive: Archive, entry: Entry): Promise<Found> =>
  textForm(await headOf(archive, entry), entry.size, entry.path, () => archive.bytes(entry, entry.size))

const notionId = /[ -][0-9a-f]{32}(?:_all)?\.(?:md|html|csv)$/i
const notionPart = /(?:^|\/)(?:Export(?:Block)?-[0-9a-f-]{36}(?:-Part-\d+)?\.zip$|Export(?:Block)?-[0-9a-f-]{36}\/)/i
export const joplinPath = /(?:^|\/)[0-9a-f]{32}\.md$/i

const isMost = (some: ReadonlyArray<unknown>, all: ReadonlyArray<unknown>): boolean =>
  some.length > 0 && some.length * 2 >= all.length

const isSheaf = async (archive: Archive, entry: Entry): Promise<boolean> =>
  /^\s*\{[^{}[\]]*"format"\s*:\s*"sheaf-export"/.test((await headOf(archive, entry)).toString())

const isJoplin = async (archive: Archive, entry: Entry): Promise<boolean> => {
  if (entry.size > headBytes) return false
  return /(?:^|\n)id: [0-9a-f]{32}\n(?:[^\n]*\n)*type_: \d+\s*$/.test((await headOf(archive, entry)).toString())
}

export const archiveForm = async (archive: Archive): Promise<Found> => {
  const entries = archive.entries.filter(({ path }) => !junk.test(path))
  const withPath = (pattern: RegExp) => entries.filter(({ path }) => pattern.test(path))
  if (withPath(/^\[Content_Types\]\.xml$/).length > 0) {
    const [, found] = office.find(([folder]) => entries.some(({ path }) => path.startsWith(folder))) ?? []
    if (found !== undefined) return found
  }
  const [type] = withPath(/^mimetype$/)
  if (type !== undefined && type.size < 200) {
    const named = (await headOf(archive, type)).toString()
    if (named.startsWith("application/epub")) return refusals.epub
    if (named.startsWith("application/vnd.oasis.opendocument")) return refusals.openDocument
  }
  for (const manifest of withPath(/^(?:[^/]+\/){0,2}manifest\.json$/).slice(0, maxRead)) {
    if (await isSheaf(archive, manifest)) return "json"
  }
  // A vault has its settings next to its notes, whatever else was imported into it.
  if (withPath(/(?:^|\/)(?:\.obsidian|logseq)\//).length > 0) return "markdown"
  const pages = withPath(/\.(?:md|html|csv)$/i)
  if (withPath(notionPart).length > 0 || isMost(withPath(notionId), pages)) return "notion"
  const items = withPath(joplinPath)
  if (isMost(items, withPath(/\.md$/i)) && (await isJoplin(archive, items[0]!))) return "joplin"
  const texts = withPath(/(?:\.json|Backup and Import File\.txt)$/i)
  const known = new Set<Found>()
  // Those of programs first, because an archive of Google may contain many others.
  const isLikely = ({ path }: Entry) => (/(?:^|\/)(?:Keep|source)\/[^/]+$/.test(path) ? 0 : 1)
  for (const entry of texts.toSorted((a, b) => isLikely(a) - isLikely(b)).slice(0, maxRead))
    known.add(await formIn(archive, entry))
  for (const form of ["keep", "simplenote", "standard-notes"] as const) if (known.has(form)) return form
  const isNote = ({ path }: Entry) => mayBeNote(path) || bundleOf(path) !== undefined || isPack(path)
  // The texts of a program's own format, without other notes.
  if (texts.length === entries.length) {
    const refused = [...known].find((each) => typeof each === "object")
    if (refused !== undefined) return refused
  }
  if (known.has(refusals.dayOne)) return refusals.dayOne
  if (withPath(/\.enex$/i).length > 0 && !entries.some(({ path }) => noteEnding.test(path))) return "enex"
  const html = withPath(/\.x?html?$/i)
  const [page] = html
  if (page !== undefined && !entries.some(({ path }) => noteEnding.test(path))) {
    for (const each of html.slice(0, maxRead)) if ((await formIn(archive, each)) === "keep") return "keep"
    return "html"
  }
  return entries.some((entry) => isNote(entry) && baseOf(entry.path) !== "") ? "markdown" : undefined
}
