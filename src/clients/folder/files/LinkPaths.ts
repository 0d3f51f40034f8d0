import { decoded, fitsBrackets } from "../../../../services/markdown/LinkText.ts"
import { Targets } from "../../../../services/markdown/Targets.ts"
import { relativePath } from "../../../../services/transfers/formats/FileNames.ts"
import { baseOf, folderOf, Paths, resolved } from "../../../../services/transfers/formats/Paths.ts"
import type { Base, LinkTargets } from "../FileMatches.ts"
import type { NoteContent } from "../FileText.ts"
import { type WrittenLink, withTargets, writtenLinks } from "./WrittenLinks.ts"

/**
 * The links of notes and of their files. A link by the id of a note or of a file is a path in the file, so that other
 * programs follow it. So is one by the name of a file that leads to another file in the folder.
 */

/** The text of a note in its file. */
export interface InFile {
  readonly text: string
  readonly targets: LinkTargets
}

/** A file of a note, as the server describes it. */
export interface Attachment {
  readonly id: string
  readonly note_id: string
  readonly filename: string
  readonly sha256: string | null
  readonly size: number | null
  readonly status: string
  readonly created_at: string
}

/** What links may lead to. */
export interface LinkPlaces {
  /** The path of the file of a note. */
  readonly notePath: (note_id: string) => string | undefined
  /** The paths of files that are no notes. */
  readonly paths: Iterable<string>
  /** The paths of attachments that have a file. */
  readonly pathOf: (attachment_id: string) => string | undefined
  readonly attachments: ReadonlyMap<string, ReadonlyArray<Attachment>>
}

/** A link by an id. */
const canonical = /^(note|attachment):((?:nt|at)_[\w-]+)(#.*)?$/s
/** A target that may be that of a file which is no note. */
const fileLike = /\.\w{1,12}(?:[?#].*)?$/s

/** The links of a note that its file may have otherwise, or that may lead to a file. */
const linksOfNotes = new WeakMap<object, ReadonlyArray<WrittenLink>>()
const linksOf = (note: Pick<NoteContent, "body">): ReadonlyArray<WrittenLink> => {
  const known = linksOfNotes.get(note)
  if (known !== undefined) return known
  const links = writtenLinks(note.body).filter(({ target }) => fileLike.test(target) || canonical.test(target))
  linksOfNotes.set(note, links)
  return links
}

export class LinkPaths {
  readonly #places: LinkPlaces
  #paths: Paths<{ readonly path: string }> | undefined
  #owners: Map<string, Set<string>> | undefined
  readonly #targets = new Map<string, Targets>()

  constructor(places: LinkPlaces) {
    this.#places = places
  }

  #targetsOf(note_id: string): Targets {
    const known = this.#targets.get(note_id)
    if (known !== undefined) return known
    const files = this.#places.attachments.get(note_id) ?? []
    const targets = new Targets(files.map(({ filename, id }) => ({ id, filename, isImage: false })))
    this.#targets.set(note_id, targets)
    return targets
  }

  /** The file of the folder to which a link in the file at `from` leads. */
  found({ kind, target }: Pick<WrittenLink, "kind" | "target">, from: string): string | undefined {
    if (!fileLike.test(target)) return undefined
    if (this.#paths === undefined) {
      this.#paths = new Paths()
      for (const path of this.#places.paths) this.#paths.add(path, { path })
    }
    return (kind === "wiki" ? this.#paths.wiki(target, from, false) : this.#paths.path(target, from))?.found.path
  }

  /** The notes that have a file as theirs. */
  #ownersOf(path: string): ReadonlySet<string> | undefined {
    if (this.#owners === undefined) {
      this.#owners = new Map()
      for (const { id, note_id } of [...this.#places.attachments.values()].flat()) {
        const own = this.#places.pathOf(id)
        if (own === undefined) continue
        const owners = this.#owners.get(own)
        if (owners === undefined) this.#owners.set(own, new Set([note_id]))
        else owners.add(note_id)
      }
    }
    return this.#owners.get(path)
  }

  /** The target in the file at `from` instead of that in the note; undefined if it is the same. */
  #written(note_id: string, link: WrittenLink, from: string): string | undefined {
    const { kind, target } = link
    const { notePath, pathOf } = this.#places
    const [, type, id = "", place = ""] = (kind === "path" && canonical.exec(target)) || []
    if (type === "note") {
      const path = notePath(id)
      return path === undefined ? undefined : relativePath(from, path) + place
    }
    if (type === undefined && !fileLike.test(target)) return undefined
    const file = type === undefined ? this.#targetsOf(note_id).find(target)?.id : id
    const path = file === undefined ? undefined : pathOf(file)
    if (path === undefined) return undefined
    if (type === undefined) {
      const there = this.found(link, from)
      const owners = there === undefined ? undefined : this.#ownersOf(there)
      // A file without an owner was linked by the user, and becomes one of the note.
      if (there === path || (there !== undefined && (owners === undefined || owners.has(note_id)))) return undefined
    }
    const written = kind === "wiki" ? path : relativePath(from, path)
    return written === target || (kind === "wiki" && !fitsBrackets(path)) ? undefined : written
  }

  /** The text of a note in the file at `from`, and what was replaced in it. */
  inFile(note: Pick<NoteContent, "body" | "id">, from: string): InFile {
    // A target may have any name, such as that of a member of all objects.
    const targets: Record<string, string> = Object.create(null)
    const text = withTargets(note.body, linksOf(note), (link) => {
      const written = this.#written(note.id, link, from)
      if (written !== undefined) targets[written] ??= link.target
      return written
    })
    return { text, targets }
  }

  /** The files in the folder to which the file of a note links. */
  linked({ note, path, targets = {} }: Pick<Base, "note" | "path" | "targets">): ReadonlySet<string> {
    const inFile = new Map(Object.entries(targets).map(([written, target]) => [target, written]))
    const found = linksOf(note).flatMap((link) => {
      const there = this.found({ kind: link.kind, target: inFile.get(link.target) ?? link.target }, path)
      return there === undefined ? [] : [there]
    })
    return new Set(found)
  }

  /** Where a note says that its file is, from the root of the folder. */
  statedPath(note: Pick<NoteContent, "body" | "id">, from: string, attachment_id: string): string | undefined {
    const targets = this.#targetsOf(note.id)
    for (const { kind, target } of linksOf(note)) {
      if (canonical.test(target) || targets.find(target)?.id !== attachment_id) continue
      const [address = ""] = target.split(/[?#]/, 1)
      const path = kind === "path" ? decoded(address) : target
      if (kind === "wiki" && !path.includes("/")) continue
      const place = resolved(kind === "path" && !path.startsWith("/") ? folderOf(from) : "", path)
      if (place !== undefined && baseOf(place) !== "") return place
    }
    return undefined
  }
}

/** The text of a note from that of its file. */
export const inNote = (text: string, targets: LinkTargets | undefined): string =>
  targets === undefined || Object.keys(targets).length === 0
    ? text
    : withTargets(text, writtenLinks(text), ({ target }) =>
        Object.hasOwn(targets, target) ? targets[target] : undefined
      )

export const sameTargets = (one: LinkTargets = {}, other: LinkTargets = {}): boolean => {
  const entries = Object.entries(one)
  return entries.length === Object.keys(other).length && entries.every(([written, target]) => other[written] === target)
}
