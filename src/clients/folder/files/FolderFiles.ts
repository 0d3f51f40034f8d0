import type { SyncEngine } from "../../sync/SyncEngine.ts"
import { TriedActions } from "../TriedActions.ts"
import type { FileAccess } from "../FileAccess.ts"
import type { Sides } from "../FolderPlan.ts"
import { type Asset, type Scan, statOf, trustedStat } from "../FolderScan.ts"
import type { FolderStore } from "../FolderStore.ts"
import { Sightings } from "../Sightings.ts"
import { FileApply } from "./FileApply.ts"
import { type Attachment, LinkPaths } from "./LinkPaths.ts"
import { type FileAction, type FilePlan, filesToRead, foundBases, plannedFiles } from "./FilePlan.ts"

interface Compared {
  readonly attachments: ReadonlyMap<string, Attachment>
  readonly links: LinkPaths
}

/** The files of notes in a folder. */
export class FolderFiles {
  readonly #access: FileAccess
  readonly #engine: SyncEngine
  readonly #store: FolderStore
  readonly #maxFetched: number
  readonly #sightings = new Sightings()
  #assets = new Map<string, Asset>()
  #isFirst = true

  constructor(access: FileAccess, engine: SyncEngine, store: FolderStore, maxFetched = Infinity) {
    this.#maxFetched = maxFetched
    this.#access = access
    this.#engine = engine
    this.#store = store
  }

  /** Files as an earlier scan, or the last run, has found them. */
  readonly known = (): ((path: string) => Omit<Asset, "size"> | undefined) => {
    const bases = this.#isFirst ? this.#store.fileBases.values() : []
    const byPath = new Map([...bases].map(({ hash, identity, path, stat }) => [path, { hash, identity, path, stat }]))
    this.#isFirst = false
    return (path) => this.#assets.get(path) ?? byPath.get(path)
  }

  get #attachments(): ReadonlyMap<string, Attachment> {
    const all = this.#engine.all("attachment")
    return new Map(
      all.map(({ created_at = "", filename, id, note_id, sha256, size, status }) => [
        id,
        { id, note_id, filename, sha256, size, status, created_at }
      ])
    )
  }

  /**
   * Reads the files that decide what belongs together, and finds the files of attachments. `planned`: the paths that notes
   * are about to get.
   */
  async compare(scan: Scan, planned: ReadonlyMap<string, string>): Promise<Compared> {
    await this.#discardGone()
    const attachments = this.#attachments
    const { bases, fileBases } = this.#store
    const assets = (this.#assets = new Map(scan.assets))
    const found = { attachments, fileBases, scan: { assets } }
    for (const asset of filesToRead(found)) {
      const hash = await this.#access.hash(asset.path)
      const stats = await this.#access.stats(asset.path)
      // One that is being written is read again by the next scan.
      if (hash === undefined || stats === undefined || statOf(stats) !== asset.stat) continue
      assets.set(asset.path, { ...asset, hash, stat: trustedStat(stats) })
    }
    for (const [id, base] of foundBases(found)) this.#store.setFile(id, base)
    const links = new LinkPaths({
      notePath: (id) => planned.get(id) ?? bases.get(id)?.path,
      paths: assets.keys(),
      pathOf: (id) => fileBases.get(id)?.path,
      attachments: Map.groupBy(
        [...attachments.values()].toSorted((one, other) =>
          one.created_at + one.id < other.created_at + other.id ? -1 : 1
        ),
        ({ note_id }) => note_id
      )
    })
    return { attachments, links }
  }

  /** Ends what the server refused because the note or the attachment is gone: its file is in the folder or its trash. */
  async #discardGone(): Promise<void> {
    for (const refused of this.#engine.refused) {
      const { edit, problem } = refused
      const { data, id, type } = edit
      const note_id = this.#store.fileBases.get(id)?.note_id ?? data["note_id"]
      const isGone = typeof note_id === "string" && this.#engine.get("note", note_id) === undefined
      if (type === "attachment" && (isGone || problem.code === "not_found")) await this.#engine.discard(refused)
    }
  }

  plan(sides: Sides, attachments: ReadonlyMap<string, Attachment>, links: LinkPaths): FilePlan {
    const { fileBases } = this.#store
    const scan = { ...sides.scan, assets: this.#assets }
    const { absent, seen } = this.#sightings
    const maxFetched = this.#maxFetched
    return plannedFiles({ ...sides, scan, attachments, fileBases, links, seen, absent, maxFetched })
  }

  /** Carries out a plan, one file after the other: each is in memory. */
  async apply(plan: FilePlan, changedFolders: Set<string>): Promise<TriedActions<FileAction>> {
    const [access, engine, store] = [this.#access, this.#engine, this.#store]
    const apply = new FileApply({ access, engine, store, changedFolders })
    const tried = new TriedActions<FileAction>(this.#sightings.isUndecided(plan))
    for (const action of plan.actions) {
      if (!apply.isOffline || action.kind !== "fetchFile") await tried.run(action, (each) => apply.run(each))
    }
    this.#sightings.add(plan, store.fileBases)
    return tried
  }
}
