import type { SyncEngine } from "../../sync/SyncEngine.ts"
import { FolderGone, type FileAccess } from "../FileAccess.ts"
import type { FolderProblem } from "../ApplySettings.ts"
import type { Sides } from "../FolderPlan.ts"
import { type Asset, type Scan, statOf, trustedStat } from "../FolderScan.ts"
import type { FolderStore } from "../FolderStore.ts"
import { FileApply } from "./FileApply.ts"
import { type Attachment, LinkPaths } from "./LinkPaths.ts"
import { type FileAction, type FilePlan, filesToRead, foundBases, plannedFiles } from "./FilePlan.ts"

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

/** What a cycle did with files that are no notes. */
interface FileCycle {
  readonly actions: ReadonlyArray<FileAction>
  readonly held: ReadonlyArray<FileAction>
  readonly problems: ReadonlyArray<FolderProblem>
  readonly isPending: boolean
}

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
  readonly #seen = new Set<string>()
  #absent: ReadonlySet<string> = new Set()
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

  /** Ends what the server refused because the note is gone: its file stays in the folder. */
  async #discardGone(): Promise<void> {
    for (const refused of this.#engine.refused) {
      const { data, id, type } = refused.edit
      const note_id = this.#store.fileBases.get(id)?.note_id ?? data["note_id"]
      const isGone = typeof note_id === "string" && this.#engine.get("note", note_id) === undefined
      if (type === "attachment" && isGone) await this.#engine.discard(refused)
    }
  }

  plan(sides: Sides, attachments: ReadonlyMap<string, Attachment>, links: LinkPaths): FilePlan {
    const { fileBases } = this.#store
    const [scan, seen, absent, maxFetched] = [
      { ...sides.scan, assets: this.#assets },
      this.#seen,
      this.#absent,
      this.#maxFetched
    ]
    return plannedFiles({ ...sides, scan, attachments, fileBases, links, seen, absent, maxFetched })
  }

  /** Carries out a plan, one file after the other: each is in memory. */
  async apply(plan: FilePlan, changedFolders: Set<string>): Promise<FileCycle> {
    const { actions, held, missing, present } = plan
    const [access, engine, store] = [this.#access, this.#engine, this.#store]
    const apply = new FileApply({ access, engine, store, changedFolders })
    const done: Array<FileAction> = []
    const problems: Array<FolderProblem> = []
    let isPending = [...missing].some((id) => this.#seen.has(id) && !this.#absent.has(id))
    for (const action of actions) {
      if (apply.isOffline && action.kind === "fetchFile") continue
      try {
        const outcome = await apply.run(action)
        if (outcome === undefined) done.push(action)
        else if (outcome === "later") isPending = true
        else problems.push(outcome)
      } catch (error) {
        // The rest continues, as with notes.
        if (error instanceof FolderGone) throw error
        problems.push({ path: action.path, message: messageOf(error) })
      }
    }
    for (const id of present) this.#seen.add(id)
    for (const id of this.#seen) if (!store.fileBases.has(id)) this.#seen.delete(id)
    this.#absent = missing
    return { actions: done, held, problems, isPending }
  }
}
