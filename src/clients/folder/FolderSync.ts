import { basename } from "node:path"
import { openSync, type SyncEngine } from "../sync/SyncEngine.ts"
import { memoryStore, type SyncStore } from "../sync/SyncStore.ts"
import { TriedActions } from "./TriedActions.ts"
import { earlierVersion } from "./EarlierVersion.ts"
import { FileAccess, FolderGone, temporaryStart } from "./FileAccess.ts"
import { FolderApply } from "./FolderApply.ts"
import { joined, type Notebook } from "./FolderNames.ts"
import { type Action, planned, type Plan, type Sides } from "./FolderPlan.ts"
import { type FoundFile, scanned } from "./FolderScan.ts"
import type { FolderAction, FolderOptions, FolderReport } from "./FolderOptions.ts"
import { FolderStore } from "./FolderStore.ts"
import { endMoves } from "./InterruptedMoves.ts"
import { Sightings } from "./Sightings.ts"
import { trashFolder } from "./FolderTrash.ts"
import { contentOf, type NoteContent } from "./FileText.ts"
import type { LinkPaths } from "./files/LinkPaths.ts"
import type { FilePlan } from "./files/FilePlan.ts"
import { FolderFiles } from "./files/FolderFiles.ts"

interface Cycle extends Pick<FolderReport, "actions" | "held" | "problems"> {
  /** Whether another cycle must decide about files that were missing or have changed meanwhile. */
  readonly isPending: boolean
}

const nothing: Cycle = { actions: [], held: [], problems: [], isPending: false }

const keyOf = (action: FolderAction): string => `${action.kind} ${"id" in action ? action.id : action.path}`

/** A plan in which the deletions that a user has confirmed do not wait. */
const withConfirmed = <
  A extends FolderAction,
  P extends { readonly actions: ReadonlyArray<A>; readonly held: ReadonlyArray<A> }
>(
  plan: P,
  confirmed: ReadonlySet<string>
): P => {
  const [meant = [], held = []] = [true, false].map((is) =>
    plan.held.filter((each) => confirmed.has(keyOf(each)) === is)
  )
  return { ...plan, actions: [...plan.actions, ...meant], held }
}

/** Files that are read and written at once. */
const atOnce = 16
/** Maximum rounds of one sync: each one takes what the last one has brought. */
const maxRounds = 12

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
  readonly #assets: FolderFiles
  readonly #sightings = new Sightings()
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
    this.#assets = new FolderFiles(access, engine, store, options.maxFetched)
    for (const { id } of engine.all("note")) this.#changed.add(id)
    engine.subscribe((ids) => ids.forEach((id) => this.#changed.add(id)))
  }

  /** Rejects with a StoreError if another program syncs the folder, and with FolderGone if there is no such folder. */
  static async open(options: FolderOptions): Promise<FolderSync> {
    const { client, device = {}, folder, isDry, isLimited, notebooks, onStep } = options
    const access = new FileAccess(folder, onStep)
    access.check()
    const store = new FolderStore(isDry === true ? await copied(options.store) : options.store)
    const engine = await openSync({
      client,
      store,
      types: ["note", "notebook", "attachment"],
      device: { name: `Folder ${basename(folder)}`, ...device },
      // For a limited key, the server selects them.
      ...(notebooks === undefined || isLimited === true ? {} : { notebooks })
    })
    return new FolderSync(options, engine, store, access)
  }

  /** The ids of notes by the paths of their files, when both were last equal. */
  get paths(): ReadonlyMap<string, string> {
    return new Map([...this.#store.bases].map(([id, { path }]) => [path, id]))
  }

  /**
   * Makes both sides equal once. `confirmed`: the deletions of `held` that a user has confirmed, as far as they still wait.
   * Rejects with FolderGone, after which nothing was deleted.
   */
  async sync(confirmed: ReadonlyArray<FolderAction> = []): Promise<FolderReport> {
    const keys = new Set(confirmed.map(keyOf))
    const actions: Array<FolderAction> = []
    let cycle = nothing
    let error: unknown
    let before: number | undefined
    for (let round = 0; round < maxRounds; round++) {
      error = undefined
      await this.engine.sync().catch((cause: unknown) => (error = cause))
      cycle = await this.cycle(keys)
      actions.push(...cycle.actions)
      const { waiting } = this.engine.state
      const isDone = cycle.actions.length === 0 && !cycle.isPending
      // The bytes of a note in the trash wait for the note.
      const isSent = waiting === 0 || waiting === before
      if (this.#options.isDry === true || (isDone && (error !== undefined || isSent))) break
      before = waiting
      if (cycle.isPending) await new Promise((resolve) => setTimeout(resolve, this.settling))
    }
    return this.reported({ ...cycle, actions }, error)
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
    const { bases, fileBases } = this.#store
    const refused = this.engine.refused.map(({ edit, problem }) => ({
      path: (bases.get(edit.id) ?? fileBases.get(edit.id))?.path ?? edit.id,
      message: `The server refused it: ${problem.detail}`
    }))
    const waiting = this.engine.state.waiting
    return { actions, held, problems: [...problems, ...refused], waiting, ...(error === undefined ? {} : { error }) }
  }

  #sides(scan: Sides["scan"], links: LinkPaths): Sides {
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
      links,
      home: chosen === undefined ? inbox?.id : chosen.length === 1 ? chosen[0] : undefined,
      seen: this.#sightings.seen,
      absent: this.#sightings.absent,
      direction,
      missing
    }
  }

  /** Compares both sides once, and does what follows, with deletions that were confirmed. */
  async cycle(confirmed: ReadonlySet<string> = new Set()): Promise<Cycle> {
    const access = this.#access
    access.check()
    const { bases } = this.#store
    if (this.#options.isDry !== true) await endMoves(access, this.#store)
    const byPath = new Map(this.#isFirst ? [...bases.values()].map((base) => [base.path, base]) : [])
    const scan = await scanned(access, {
      file: (path) => this.#files.get(path) ?? byPath.get(path),
      asset: this.#assets.known()
    })
    access.check()
    this.#files = scan.files
    // Notes that have not come yet are not deleted.
    if (!this.engine.state.isWhole) return nothing
    if (this.#isFirst && this.#options.isDry !== true) await this.#removeTemporary(scan.otherNames)
    const paths = new Map<string, string>()
    const { attachments, links } = await this.#assets.compare(scan, paths)
    const sides = this.#sides(scan, links)
    const plan = withConfirmed(planned(sides), confirmed)
    for (const action of plan.actions) if ("id" in action) paths.set(action.id, action.path)
    const isEmptied = this.#sightings.seen.size === 0 && bases.size > 0 && scan.files.size === 0
    if (isEmptied && this.#options.missing === undefined) {
      throw new FolderGone(
        `${access.root} has none of its ${bases.size} files: mount it, or state what that means (missing)`
      )
    }
    this.#isFirst = false
    const files = () => withConfirmed(this.#assets.plan(sides, attachments, links), confirmed)
    if (this.#options.isDry === true) {
      const { actions, held } = files()
      return { actions: [...plan.actions, ...actions], held: [...plan.held, ...held], problems: [], isPending: false }
    }
    const cycle = await this.#applied(sides, plan, links, files)
    this.#sightings.add(plan, bases)
    return cycle
  }

  async #applied(sides: Sides, plan: Plan, links: LinkPaths, planFiles: () => FilePlan): Promise<Cycle> {
    const { client, notebooks } = this.#options
    const apply = new FolderApply({
      access: this.#access,
      engine: this.engine,
      store: this.#store,
      sides,
      plan,
      links,
      top: notebooks === undefined ? null : sides.home,
      earlier: (note, file) => earlierVersion(client, note, file)
    })
    const tried = new TriedActions<Action>(this.#sightings.isUndecided(plan))
    const run = (action: Action) => tried.run(action, (each) => apply.run(each))
    await inGroups(plan.actions.map((action) => ["id" in action ? action.id : action.path, () => run(action)]))
    // Paths in a folder that was renamed are those of the next scan.
    const hasMoved = plan.actions.some(({ kind }) => kind === "moveFolder" || kind === "renameNotebook")
    const ofFiles = hasMoved ? undefined : planFiles()
    const files = ofFiles && (await this.#assets.apply(ofFiles, apply.changedFolders))
    await this.#access.syncFolders(apply.changedFolders)
    await this.#store.flush()
    return {
      actions: [...tried.actions, ...(files?.actions ?? [])],
      held: [...plan.held, ...(ofFiles?.held ?? [])],
      problems: [...tried.problems, ...(files?.problems ?? [])],
      isPending: tried.isPending || files?.isPending === true
    }
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
