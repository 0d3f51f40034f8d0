import { basename } from "node:path"
import type { Client } from "../client/Client.ts"
import { openSync, type SyncEngine } from "../sync/SyncEngine.ts"
import { memoryStore, type SyncStore } from "../sync/SyncStore.ts"
import { earlierVersion } from "./EarlierVersion.ts"
import { FileAccess, FolderGone, temporaryStart } from "./FileAccess.ts"
import type { FolderProblem } from "./ApplySettings.ts"
import { FolderApply, trashFolder } from "./FolderApply.ts"
import { joined, type Notebook } from "./FolderNames.ts"
import { type Action, type Direction, type Missing, planned, type Plan, type Sides } from "./FolderPlan.ts"
import { type FoundFile, scanned } from "./FolderScan.ts"
import { FolderStore } from "./FolderStore.ts"
import { contentOf, type NoteContent } from "./FileText.ts"

/** Options of a folder. */
export interface FolderOptions {
  readonly client: Client
  /** The path of the folder. */
  readonly folder: string
  /** Where the state is kept, outside of the folder: a `fileStore`. */
  readonly store: SyncStore
  /** The ids of the notebooks that are synced, with those in them; by default all. The folder itself is a single one. */
  readonly notebooks?: ReadonlyArray<string>
  /** `pull` changes nothing on the server, `push` nothing in the folder. */
  readonly direction?: Direction
  /**
   * `restore`: files that are missing since the last run come back, also if all are missing. `delete`: their notes go to the
   * trash. `delete-many`: also if they are many at once, and many files whose notes were deleted. By default some come back.
   */
  readonly missing?: Missing
  /** Only reports what would be done. */
  readonly isDry?: boolean
  readonly device?: { readonly name?: string; readonly platform?: string }
  /** Milliseconds until a missing file counts as deleted: programs replace files by others. By default 300. */
  readonly settling?: number
  /** Called before each change in the folder; an error ends it. For tests. */
  readonly onStep?: () => void
}

/** What was done, and what was not. */
export interface FolderReport {
  readonly actions: ReadonlyArray<Action>
  /** Deletions that wait for `missing: "delete-many"`. */
  readonly held: ReadonlyArray<Action>
  readonly problems: ReadonlyArray<FolderProblem>
  /** Why the server was not reached. */
  readonly error?: unknown
  /** The number of edits that the server does not have yet. */
  readonly waiting: number
}

interface Cycle extends Pick<FolderReport, "actions" | "held" | "problems"> {
  /** Whether another cycle must decide about files that were missing or have changed meanwhile. */
  readonly isPending: boolean
}

const nothing: Cycle = { actions: [], held: [], problems: [], isPending: false }

/** Files that are read and written at once. */
const atOnce = 16
/** Maximum rounds of one sync: each one takes what the last one has brought. */
const maxRounds = 12
const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

/** Runs tasks, some at once, and in their order if they have one key. */
const inGroups = async (tasks: ReadonlyArray<readonly [key: string, run: () => Promise<void>]>): Promise<void> => {
  const groups = [...Map.groupBy(tasks, ([key]) => key).values()].values()
  const work = async () => {
    for (const group of groups) for (const [, run] of group) await run()
  }
  await Promise.all(Array.from({ length: atOnce }, work))
}

/** A folder of Markdown files that is equal to notebooks of a workspace. */
export class FolderSync {
  readonly #options: FolderOptions
  readonly engine: SyncEngine
  readonly #store: FolderStore
  readonly #access: FileAccess
  readonly #seen = new Set<string>()
  #absent: ReadonlySet<string> = new Set()
  readonly #notes = new Map<string, NoteContent>()
  /** The records that have changed since the last cycle. */
  readonly #changed = new Set<string>()
  #files: ReadonlyMap<string, FoundFile> = new Map()
  #isFirst = true

  private constructor(options: FolderOptions, engine: SyncEngine, store: FolderStore, access: FileAccess) {
    this.#options = options
    this.engine = engine
    this.#store = store
    this.#access = access
    for (const { id } of engine.all("note")) this.#changed.add(id)
    engine.subscribe((ids) => ids.forEach((id) => this.#changed.add(id)))
  }

  /** Rejects with a StoreError if another program syncs the folder, and with FolderGone if there is no such folder. */
  static async open(options: FolderOptions): Promise<FolderSync> {
    const { client, device = {}, folder, isDry, notebooks, onStep } = options
    const access = new FileAccess(folder, onStep)
    access.check()
    const store = new FolderStore(isDry === true ? await copied(options.store) : options.store)
    const engine = await openSync({
      client,
      store,
      types: ["note", "notebook"],
      device: { name: `Folder ${basename(folder)}`, ...device },
      ...(notebooks === undefined ? {} : { notebooks })
    })
    return new FolderSync(options, engine, store, access)
  }

  /** The ids of notes by the paths of their files, when both were last equal. */
  get paths(): ReadonlyMap<string, string> {
    return new Map([...this.#store.bases].map(([id, { path }]) => [path, id]))
  }

  /** Makes both sides equal once. Rejects with FolderGone, after which nothing was deleted. */
  async sync(): Promise<FolderReport> {
    const total = { actions: [] as Array<Action>, waiting: 0 }
    let cycle = nothing
    let error: unknown
    for (let round = 0; round < maxRounds; round++) {
      error = undefined
      await this.engine.sync().catch((cause: unknown) => (error = cause))
      cycle = await this.cycle()
      total.actions.push(...cycle.actions)
      const isDone = cycle.actions.length === 0 && !cycle.isPending
      if (this.#options.isDry === true || (isDone && (error !== undefined || this.engine.state.waiting === 0))) break
      if (cycle.isPending) await new Promise((resolve) => setTimeout(resolve, this.settling))
    }
    return this.reported({ ...cycle, actions: total.actions }, error)
  }

  /** The path of the folder. */
  get root(): string {
    return this.#access.root
  }

  get settling(): number {
    return this.#options.settling ?? 300
  }

  /** The report of a cycle. */
  reported({ actions, held, problems }: Cycle, error: unknown): FolderReport {
    const refused = this.engine.refused.map(({ edit, problem }) => ({
      path: this.#store.bases.get(edit.id)?.path ?? edit.id,
      message: `The server refused it: ${problem.detail}`
    }))
    const waiting = this.engine.state.waiting
    return { actions, held, problems: [...problems, ...refused], waiting, ...(error === undefined ? {} : { error }) }
  }

  #sides(scan: Sides["scan"]): Sides {
    const { direction = "both", missing, notebooks: chosen } = this.#options
    const notebooks = new Map(
      this.engine
        .all("notebook")
        .map(({ created_at = "", id, name, parent_id = null }): [string, Notebook] => [
          id,
          { id, name, parent_id, created_at }
        ])
    )
    for (const id of this.#changed) {
      const note = this.engine.get("note", id)
      if (note === undefined) this.#notes.delete(id)
      else this.#notes.set(id, contentOf(id, note))
    }
    this.#changed.clear()
    const inbox = [...notebooks.values()].find(({ name, parent_id }) => name === "Inbox" && parent_id === null)
    return {
      bases: this.#store.bases,
      folderBases: this.#store.folderBases,
      scan,
      notes: this.#notes,
      notebooks,
      home: chosen === undefined ? inbox?.id : chosen.length === 1 ? chosen[0] : undefined,
      seen: this.#seen,
      absent: this.#absent,
      direction,
      missing
    }
  }

  /** Compares both sides once, and does what follows. */
  async cycle(): Promise<Cycle> {
    const access = this.#access
    access.check()
    const { bases } = this.#store
    const byPath = new Map(this.#isFirst ? [...bases.values()].map((base) => [base.path, base]) : [])
    const scan = await scanned(access, (path) => this.#files.get(path) ?? byPath.get(path))
    access.check()
    this.#files = scan.files
    // Notes that have not come yet are not deleted.
    if (!this.engine.state.isWhole) return nothing
    if (this.#isFirst && this.#options.isDry !== true) await this.#removeTemporary(scan.otherNames)
    const sides = this.#sides(scan)
    const plan = planned(sides)
    const isEmptied = this.#seen.size === 0 && bases.size > 0 && scan.files.size === 0
    if (isEmptied && this.#options.missing === undefined) {
      throw new FolderGone(
        `${access.root} has none of its ${bases.size} files: mount it, or state what that means (missing)`
      )
    }
    this.#isFirst = false
    if (this.#options.isDry === true) return { ...plan, problems: [], isPending: false }
    const cycle = await this.#applied(sides, plan)
    for (const id of plan.present) this.#seen.add(id)
    for (const id of this.#seen) if (!this.#store.bases.has(id)) this.#seen.delete(id)
    this.#absent = plan.missing
    return cycle
  }

  async #applied(sides: Sides, plan: Plan): Promise<Cycle> {
    const { client, notebooks } = this.#options
    const apply = new FolderApply({
      access: this.#access,
      engine: this.engine,
      store: this.#store,
      sides,
      plan,
      top: notebooks === undefined ? null : sides.home,
      earlier: (id, file) => earlierVersion(client, id, file)
    })
    const problems: Array<FolderProblem> = []
    const done: Array<Action> = []
    let isPending = [...plan.missing].some((id) => this.#seen.has(id) && !this.#absent.has(id))
    const run = async (action: Action) => {
      try {
        const outcome = await apply.run(action)
        if (outcome === undefined) done.push(action)
        else if (outcome === "later") isPending = true
        else problems.push(outcome)
      } catch (error) {
        // The rest continues: a full disk refuses one file, and the next scan tries again.
        if (error instanceof FolderGone) throw error
        problems.push({ path: action.path, message: messageOf(error) })
      }
    }
    await inGroups(plan.actions.map((action) => ["id" in action ? action.id : action.path, () => run(action)]))
    await this.#access.syncFolders(apply.changedFolders)
    await this.#store.flush()
    return { actions: done, held: plan.held, problems, isPending }
  }

  /** Removes what a killed process has left. A file that it was replacing may have words of that moment: it is kept. */
  async #removeTemporary(names: Sides["scan"]["otherNames"]): Promise<void> {
    for (const [folder, entries] of names) {
      for (const name of entries.filter((each) => each.startsWith(temporaryStart))) {
        const path = joined(folder, name)
        const stats = await this.#access.stats(path)
        if (stats === undefined) continue
        if (!name.endsWith("-old") || stats.nlink > 1) await this.#access.remove(path)
        else {
          await this.#access.makeFolder(trashFolder)
          await this.#access.move(path, joined(trashFolder, `${name.slice(temporaryStart.length)}.md`))
        }
      }
    }
  }

  /** Ends the sync. Edits that the server does not have yet are sent by the next run. */
  close(): Promise<void> {
    return this.engine.close()
  }
}

/** A copy of a state in memory, without the edits that wait: a dry run sends nothing. */
const copied = async (store: SyncStore): Promise<SyncStore> => {
  const copy = memoryStore()
  const entries = await store.load()
  await store.close()
  await copy.write([...entries].filter(([key]) => !key.startsWith("edit/") && !key.startsWith("file/")))
  return copy
}
