import { decoded } from "../../../markdown/LinkText.ts"
import { mkdtemp, rm } from "node:fs/promises"
import { join } from "node:path"
import type { Entry } from "../zip/ArchiveDirectory.ts"
import type { Work } from "../Convert.ts"
import type { Converted, Link } from "../Converted.ts"
import { textOf } from "../Decoding.ts"
import { plainText } from "../evernote/Enml.ts"
import { bytesHash, EarlierNotes, sourceKey } from "../EarlierNotes.ts"
import { Damaged, encodingAssumed, problem, textRepaired } from "../Item.ts"
import { endingOf, stemOf } from "../ItemNames.ts"
import { baseOf, folderOf, junk, Paths } from "../Paths.ts"
import { compared } from "../markdown/MarkdownReader.ts"
import { columnsOf } from "./NotionText.ts"
import { bareName, idIn } from "./NotionValues.ts"
import { converted, type Items, noteOf } from "../NoteMaking.ts"
import type { Reading } from "../ReadOptions.ts"
import { Parts } from "../Parts.ts"
import { contentWith, UsedFiles } from "../UsedFiles.ts"
import type { Clock } from "../WrittenTime.ts"

/** Reads a Notion export: pages in HTML or Markdown, databases in CSV, and parts as archives in the archive. */

const isPart = (path: string): boolean => /(?:^|\/)(?:Export-[^/]*|[^/]*Part-\d+)\.zip$/i.test(path)
const isIndex = (path: string): boolean => /^(?:[^/]+\/)?index\.html$/i.test(path)
const root = /^Export-[0-9a-f-]{36}\//i

interface Page {
  readonly key: string
  readonly entry: Entry
  readonly kind: "notion-html" | "notion-markdown" | "notion-table"
  readonly path: string
  readonly name: string
  readonly folders: ReadonlyArray<string>
}

type Found = { readonly page: Page } | { readonly file: Entry }

const kinds: Readonly<Record<string, Page["kind"]>> = {
  csv: "notion-table",
  html: "notion-html",
  md: "notion-markdown"
}

const pathOf = (entry: Entry): string => entry.path.replace(root, "")

/** Whether it is the view of a database that the archive also contains with all columns. */
const isShownOnly = (path: string, all: ReadonlySet<string>): boolean =>
  path.endsWith(".csv") && all.has(`${path.slice(0, -4)}_all.csv`)

const pageFor = (entry: Entry): Page | undefined => {
  const path = pathOf(entry)
  const kind = kinds[endingOf(path)]
  if (kind === undefined) return undefined
  const stem = stemOf(baseOf(path))
  const folder = folderOf(path)
  const name = bareName(kind === "notion-table" ? stem.replace(/_all$/, "") : stem)
  return { key: entry.key, entry, kind, path, name, folders: folder === "" ? [] : folder.split("/").map(bareName) }
}

/** A key for a row: file names lack some signs of the title, and its end. */
const rowKey = (folder: string, title: string): string => {
  const letters = title
    .normalize("NFC")
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]/gu, "")
  return `${folder}\n${letters === "" ? title.trim() : letters.slice(0, 40)}`
}

/** Finds pages, databases and files. */
class Places {
  readonly pages: Array<Page> = []
  readonly files: Array<Entry> = []
  readonly #paths = new Paths<Found>()
  readonly #byId = new Map<string, Page>()
  readonly #rows = new Map<string, Page | undefined>()
  /** Columns of databases, by the folder of their rows. */
  readonly #columns = new Map<string, ReadonlyArray<string>>()

  constructor(entries: ReadonlyArray<Entry>) {
    const kept = entries.filter(({ path }) => !junk.test(path) && !isIndex(path.replace(root, "")))
    const all = new Set(kept.map(pathOf))
    for (const entry of kept) {
      if (isShownOnly(pathOf(entry), all)) continue
      const page = pageFor(entry)
      if (page === undefined) {
        this.files.push(entry)
        this.#paths.add(pathOf(entry), { file: entry })
        continue
      }
      this.pages.push(page)
      this.#paths.add(page.path, { page })
      const id = idIn(stemOf(baseOf(page.path)).replace(/_all$/, ""))
      if (id !== undefined && !this.#byId.has(id)) this.#byId.set(id, page)
      if (page.kind !== "notion-table") {
        const key = rowKey(page.folders.join("/"), page.name)
        // If two rows have the same name, neither is found by it.
        this.#rows.set(key, this.#rows.has(key) ? undefined : page)
      }
    }
  }

  setColumns(database: Page, columns: ReadonlyArray<string>): void {
    this.#columns.set([...database.folders, database.name].join("/"), columns)
  }

  columnsOf(page: Page): ReadonlyArray<string> {
    return this.#columns.get(page.folders.join("/")) ?? []
  }

  find({ kind, target }: Link, from: Page): Found | undefined {
    if (kind === "row") {
      const row = this.#rows.get(rowKey([...from.folders, from.name].join("/"), target))
      return row === undefined ? undefined : { page: row }
    }
    const [path = ""] = target.split(/[?#]/, 1)
    const id =
      idIn(stemOf(baseOf(decoded(path))).replace(/_all$/, "")) ?? /([0-9a-f]{32})$/i.exec(path)?.[1]?.toLowerCase()
    const page = id === undefined ? undefined : this.#byId.get(id)
    if (page !== undefined) return { page }
    return this.#paths.path(target, from.path)?.found
  }
}

const workOf = ({ kind }: Page, text: string, columns: ReadonlyArray<string>, clock: Clock): Work => {
  if (kind === "notion-table") return { kind, text }
  return kind === "notion-markdown" ? { kind, text, columns, clock } : { kind, text, clock }
}

export async function* readNotion(path: string, reading: Reading): Items {
  const scratch = await mkdtemp(join(reading.scratch, "notion-"))
  const parts = new Parts(scratch, reading, { isPart })
  try {
    yield* parts.open(path)
    yield* pages(parts, reading)
  } finally {
    await parts.close()
    await rm(scratch, { recursive: true, force: true })
  }
}

async function* pages(parts: Parts, reading: Reading): Items {
  const { convert, limits, names, now, timezone } = reading
  const places = new Places(parts.entries)
  const bytesOf = ({ entry }: Page) => parts.bytes(entry, limits.textBytes)
  for (const page of places.pages) {
    if (page.kind !== "notion-table") continue
    try {
      places.setColumns(page, columnsOf((await textOf(await bytesOf(page))).text))
    } catch (error) {
      // Reported when the database itself is read.
      if (!(error instanceof Damaged)) throw error
    }
  }
  const earlier = new EarlierNotes(names, reading.findEarlier, reading.onExisting)
  const used = new UsedFiles(reading, earlier, {
    stream: (entry) => parts.stream(entry),
    nameOf: decoded,
    folderNameOf: bareName,
    pathOf
  })
  /** The text of a page, and the files that it uses. */
  const read = async (page: Page) => {
    const bytes = await bytesOf(page)
    const { assumed, isRepaired, text: source } = await textOf(bytes)
    const isHtml = page.kind === "notion-html"
    const work = workOf(page, source, places.columnsOf(page), { now, timezone })
    const text = await converted(convert, work, () => (isHtml ? plainText(source) : source), isHtml)
    const linked = text.links.flatMap((link) => {
      const found = places.find(link, page)
      return found !== undefined && "file" in found ? [found.file] : []
    })
    const entries = new Set(linked)
    return { text, assumed, isRepaired, entries, content: contentWith(bytesHash(bytes), entries) }
  }
  const sourceOf = ({ entry, path }: Page): string =>
    sourceKey("notion", idIn(stemOf(baseOf(path)).replace(/_all$/, "")) ?? entry.key)
  const sought = places.pages.map((page) => ({ page, key: page.key, source: sourceOf(page) }))
  await earlier.decide(sought, ({ key, page }) => compared(used, key, () => read(page)))

  const whole = new Set<Entry>()
  for (const [index, page] of places.pages.entries()) {
    const progress = (index + 1) / places.pages.length
    if (earlier.isSkipped(page.key)) {
      used.leaveOut(page.key)
      yield { type: "skipped", progress }
      continue
    }
    let text: Converted
    let content: string
    try {
      const found = await read(page)
      ;({ content, text } = found)
      await earlier.reuse(page.key, used.filesOf(page.key, found.entries))
      if (found.isRepaired) yield textRepaired(page.path)
      if (found.assumed !== undefined) yield encodingAssumed(page.path, found.assumed)
    } catch (error) {
      if (!(error instanceof Damaged)) throw error
      yield problem(page.path, error.code, error.message)
      if (error.code === "too_large") whole.add(page.entry)
      continue
    }
    const mine = used.forNote(page.key)
    const keepWhole = () => {
      whole.add(page.entry)
      return mine.use(page.entry)
    }
    if (text.keepsSource === true) keepWhole()
    const { note, problems } = noteOf(
      {
        key: page.key,
        path: page.path,
        folders: page.folders,
        title: text.title === undefined || text.title === "" ? page.name : text.title,
        text,
        updated_at: page.entry.modified,
        progress,
        urlOf: (link) => {
          const found = places.find(link, page)
          if (found === undefined) return undefined
          if ("file" in found) return mine.use(found.file)
          return `note:${earlier.note(found.page.key)}`
        },
        files: mine.keys,
        source: (files) => earlier.sourceOf(page.key, sourceOf(page), content, files),
        keepWhole
      },
      limits
    )
    yield* problems
    yield note
  }
  yield* used.items([...places.files, ...whole])
}
