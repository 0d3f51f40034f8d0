import { Folder } from "../../../services/transfers/formats/FileNames.ts"
import { notebookOf } from "../../../services/transfers/formats/ItemNames.ts"
import { baseOf, folderOf } from "../../../services/transfers/formats/Paths.ts"
import { newId } from "../sync/Edit.ts"
import { type ApplySettings, later, type Outcome } from "./ApplySettings.ts"

/** Makes, renames and moves notebooks and their folders. */
export class NotebookApply {
  readonly #settings: ApplySettings
  readonly #changedFolders: Set<string>
  readonly #notebooks: Map<string, string>

  constructor(settings: ApplySettings, changedFolders: Set<string>) {
    this.#settings = settings
    this.#changedFolders = changedFolders
    this.#notebooks = new Map([...settings.plan.places.pathOf].map(([id, path]) => [path, id]))
  }

  /** The notebook of a folder, which is made if there is none. */
  async notebookOf(folder: string): Promise<string | undefined> {
    const known = this.#notebooks.get(folder)
    if (known !== undefined) return known
    const { engine, sides, store } = this.#settings
    const parts = folder.split("/")
    const [outer, names] = [notebookOf(parts.slice(0, -1)), notebookOf(parts)]
    const name = folder === "" ? "Inbox" : names.at(-1)!
    // Folders below the fifth level are one notebook with those around them.
    const around =
      outer.length < names.length ? parts.slice(0, -1).join("/") : parts.slice(0, names.length - 1).join("/")
    const parent_id = parts.length === 1 ? this.#settings.top : await this.notebookOf(around)
    if (parent_id === undefined) return undefined
    // Another file of the folder may have made it meanwhile.
    const made = this.#notebooks.get(folder)
    if (made !== undefined) return made
    const id = newId("nb_")
    this.#notebooks.set(folder, id)
    const identity = sides.scan.folders.get(folder)
    if (identity !== undefined) store.setFolder(id, { path: folder, identity, name, parent_id })
    await engine.edit("notebook", id, { name, ...(parent_id === null ? {} : { parent_id }) })
    return id
  }

  /** Sets the paths of a folder that was renamed, and of all that is in it. */
  #setPaths(from: string, path: string): void {
    const { store } = this.#settings
    const moved = (at: string) => (at === from ? path : at.startsWith(`${from}/`) ? path + at.slice(from.length) : at)
    for (const [id, base] of store.bases)
      if (moved(base.path) !== base.path) store.setBase(id, { ...base, path: moved(base.path) })
    for (const [id, base] of store.folderBases) {
      if (moved(base.path) !== base.path) store.setFolder(id, { ...base, path: moved(base.path) })
    }
  }

  async renameNotebook(id: string, from: string, path: string): Promise<Outcome> {
    const { engine, sides, store } = this.#settings
    const base = store.folderBases.get(id)!
    const isMoved = folderOf(from) !== folderOf(path)
    const parent = isMoved
      ? folderOf(path) === ""
        ? this.#settings.top
        : await this.notebookOf(folderOf(path))
      : base.parent_id
    if (parent === undefined || parent === id) return { path, message: "Its notebook cannot be moved there" }
    const shown = engine.get("notebook", id)?.name ?? base.name
    const isNamed = baseOf(from) === baseOf(path) || new Folder("").folder(shown, 1) === baseOf(path)
    const name = isNamed ? shown : notebookOf([baseOf(path).normalize("NFC")])[0]!
    const identity = sides.scan.folders.get(path)!
    this.#setPaths(from, path)
    store.setFolder(id, { path, identity, name, parent_id: parent })
    await engine.edit("notebook", id, { name, parent_id: parent }, { name: base.name, parent_id: base.parent_id })
    await store.flush()
    return undefined
  }

  async moveFolder(id: string, from: string, path: string): Promise<Outcome> {
    const { access, engine, store } = this.#settings
    const notebook = engine.get("notebook", id)
    if (notebook === undefined) return later
    await access.makeFolder(folderOf(path))
    const isMoved = await access.move(from, path)
    // Its notes are then moved one by one.
    if (!isMoved) store.setFolder(id, undefined)
    else {
      this.#setPaths(from, path)
      store.setFolder(id, {
        ...store.folderBases.get(id)!,
        path,
        name: notebook.name,
        parent_id: notebook.parent_id ?? null
      })
      this.#changedFolders.add(folderOf(from)).add(folderOf(path))
    }
    await store.flush()
    return undefined
  }
}
