import type { Stats } from "node:fs"
import { folderOf } from "../../../services/transfers/formats/Paths.ts"
import { newId } from "../sync/Edit.ts"
import type { Base, LinkTargets } from "./FileMatches.ts"
import { renamedTitle, titleOfFile } from "./FolderNames.ts"
import { putAside } from "./FolderTrash.ts"
import { type ApplySettings, later, type Outcome } from "./ApplySettings.ts"
import type { Action } from "./FolderPlan.ts"
import { NotebookApply } from "./NotebookApply.ts"
import { hashOf, identityOf, isSettled, trustedStat } from "./FolderScan.ts"
import {
  contentOf,
  decodedText,
  encodedText,
  isFileOf,
  isTruncated,
  type NoteContent,
  type Stated,
  statedBy,
  textOf
} from "./FileText.ts"
import { inNote } from "./files/LinkPaths.ts"

/** Carries out the actions of a plan. */
export class FolderApply {
  readonly #settings: ApplySettings
  /** Folders in which names were changed. */
  readonly changedFolders = new Set<string>()
  readonly #notebooks: NotebookApply

  constructor(settings: ApplySettings) {
    this.#settings = settings
    this.#notebooks = new NotebookApply(settings, this.changedFolders)
  }

  run(action: Action): Promise<Outcome> {
    const { id, path } = { id: "", ...action }
    switch (action.kind) {
      case "send":
        return this.#send(id, path)
      case "create":
        return this.#create(path)
      case "meet":
        return this.#meet(id, path)
      case "write":
        return this.#write(id, path)
      case "trashFile":
        return this.#trashFile(id, path)
      case "move":
        return this.#move(id, action.from, path)
      case "retitle":
        return this.#retitle(id, action.from, path)
      case "renameNotebook":
        return this.#notebooks.renameNotebook(id, action.from, path)
      case "moveFolder":
        return this.#notebooks.moveFolder(id, action.from, path)
      case "trashNote":
        return this.#trashNote(id)
      case "forget":
        this.#settings.store.setBase(id, undefined)
        return Promise.resolve(undefined)
    }
  }

  #note(id: string): NoteContent | undefined {
    const data = this.#settings.engine.get("note", id)
    return data === undefined ? undefined : contentOf(id, data)
  }

  /** Sets the base of a note to a file that was just read or written. `stats`: of these bytes, also under an earlier name. */
  #setBase(note: NoteContent, path: string, bytes: Uint8Array, stats: Stats, targets: LinkTargets): void {
    const base = { path, identity: identityOf(stats), stat: trustedStat(stats), hash: hashOf(bytes), note }
    this.#stage(note.id, Object.keys(targets).length === 0 ? base : { ...base, targets })
  }

  #stage(id: string, base: Base): void {
    const body = this.#settings.engine.get("note", id)?.body
    const { note } = base
    // One copy of the text is in memory.
    this.#settings.store.setBase(id, body === note.body ? { ...base, note: { ...note, body } } : base)
  }

  /** The text of a file with the links of its note, or why it has none. */
  async #read(
    path: string,
    targets?: LinkTargets
  ): Promise<{ readonly bytes: Uint8Array; readonly stated: Stated } | Outcome> {
    const bytes = await this.#settings.access.read(path)
    if (bytes === undefined) return later
    const decoded = decodedText(bytes)
    if (decoded === undefined) return { path, message: "It is not text in UTF-8 of at most 1 MiB: it stays as it is" }
    const stated = statedBy(decoded.text)
    return { bytes, stated: { ...stated, body: inNote(stated.body, targets) } }
  }

  async #send(id: string, path: string): Promise<Outcome> {
    const { engine, sides, store } = this.#settings
    const base = store.bases.get(id)!
    const read = await this.#read(path, base.targets)
    if (read !== undefined && typeof read === "object" && "stated" in read) {
      const { bytes, stated } = read
      if (isTruncated(stated.body, base.note.body)) return this.#recover(id, path, bytes)
      const note = { ...base.note, ...stated }
      const file = sides.scan.files.get(path)
      const stats = await this.#settings.access.stats(path)
      if (stats === undefined || file === undefined) return later
      const { body, tags, title } = base.note
      const seen = { body, tags, title, pinned: base.note.pinned, archived: base.note.archived }
      // The base is stored together with the edit.
      this.#stage(id, {
        ...base,
        identity: identityOf(stats),
        stat: trustedStat(stats),
        hash: hashOf(bytes),
        note
      })
      await engine.edit("note", id, { ...stated }, seen)
      return undefined
    }
    return read
  }

  /** An empty or truncated file gets the text of its note again. What is left of it goes to the trash. */
  async #recover(id: string, path: string, bytes: Uint8Array): Promise<Outcome> {
    const { access, sides } = this.#settings
    const note = this.#note(id)
    const stats = await access.stats(path)
    // A program may be about to write the rest.
    if (stats === undefined || !isSettled(stats) || sides.direction === "push") {
      return { path, message: "It is empty or cut off: its note keeps its text" }
    }
    if (note === undefined) return this.#trashFile(id, path)
    if (bytes.length > 0 && !(await putAside(access, this.changedFolders, path, "link"))) return later
    return this.#replace(path, note, hashOf(bytes))
  }

  async #create(path: string): Promise<Outcome> {
    const read = await this.#read(path)
    if (read === undefined || typeof read === "string" || !("stated" in read)) return read
    const notebook_id = await this.#notebooks.notebookOf(folderOf(path))
    if (notebook_id === undefined) return { path, message: "It is in no notebook of those that are synced" }
    return this.#createAs(newId("nt_"), path, read.bytes, read.stated, notebook_id)
  }

  async #createAs(id: string, path: string, bytes: Uint8Array, stated: Stated, notebook_id: string): Promise<Outcome> {
    const { access, engine } = this.#settings
    const stats = await access.stats(path)
    if (stats === undefined) return later
    const data = { title: titleOfFile(path), notebook_id, ...stated }
    const note = { ...contentOf(id, data) }
    this.#stage(id, { path, identity: identityOf(stats), stat: trustedStat(stats), hash: hashOf(bytes), note })
    await engine.edit("note", id, data)
    return undefined
  }

  /** Without a common base, equal texts are one note, and other texts are two, unless the folder is published. */
  async #meet(id: string, path: string): Promise<Outcome> {
    const { earlier, links, sides } = this.#settings
    const note = this.#note(id)
    if (note === undefined) return later
    const { targets } = links.inFile(note, path)
    const stats = await this.#settings.access.stats(path)
    const read = await this.#read(path, targets)
    if (stats === undefined) return later
    if (read === undefined || typeof read === "string" || !("stated" in read)) return read
    if (isFileOf(read.stated, note)) {
      this.#setBase(note, path, read.bytes, stats, targets)
      return undefined
    }
    // A file that is an earlier version has not been changed since.
    const base = await earlier(note, read.stated)
    if (base !== undefined) {
      this.#setBase({ ...note, ...base }, path, read.bytes, stats, targets)
      return undefined
    }
    if (sides.direction === "pull")
      return { path, message: "It differs from the note of this name, and stays as it is" }
    if (sides.direction === "push") {
      // The next round sends the file. The text before is in the history of the note.
      const { identity } = sides.scan.files.get(path)!
      this.#stage(id, { path, identity, stat: "", hash: "", note })
      return undefined
    }
    return this.#createAs(newId("nt_"), path, read.bytes, read.stated, note.notebook_id)
  }

  async #write(id: string, path: string): Promise<Outcome> {
    const { access, plan, sides } = this.#settings
    const note = this.#note(id)
    if (note === undefined) return later
    // A file of another note may have this name until it is moved.
    const seen = plan.present.has(id) ? sides.scan.files.get(path) : undefined
    if (seen !== undefined) return this.#replace(path, note, seen.hash)
    await access.makeFolder(folderOf(path))
    const { targets, text } = this.#settings.links.inFile(note, path)
    const bytes = encodedText(textOf(note, text), undefined)
    const temporary = await access.writeNextTo(folderOf(path), bytes, undefined)
    // A user may give the file another name as soon as it has one.
    const stats = await access.stats(temporary)
    const isFree = await access.link(temporary, path)
    await access.remove(temporary)
    if (!isFree || stats === undefined) return later
    this.changedFolders.add(folderOf(path))
    this.#setBase(note, path, bytes, stats, targets)
    return undefined
  }

  /** Replaces the bytes of a file, unless they have changed since they had this hash. */
  async #replace(path: string, note: NoteContent, hash: string): Promise<Outcome> {
    const { access } = this.#settings
    const earlier = await access.read(path)
    let stats = await access.stats(path)
    if (earlier === undefined || stats === undefined || hashOf(earlier) !== hash) return later
    const { targets, text } = this.#settings.links.inFile(note, path)
    const bytes = encodedText(textOf(note, text), earlier)
    if (hashOf(bytes) !== hash) {
      const temporary = await access.writeNextTo(folderOf(path), bytes, stats.mode & 0o7777)
      const old = `${temporary}-old`
      // Another name of the file keeps what a program writes until the moment of the rename.
      await access.link(path, old)
      const now = await access.read(old)
      if (now === undefined || hashOf(now) !== hash) {
        await access.remove(temporary)
        await access.remove(old)
        return later
      }
      stats = (await access.stats(temporary)) ?? stats
      await access.replace(temporary, path)
      const last = await access.read(old)
      if (last !== undefined && hashOf(last) !== hash) {
        // It was written meanwhile: its words go first, and the next round merges the note into them.
        await access.replace(old, path)
        return later
      }
      await access.remove(old)
      this.changedFolders.add(folderOf(path))
    }
    this.#setBase(note, path, bytes, stats, targets)
    return undefined
  }

  async #trashFile(id: string, path: string): Promise<Outcome> {
    const { access, sides, store } = this.#settings
    const bytes = await access.read(path)
    if (bytes === undefined || hashOf(bytes) !== sides.scan.files.get(path)?.hash) return later
    if (!(await putAside(access, this.changedFolders, path, "move"))) return later
    store.setBase(id, undefined)
    await access.removeEmpty(folderOf(path))
    return undefined
  }

  async #trashNote(id: string): Promise<Outcome> {
    const { engine, store } = this.#settings
    store.setBase(id, undefined)
    await engine.remove("note", id)
    return undefined
  }

  async #move(id: string, from: string, path: string): Promise<Outcome> {
    const { access, store } = this.#settings
    const [base, note] = [store.bases.get(id)!, this.#note(id)]
    if (note === undefined) return later
    const { notebook_id, title } = note
    if (from !== path) {
      await access.makeFolder(folderOf(path))
      store.setBase(id, { ...base, next: { path, title, notebook_id } })
      await store.flush()
      if (!(await access.move(from, path))) {
        store.setBase(id, base)
        return later
      }
      this.changedFolders.add(folderOf(from)).add(folderOf(path))
      await access.removeEmpty(folderOf(from))
    }
    // The times of the file have changed, not its bytes.
    store.setBase(id, { ...base, path, stat: "", note: { ...base.note, title, notebook_id } })
    return undefined
  }

  async #retitle(id: string, from: string, path: string): Promise<Outcome> {
    const { engine, store } = this.#settings
    const base = store.bases.get(id)!
    const { notebook_id: notebook, title: before } = base.note
    const isMoved = folderOf(from) !== folderOf(path)
    const notebook_id = isMoved ? await this.#notebooks.notebookOf(folderOf(path)) : notebook
    if (notebook_id === undefined) return { path, message: "It is in no notebook of those that are synced" }
    const title = renamedTitle(from, path, before)
    store.setBase(id, { ...base, path, note: { ...base.note, title, notebook_id } })
    await engine.edit("note", id, { title, notebook_id }, { title: before, notebook_id: notebook })
    await store.flush()
    return undefined
  }
}
