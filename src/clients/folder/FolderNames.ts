import { attachmentsFolder, folded, Folder } from "../../../services/transfers/formats/FileNames.ts"
import { stemOf, titleOf } from "../../../services/transfers/formats/ItemNames.ts"
import { baseOf, folderOf } from "../../../services/transfers/formats/Paths.ts"
import type { FolderBase } from "./FileMatches.ts"
import type { Scan } from "./FolderScan.ts"

/** The names of files and folders, as a Markdown export makes them. */

export interface Notebook {
  readonly id: string
  readonly name: string
  readonly parent_id: string | null
  readonly created_at: string
}

/** The oldest first: its name has no number. */
export const byAge = (
  one: { readonly created_at: string; readonly id: string },
  other: { readonly created_at: string; readonly id: string }
): number => (one.created_at + one.id < other.created_at + other.id ? -1 : 1)

export const joined = (folder: string, name: string): string => (folder === "" ? name : `${folder}/${name}`)
const inside = (folder: string): string => (folder === "" ? "" : `${folder}/`)

const number = / \(\d+\)$/

/** The title of a note whose file was renamed. The number by which its name differs from another one is not of the title. */
export const renamedTitle = (from: string, to: string, title: string): string => {
  const [before, stem] = [from, to].map((path) => stemOf(baseOf(path)).normalize("NFC")) as [string, string]
  if (before === stem) return title
  const own = stemOf(new Folder("").file(title, ".md"))
  const suffix = before.startsWith(own) ? (number.exec(before.slice(own.length))?.[0] ?? "") : ""
  if (stem.replace(number, "") === own) return title
  return titleOf(suffix !== "" && stem.endsWith(suffix) ? stem.slice(0, -suffix.length) : stem)
}

export const titleOfFile = (path: string): string => titleOf(stemOf(baseOf(path)).normalize("NFC"))

/** The folders of notebooks, and the folders that a rename on either side concerns. */
export interface FolderPlaces {
  readonly pathOf: ReadonlyMap<string, string>
  readonly renamedNotebooks: ReadonlyArray<{ readonly id: string; readonly from: string; readonly to: string }>
  readonly renamedFolders: ReadonlyArray<{ readonly id: string; readonly from: string; readonly to: string }>
}

/** Names the folders of notebooks. `home`: the notebook of files at the top. */
export const placesOf = (
  notebooks: ReadonlyMap<string, Notebook>,
  bases: ReadonlyMap<string, FolderBase>,
  scan: Pick<Scan, "folders" | "otherNames">,
  home: string | undefined
): FolderPlaces => {
  const pathOf = new Map<string, string>()
  const renamedNotebooks: Array<FolderPlaces["renamedNotebooks"][number]> = []
  const renamedFolders: Array<FolderPlaces["renamedFolders"][number]> = []
  const pathsOfBases = new Set([...bases.values()].map(({ path }) => path))
  const byIdentity = new Map([...scan.folders].map(([path, identity]) => [identity, path]))
  const children = Map.groupBy([...notebooks.values()].toSorted(byAge), ({ parent_id }) =>
    parent_id !== null && notebooks.has(parent_id) ? parent_id : null
  )
  const isFolder = (path: string) => scan.folders.has(path)

  /** Where the folder of a notebook is now; undefined if it has none. */
  const foundFolder = ({ id, name, parent_id }: Notebook): string | undefined => {
    const base = bases.get(id)
    if (base === undefined) return undefined
    const moved = byIdentity.get(base.identity)
    if (moved !== undefined && moved !== base.path && !isFolder(base.path) && !pathsOfBases.has(moved)) {
      renamedNotebooks.push({ id, from: base.path, to: moved })
      return moved
    }
    return name === base.name && parent_id === base.parent_id ? base.path : undefined
  }

  const visit = (within: ReadonlyArray<Notebook>, folder: string, level: number): void => {
    const fixed = new Map(within.map((notebook) => [notebook.id, foundFolder(notebook)]))
    const taken = [...fixed.values()].flatMap((path) => (path === undefined ? [] : baseOf(path)))
    const files = (scan.otherNames.get(folder) ?? []).filter((name) => !isFolder(joined(folder, name)))
    const foreign = [...pathsOfBases].filter((path) => folderOf(path) === folder).map(baseOf)
    const reserved = folder === "" ? [attachmentsFolder] : []
    const names = new Folder(inside(folder), [...taken, ...files, ...reserved])
    for (const { id, name } of within) {
      if (id === home) continue
      const from = bases.get(id)?.path
      let path = fixed.get(id)
      if (path === undefined) {
        const named = names.folder(name, level)
        // A folder in another case or form of Unicode is the same.
        const same = [...scan.folders.keys()].find(
          (each) => folderOf(each) === folder && folded(baseOf(each)) === folded(named)
        )
        path = same !== undefined && !foreign.includes(baseOf(same)) ? same : joined(folder, named)
        if (from !== undefined && from !== path && isFolder(from)) renamedFolders.push({ id, from, to: path })
      }
      pathOf.set(id, path)
      visit(children.get(id) ?? [], path, level + 1)
    }
  }
  if (home !== undefined && notebooks.has(home)) {
    pathOf.set(home, "")
    const top = children.get(null) ?? []
    visit([...top.filter(({ id }) => id !== home), ...(children.get(home) ?? [])].toSorted(byAge), "", 1)
  } else visit(children.get(null) ?? [], "", 1)
  return { pathOf, renamedNotebooks, renamedFolders }
}
