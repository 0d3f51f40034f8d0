import { Folder } from "../../../services/transfers/formats/FileNames.ts"
import { baseOf, folderOf } from "../../../services/transfers/formats/Paths.ts"
import { noteEnding } from "../../../services/markdown/LinkText.ts"
import { type Base, type FolderBase, type Matches, matched } from "./FileMatches.ts"
import { byAge, type FolderPlaces, joined, type Notebook, placesOf } from "./FolderNames.ts"
import type { FoundFile, Scan } from "./FolderScan.ts"
import { agrees, type NoteContent } from "./FileText.ts"
import { type LinkPaths, sameTargets } from "./files/LinkPaths.ts"

/** What is to be done so that a folder and the notes are equal. A pure function of both sides and their common bases. */

export type Action =
  /** The text of a file has changed: it is merged into the note. */
  | { readonly kind: "send"; readonly id: string; readonly path: string }
  | { readonly kind: "create"; readonly path: string }
  /** A user has renamed or moved a file. */
  | { readonly kind: "retitle"; readonly id: string; readonly from: string; readonly path: string }
  | { readonly kind: "trashNote"; readonly id: string; readonly path: string }
  | { readonly kind: "write"; readonly id: string; readonly path: string }
  /** The title or the notebook of a note has changed. `from` is `path` if the name of the file remains. */
  | { readonly kind: "move"; readonly id: string; readonly from: string; readonly path: string }
  | { readonly kind: "trashFile"; readonly id: string; readonly path: string }
  /** A file and a note of one name that have no common base. */
  | { readonly kind: "meet"; readonly id: string; readonly path: string }
  | { readonly kind: "renameNotebook"; readonly id: string; readonly from: string; readonly path: string }
  | { readonly kind: "moveFolder"; readonly id: string; readonly from: string; readonly path: string }
  /** Neither side has it any more, or the user ignores its file. */
  | { readonly kind: "forget"; readonly id: string; readonly path: string }

/**
 * What files mean that are missing since the last run: they come back, or their notes are deleted; and many of them at once,
 * on either side.
 */
export type Missing = "restore" | "delete" | "delete-many"

/** Which side may change. */
export type Direction = "both" | "pull" | "push"

export interface Sides {
  readonly bases: ReadonlyMap<string, Base>
  readonly folderBases: ReadonlyMap<string, FolderBase>
  readonly scan: Scan
  /** The notes outside the trash. */
  readonly notes: ReadonlyMap<string, NoteContent>
  readonly notebooks: ReadonlyMap<string, Notebook>
  readonly links: Pick<LinkPaths, "inFile">
  /** The notebook of files that are in no folder. */
  readonly home: string | undefined
  /** The notes whose files this run has seen. */
  readonly seen: ReadonlySet<string>
  /** The notes whose files the last scan has not found either. */
  readonly absent: ReadonlySet<string>
  readonly direction: Direction
  readonly missing: Missing | undefined
}

export interface Plan {
  readonly actions: ReadonlyArray<Action>
  /** The notes with a file. */
  readonly present: ReadonlySet<string>
  /** The notes whose files are missing. */
  readonly missing: ReadonlySet<string>
  /** Deletions that wait for the user, because they are many. */
  readonly held: ReadonlyArray<Action>
  readonly places: FolderPlaces
}

/** Whether that many deletions at once may be a mistake. */
export const areMany = (deletions: number, all: number): boolean =>
  deletions > 20 || (deletions > 1 && deletions > all * 0.05)

const ofNotes = new Set<Action["kind"]>(["send", "create", "retitle", "trashNote", "renameNotebook"])
const ofFiles = new Set<Action["kind"]>(["write", "move", "trashFile", "moveFolder"])

/** Names the files of notes that have none, or whose title or notebook has changed. */
class Naming {
  readonly #folders = new Map<string, Folder>()
  readonly #sides: Sides
  readonly #matches: Matches
  readonly #leaving: ReadonlySet<string>
  /** The files that keep their names, by their folders; they are only needed if one gets a name. */
  #namesIn: ReadonlyMap<string, ReadonlyArray<string>> | undefined

  constructor(sides: Sides, matches: Matches, leaving: ReadonlySet<string>) {
    this.#sides = sides
    this.#matches = matches
    this.#leaving = leaving
  }

  #keptIn(folder: string): ReadonlyArray<string> {
    const paths = () => [...this.#matches.byNote.values()].map(({ path }) => path)
    this.#namesIn ??= Map.groupBy(
      paths().filter((path) => !this.#leaving.has(path)),
      folderOf
    )
    return (this.#namesIn.get(folder) ?? []).map(baseOf)
  }

  /** The path for a note. `mayMeet`: also that of a file of no note. */
  path(folder: string, title: string, ending: string, mayMeet: boolean): string {
    let names = this.#folders.get(folder)
    if (names === undefined) {
      const own = this.#keptIn(folder)
      names = new Folder(folder === "" ? "" : `${folder}/`, [
        ...own,
        ...(this.#sides.scan.otherNames.get(folder) ?? [])
      ])
      this.#folders.set(folder, names)
    }
    while (true) {
      const path = joined(folder, names.file(title, ending))
      if (mayMeet || !this.#matches.others.has(path) || this.#leaving.has(path)) return path
    }
  }
}

/** The actions for a note with a base. */
const ofBase = (id: string, base: Base, file: FoundFile | undefined, sides: Sides): ReadonlyArray<Action> => {
  const { absent, direction, links, missing, notes, seen } = sides
  const note = notes.get(id)
  const path = file?.path ?? base.path
  if (file === undefined && note === undefined) return [{ kind: "forget", id, path }]
  if (file === undefined) {
    const isChanged = !agrees(base.note, note!) || note!.title !== base.note.title
    const isDeleted = missing?.startsWith("delete") === true || (seen.has(id) && absent.has(id))
    if (isDeleted && !isChanged && direction !== "pull") return [{ kind: "trashNote", id, path }]
    // The next scan decides: a program may be about to replace it.
    return seen.has(id) && !absent.has(id) && direction !== "pull" ? [] : [{ kind: "write", id, path: "" }]
  }
  const isSent = file.hash !== base.hash
  const actions: Array<Action> = []
  if (note === undefined) return isSent ? [{ kind: "send", id, path }] : [{ kind: "trashFile", id, path }]
  if (file.path !== base.path) actions.push({ kind: "retitle", id, from: base.path, path })
  if (isSent) actions.push({ kind: "send", id, path })
  else if (!agrees(base.note, note) || !sameTargets(base.targets, links.inFile(note, path).targets))
    actions.push({ kind: "write", id, path })
  return actions
}

const isRenamed = (note: NoteContent, base: Base): boolean =>
  note.title !== base.note.title || note.notebook_id !== base.note.notebook_id

/** Takes deletions out that are too many at once. */
const guarded = (actions: ReadonlyArray<Action>, { bases, missing }: Sides): Pick<Plan, "actions" | "held"> => {
  const held = (["trashNote", "trashFile"] as const).flatMap((kind) => {
    const all = actions.filter((each) => each.kind === kind)
    return missing !== "delete-many" && areMany(all.length, bases.size) ? all : []
  })
  return { actions: actions.filter((each) => !held.includes(each)), held }
}

const isWithin = (path: string, folder: string): boolean => path.startsWith(`${folder}/`)

export const planned = (sides: Sides): Plan => {
  const { bases, direction, folderBases, home, notebooks, notes, scan } = sides
  const isHidden = (path: string) =>
    !scan.files.has(path) && (scan.isIgnored(path) || scan.unreadable.some((folder) => isWithin(path, folder)))
  const matches = matched(new Map([...bases].filter(([, { path }]) => !isHidden(path))), scan)
  const places = placesOf(notebooks, folderBases, scan, home)
  const present = new Set(matches.byNote.keys())
  const missing = new Set([...bases].flatMap(([id, { path }]) => (present.has(id) || isHidden(path) ? [] : [id])))
  const isAllowed = ({ kind }: Action) => direction === "both" || !(direction === "pull" ? ofNotes : ofFiles).has(kind)

  const folders: ReadonlyArray<Action> = [
    ...places.renamedNotebooks.map(({ to, ...each }) => ({ kind: "renameNotebook", ...each, path: to }) as const),
    ...places.renamedFolders.map(({ to, ...each }) => ({ kind: "moveFolder", ...each, path: to }) as const)
  ].filter(isAllowed)
  // Paths of files follow from those of folders.
  if (folders.length > 0) return { actions: folders.slice(0, 1), present, missing: new Set(), held: [], places }

  const actions: Array<Action> = []
  const unnamed: Array<NoteContent> = [...notes.values()].filter(({ id }) => !bases.has(id))
  const leaving = new Set<string>()
  for (const [id, base] of bases) {
    const file = matches.byNote.get(id)
    const note = notes.get(id)
    if (isHidden(base.path)) {
      if (scan.isIgnored(base.path)) actions.push({ kind: "forget", id, path: base.path })
      continue
    }
    const own = ofBase(id, base, file, sides)
    actions.push(...own.filter((each) => each.path !== ""))
    const isMoved = own.some(({ kind }) => kind === "retitle")
    const isToName =
      own.some(({ path }) => path === "") || (note !== undefined && file !== undefined && isRenamed(note, base))
    if (note === undefined || isMoved || !isToName) continue
    unnamed.push(note)
    if (file !== undefined) leaving.add(file.path)
  }
  const byNoteId = new Map([...matches.others.values()].map((file) => [file.noteId, file]))
  const naming = new Naming(sides, matches, leaving)
  const met = new Set<string>()
  const occupied = new Set(
    unnamed.length === 0 ? [] : [...[...matches.byNote.values()].map(({ path }) => path), ...matches.others.keys()]
  )
  for (const note of unnamed.toSorted(byAge)) {
    const { id, notebook_id, title } = note
    const [base, file] = [bases.get(id), matches.byNote.get(id)]
    const isBack = base !== undefined && file === undefined && !isRenamed(note, base) && !occupied.has(base.path)
    const own = isBack ? base.path : base === undefined ? byNoteId.get(id)?.path : undefined
    const folder = places.pathOf.get(notebook_id)
    // The notebook has not come yet.
    if (folder === undefined) continue
    const ending = noteEnding.exec(base?.path ?? "")?.[0] ?? ".md"
    const path = own ?? naming.path(folder, title, ending, base === undefined)
    if (scan.isIgnored(path)) continue
    if (file !== undefined) actions.push({ kind: "move", id, from: file.path, path })
    else if (matches.others.has(path) && !met.has(path)) {
      met.add(path)
      actions.push({ kind: "meet", id, path })
    } else actions.push({ kind: "write", id, path })
  }
  for (const { path } of matches.others.values()) if (!met.has(path)) actions.push({ kind: "create", path })
  return { ...guarded(actions.filter(isAllowed), sides), present, missing, places }
}
