import { Importing } from "../Importing.ts"
import { Team } from "../people/Team.ts"
import type { TestApp } from "../TestApp.ts"
import { unzip } from "../Unzip.ts"
import { type Led, ObsidianVault } from "./ObsidianVault.ts"

/** Settings of applications, which are not part of the notes. */
const applicationFiles = /(^|\/)(\.[^/]*|logseq)\//

/** Titles with signs that have a meaning in links, in file names or in YAML. */
const titles = [
  "Two words",
  "Dots. in v1.2",
  "End with a dot.",
  "Brackets [x]",
  "Round (y)",
  "C# #hash",
  "Ümläut ß",
  "Emoji 🎉",
  "and/or",
  'Say "hi"',
  "It's",
  "100% sure",
  "a | b",
  "caret ^1",
  "Colon: x, y",
  "back\\slash",
  "file.md",
  "*star* _under_",
  "<angle>",
  "~tilde~ `code`",
  "日本語 ノート",
  "{brace} & Co",
  "question?"
]
const notebookNames = ["Neue Öde (1.0)", "C# & [x]", "Plain"]

/** A vault of Obsidian that was imported, and what becomes of its links when its notes get other names. */
export class RenamedVault {
  readonly #importing: Importing
  readonly #vault: ObsidianVault
  /** The paths of the notes in the vault, by their ids. */
  readonly #paths: ReadonlyMap<string, string>
  readonly #notebooks: ReadonlyArray<string>

  private constructor(
    importing: Importing,
    vault: ObsidianVault,
    paths: ReadonlyMap<string, string>,
    notebooks: ReadonlyArray<string>
  ) {
    this.#importing = importing
    this.#vault = vault
    this.#paths = paths
    this.#notebooks = notebooks
  }

  static async start(app: TestApp, filename: string, bytes: Buffer): Promise<RenamedVault> {
    const importing = new Importing(await Team.start(app))
    const { files } = await unzip(bytes)
    const vault = new ObsidianVault(new Map([...files].filter(([path]) => !applicationFiles.test(path))))
    await importing.all("markdown", filename, bytes)
    const rows = await app.sql(
      'SELECT note_id, path FROM note_originals WHERE workspace_id = $1 ORDER BY path COLLATE "C"',
      [importing.team.id]
    )
    const paths = new Map(rows.flatMap(({ note_id, path }) => (vault.files.has(path) ? [[note_id, path]] : [])))
    const notebooks: Array<string> = []
    for (const name of notebookNames) notebooks.push((await importing.team.post("/notebooks", { name })).id)
    return new RenamedVault(importing, vault, paths, notebooks)
  }

  /** Gives one of `every` notes another title, and some of these another notebook. */
  async rename(every: number, round: number): Promise<void> {
    const { team } = this.#importing
    for (const [index, id] of [...this.#paths.keys()].entries()) {
      if (index % every !== 0) continue
      const words = titles[(index / every + round * 7) % titles.length]!
      const title = index % 2 === 0 ? `${words} ${index}` : `${index} ${words}`
      const place = index % 3 === round % 3 ? { notebook_id: this.#notebooks[index % notebookNames.length] } : {}
      await team.patch(`/notes/${id}`, { title, ...place, links: "update" })
    }
  }

  /** The links that led to a file of the vault and lead to another in an export, or to none, and the number of all. */
  async exportedLinks(): Promise<{ readonly lost: ReadonlyArray<string>; readonly count: number }> {
    const { files } = await this.#importing.exported("markdown")
    const exported = new ObsidianVault(files)
    const places = new Map<string, string>()
    for (const [path, bytes] of files) {
      const id = path.endsWith(".md") ? /^id: (\S+)$/m.exec(bytes.toString())?.[1] : undefined
      if (id !== undefined) places.set(id, path)
    }
    const idOf = new Map([...this.#paths].map(([id, path]) => [path, id]))
    const isSame = (was: Led, now: Led): boolean => {
      const id = idOf.get(was.path!)
      if (id !== undefined) return now.path === places.get(id) && now.place.toLowerCase() === was.place.toLowerCase()
      return now.path !== undefined && this.#vault.files.get(was.path!)!.equals(files.get(now.path)!)
    }
    const lost: Array<string> = []
    let count = 0
    for (const [id, path] of this.#paths) {
      const place = places.get(id)
      const [before, after] = [this.#vault.links(path, false), exported.links(place!, true)]
      for (const part of ["matter", "text"] as const) {
        if (before[part].length !== after[part].length)
          lost.push(`${path}: ${before[part].length} links in the ${part} became ${after[part].length}`)
        for (const [index, was] of before[part].entries()) {
          if (was.path === undefined) continue
          const now = after[part][index]
          count++
          if (now === undefined || !isSame(was, now))
            lost.push(`${path} (${place}): ${was.written} became ${now?.written}, which leads to ${now?.path}`)
        }
      }
    }
    return { lost, count }
  }

  /** Where the links of each note lead, and where those of its copy in another workspace should lead and do. */
  async copiedLinks(): Promise<ReadonlyArray<{ readonly wanted: object; readonly found: object }>> {
    const { team } = this.#importing
    const copy = new Importing(await Team.of(team.app, team.owner))
    const { bytes, files } = await this.#importing.exported("markdown")
    await copy.all("markdown", "copy.zip", bytes)
    const rows = await team.app.sql("SELECT note_id, path FROM note_originals WHERE workspace_id = $1", [copy.team.id])
    const copies = new Map(
      rows.map(({ note_id, path }) => [/^id: (\S+)$/m.exec(files.get(path)!.toString())![1]!, note_id])
    )
    const all: Array<{ readonly wanted: object; readonly found: object }> = []
    for (const [id, path] of this.#paths) {
      const [own, made] = await Promise.all([
        team.get(`/notes/${id}/links?direction=out&limit=100`),
        copy.team.get(`/notes/${copies.get(id)}/links?direction=out&limit=100`)
      ])
      all.push({
        wanted: [path, ...own.data.map(({ target_id }: any) => copies.get(target_id) ?? null)],
        found: [path, ...made.data.map(({ target_id }: any) => target_id)]
      })
    }
    return all
  }
}
