import { attachmentsFolder, folded, Folder, splitName } from "../../../../services/transfers/formats/FileNames.ts"
import { baseOf, folderOf } from "../../../../services/transfers/formats/Paths.ts"
import type { Base } from "../FileMatches.ts"
import { areMany, type Direction, type Missing } from "../FolderPlan.ts"
import { type Asset, isNoteFile, type Scan } from "../FolderScan.ts"
import { joined } from "../FolderNames.ts"
import type { NoteContent } from "../FileText.ts"
import type { Attachment, LinkPaths } from "./LinkPaths.ts"

/** What is to be done so that the files of notes and those of a folder are equal. Pure functions of both sides. */

/** The file of an attachment, when both were last equal. Several attachments of the same bytes have one. */
export interface FileBase {
  readonly path: string
  readonly identity: string
  readonly stat: string
  readonly hash: string
  readonly note_id: string
  /** The user has removed the file: the note keeps it, since the server has no trash for files, and it does not come back. */
  readonly isRemoved?: true
}

export type FileAction =
  /** A note links to a file that is not one of its attachments. */
  | { readonly kind: "attachFile"; readonly note_id: string; readonly path: string }
  /** The attachment has earlier bytes of a file whose present ones the note has too. */
  | { readonly kind: "removeAttachment"; readonly id: string; readonly path: string }
  | { readonly kind: "fetchFile"; readonly id: string; readonly path: string }
  /** The attachment was deleted. */
  | { readonly kind: "trashAsset"; readonly id: string; readonly path: string }
  /** The user has removed the file of an attachment. */
  | { readonly kind: "leaveFile"; readonly id: string; readonly path: string }
  | { readonly kind: "forgetFile"; readonly id: string; readonly path: string }

export interface FileSides {
  /** By their ids. */
  readonly attachments: ReadonlyMap<string, Attachment>
  readonly fileBases: ReadonlyMap<string, FileBase>
  readonly scan: Pick<Scan, "assets" | "folders" | "otherNames" | "isIgnored">
  readonly bases: ReadonlyMap<string, Base>
  readonly notes: ReadonlyMap<string, NoteContent>
  readonly links: Pick<LinkPaths, "linked" | "statedPath">
  /** The attachments whose files this run has seen, and those whose files the last scan has not found. */
  readonly seen: ReadonlySet<string>
  readonly absent: ReadonlySet<string>
  readonly direction: Direction
  readonly missing: Missing | undefined
  /** Maximum bytes of files that are fetched. */
  readonly maxFetched: number
}

export interface FilePlan {
  readonly actions: ReadonlyArray<FileAction>
  readonly held: ReadonlyArray<FileAction>
  readonly present: ReadonlySet<string>
  readonly missing: ReadonlySet<string>
}

type Found = Pick<FileSides, "attachments" | "fileBases"> & { readonly scan: Pick<Scan, "assets"> }

const bySize = ({ assets }: Found["scan"]) => Map.groupBy(assets.values(), ({ size }) => size)

/** The file of an attachment that was moved, or has none yet. */
const foundFile = (
  { filename, sha256, size }: Attachment,
  sizes: ReadonlyMap<number, ReadonlyArray<Asset>>
): Asset | undefined => {
  const same = (sizes.get(size ?? -1) ?? []).filter(({ hash }) => hash !== undefined && hash === sha256)
  return same.find(({ path }) => baseOf(path) === filename) ?? same[0]
}

/** The files whose bytes decide what belongs together, and have not been read. */
export const filesToRead = ({ attachments, fileBases, scan }: Found): ReadonlyArray<Asset> => {
  const known = new Set([...fileBases.values()].map(({ path }) => path))
  const lost = [...attachments.values()].filter(({ id }) => !scan.assets.has(fileBases.get(id)?.path ?? ""))
  const sizes = new Set<number | null>(lost.map(({ size }) => size))
  return [...scan.assets.values()].filter(
    ({ hash, path, size }) => hash === undefined && (known.has(path) || sizes.has(size))
  )
}

/** The bases of attachments whose files were found: new ones, and those of files that were moved or written again. */
export const foundBases = (found: Found): ReadonlyMap<string, FileBase> => {
  const { attachments, fileBases, scan } = found
  const known = new Set([...fileBases.values()].map(({ path }) => path))
  const byIdentity = new Map([...scan.assets.values()].map((asset) => [asset.identity, asset]))
  const sizes = bySize(scan)
  const bases = new Map<string, FileBase>()
  for (const [id, base] of fileBases) {
    const moved = byIdentity.get(base.identity)
    const attachment = attachments.get(id)
    const file =
      scan.assets.get(base.path) ??
      (moved === undefined || known.has(moved.path) ? undefined : moved) ??
      (attachment && foundFile(attachment, sizes))
    if (file === undefined) continue
    const { hash, identity, path, stat } = file
    const { isRemoved: _, ...rest } = base
    // A file that was moved and changed has the earlier hash in its base.
    const now = hash === base.hash ? { ...rest, path, identity, stat } : { ...rest, path, identity }
    const isSame = now.path === base.path && now.identity === base.identity && now.stat === base.stat
    if (!isSame || base.isRemoved === true) bases.set(id, now)
  }
  for (const attachment of attachments.values()) {
    const { id, note_id } = attachment
    const file = fileBases.has(id) ? undefined : foundFile(attachment, sizes)
    if (file === undefined) continue
    const { hash = "", identity, path, stat } = file
    bases.set(id, { path, identity, stat, hash, note_id })
  }
  return bases
}

/** Names the files of attachments that have none. */
class FileNaming {
  readonly #sides: FileSides
  readonly #leaving: ReadonlySet<string>
  readonly #taken = new Set<string>()
  /** The paths of all entries that are no notes, as systems compare them that ignore case or forms of letters. */
  #entries: ReadonlySet<string> | undefined
  #folder: Folder | undefined

  /** `leaving`: files that go to the trash before. */
  constructor(sides: FileSides, leaving: ReadonlySet<string>) {
    this.#sides = sides
    this.#leaving = leaving
  }

  /** Whether a file can be made there, in folders that are no links to other places, and replaces none. */
  #isFree(path: string): boolean {
    const { folders, isIgnored, otherNames } = this.#sides.scan
    if (isIgnored(path) || isNoteFile(path) || this.#taken.has(folded(path))) return false
    if (this.#leaving.has(path)) return true
    this.#entries ??= new Set(
      [...otherNames].flatMap(([folder, names]) => names.map((name) => folded(joined(folder, name))))
    )
    for (let at = path; at !== ""; at = folderOf(at)) {
      if (at !== path && folders.has(at)) return true
      if (this.#entries.has(folded(at))) return false
    }
    return true
  }

  path(note: NoteContent, from: string, { filename, id }: Attachment): string {
    const stated = this.#sides.links.statedPath(note, from, id)
    if (stated !== undefined && this.#isFree(stated)) {
      this.#taken.add(folded(stated))
      return stated
    }
    const others = this.#sides.scan.otherNames.get(attachmentsFolder) ?? []
    this.#folder ??= new Folder(`${attachmentsFolder}/`, others)
    return this.#folder.path + this.#folder.file(...splitName(filename))
  }
}

/** The notes that link to each file in the folder, and the other way round. */
const linksOf = ({ bases, links, notes }: FileSides) => {
  const linkedBy = [...bases].flatMap(([id, base]) => {
    const paths = notes.has(id) ? links.linked(base) : new Set<string>()
    return [...paths].map((path) => [id, path] as const)
  })
  return { linkedBy, linked: new Set(linkedBy.map(([, path]) => path)) }
}

export const plannedFiles = (sides: FileSides): FilePlan => {
  const { absent, attachments, bases, direction, fileBases, missing: given, notes, scan, seen } = sides
  const { linked, linkedBy } = linksOf(sides)
  const actions: Array<FileAction> = []
  const [present, missing, changed] = [new Set<string>(), new Set<string>(), new Map<string, FileAction>()]
  const attach = (note_id: string, path: string) =>
    changed.set(`${note_id} ${path}`, { kind: "attachFile", note_id, path })
  const leaving = new Set<string>()
  const naming = new FileNaming(sides, leaving)
  const fetched = new Map<string, string>()
  const fetch = (attachment: Attachment) => {
    const { filename, id, note_id, sha256, size, status } = attachment
    const [note, base] = [notes.get(note_id), bases.get(note_id)]
    // Bytes or notes that have not come yet.
    if (status !== "ready" || note === undefined || base === undefined || (size ?? 0) > sides.maxFetched) return
    // Attachments of one name with the same bytes are one file, as in an export.
    const content = `${sha256} ${filename}`
    const path = fetched.get(content) ?? fileBases.get(id)?.path ?? naming.path(note, base.path, attachment)
    fetched.set(content, path)
    if (!scan.isIgnored(path)) actions.push({ kind: "fetchFile", id, path })
  }
  const users = Map.groupBy(
    [...fileBases].filter(([id]) => attachments.has(id)),
    ([, { path }]) => path
  )
  /** Whether a note has the present bytes of a file. */
  const isAttached = (note_id: string, path: string, isReady = false) => {
    const hash = scan.assets.get(path)?.hash
    const isSo = ([id, base]: readonly [string, FileBase]) =>
      base.note_id === note_id &&
      base.hash === (hash ?? base.hash) &&
      (!isReady || attachments.get(id)!.status === "ready")
    return users.get(path)?.some(isSo) === true
  }
  for (const [id, { hash, isRemoved, note_id, path }] of fileBases) {
    const [attachment, file] = [attachments.get(id), scan.assets.get(path)]
    if (attachment === undefined) {
      // The files of a note that is gone stay where the user has put them.
      const isOurs = notes.has(note_id) || (folderOf(path) === attachmentsFolder && !linked.has(path))
      const isTrashed = file !== undefined && file.hash === hash && isOurs && !users.has(path)
      actions.push({ kind: isTrashed ? "trashAsset" : "forgetFile", id, path })
      if (isTrashed && direction !== "push") leaving.add(path)
    } else if (file !== undefined) {
      present.add(id)
      if (file.hash === hash) continue
      // Once the note has the present bytes, the earlier ones go.
      if (!isAttached(note_id, path)) attach(note_id, path)
      else if (isAttached(note_id, path, true)) actions.push({ kind: "removeAttachment", id, path })
    } else if (isRemoved !== true) {
      missing.add(id)
      const isLeft = given?.startsWith("delete") === true || (seen.has(id) && absent.has(id))
      if (isLeft && direction !== "pull") actions.push({ kind: "leaveFile", id, path })
      else if (!seen.has(id) || direction === "pull") fetch(attachment)
    }
  }
  for (const attachment of attachments.values()) if (!fileBases.has(attachment.id)) fetch(attachment)
  for (const [note_id, path] of linkedBy) {
    if (!leaving.has(path) && !isAttached(note_id, path)) attach(note_id, path)
  }
  const refused: ReadonlyArray<FileAction["kind"]> =
    direction === "pull"
      ? ["attachFile", "removeAttachment", "leaveFile"]
      : direction === "push"
        ? ["fetchFile", "trashAsset"]
        : []
  const all = [...actions, ...changed.values()].filter(({ kind }) => !refused.includes(kind))
  const trashed = all.filter(({ kind }) => kind === "trashAsset")
  const held = given !== "delete-many" && areMany(trashed.length, fileBases.size) ? trashed : []
  return { actions: all.filter((each) => !held.includes(each)), held, present, missing }
}
