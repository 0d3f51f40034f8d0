import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { parse } from "yaml"
import { outline, type Names } from "./Outline.ts"
import { fileId, fileOf, type Got, noteId, readAll, samples } from "./Reading.ts"
import { zipOf } from "./Zip.ts"

/** Expectations of other converters' tests for files that are also read here (samples/*, see the READMEs there). */

export interface Pair {
  readonly name: string
  readonly theirs: ReadonlyArray<string>
  readonly ours: ReadonlyArray<string>
}

const matter = /^---\n([\s\S]*?\n)?---\n/
const propertiesOf = (text: string): Readonly<Record<string, unknown>> => parse(matter.exec(text)?.[1] ?? "{}")

/** The words of a file name: each program replaces the signs that some file systems do not accept in its way. */
const bare = (name: string) => name.match(/[\p{L}\p{N}]+/gu)?.join(" ") ?? ""

const namesOf = ({ files, notes }: Got): Names => {
  const titles = new Map(notes.map(({ key, title }) => [noteId(key), title]))
  const filenames = new Map(files.flatMap(({ filename, uses }) => uses.map(({ key }) => [fileId(key), filename])))
  return {
    note: (url) => {
      const [, id = "", heading = ""] = /^note:([^#]+)(#.*)?$/.exec(url) ?? []
      const title = titles.get(id)
      return title === undefined ? undefined : title + decodeURIComponent(heading)
    },
    file: (url) => (url.startsWith("attachment:") ? filenames.get(url.slice("attachment:".length)) : undefined)
  }
}

const pairs = (name: string, folder: string, got: Got): ReadonlyArray<Pair> =>
  readdirSync(folder)
    .filter((file) => file.endsWith(".md"))
    .map((file) => {
      const title = file.slice(0, -".md".length)
      const found = got.notes.filter((note) => bare(note.title) === bare(title))
      if (found.length !== 1) throw new Error(`${found.length} notes are called ${title}`)
      const [note] = found
      const text = readFileSync(join(folder, file), "utf8")
      const said = { ...propertiesOf(note!.body), ...(note!.tags.length === 0 ? {} : { tags: note!.tags }) }
      // Only properties that the other converter has are compared.
      const lines = (properties: Readonly<Record<string, unknown>>) =>
        Object.keys(propertiesOf(text)).map((key) => `${key}: ${String(properties[key])}`)
      return {
        name: `${name}${title}`,
        theirs: [...lines(propertiesOf(text)), ...outline(text.replace(matter, ""))],
        ours: [...lines(said), ...outline(note!.body.replace(matter, ""), namesOf(got))]
      }
    })

export const evernotePairs = async (): Promise<ReadonlyArray<Pair>> => {
  const found: Array<Pair> = []
  const expected = join(samples, "enex/expected-obsidian-importer")
  for (const suite of readdirSync(expected)) {
    for (const name of readdirSync(join(expected, suite))) {
      const got = await readAll(join(samples, "enex", suite, `${name}.enex`), "enex")
      found.push(...pairs(`${name}/`, join(expected, suite, name), got))
    }
  }
  return found
}

export const notionPairs = async (): Promise<ReadonlyArray<Pair>> => {
  const folder = join(samples, "notion/expected-obsidian-importer")
  const space = await readAll(join(samples, "notion/obsimp-notion-testspace.zip"), "notion")
  const page = readFileSync(join(folder, "database-row.html"))
  const row = await readAll(fileOf("Export.zip", zipOf([{ name: "database-row.html", content: page }])), "notion")
  const rows = { ...row, notes: row.notes.map((note) => ({ ...note, title: "database row" })) }
  return [...pairs("", join(folder, "expected/notion-testspace"), space), ...pairs("", join(folder, "expected"), rows)]
}
