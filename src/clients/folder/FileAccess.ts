import { createHash, randomUUID } from "node:crypto"
import { createReadStream, lstatSync, readdirSync, type Stats } from "node:fs"
import { link, lstat, mkdir, open, readFile, realpath, rename, rmdir, unlink } from "node:fs/promises"
import { join } from "node:path"

/** The operations on files in a folder. Each one is whole or not at all, also if the process is killed. */

/** A named entry of a folder. */
export interface FolderEntry {
  readonly name: string
  readonly stats: Stats
}

/** The folder is not there any more, or another one is in its place, such as an empty one where a disk was mounted. */
export class FolderGone extends Error {
  override readonly name = "FolderGone"
}

const codeOf = (error: unknown): string | undefined =>
  error instanceof Error && "code" in error ? String(error.code) : undefined

const isMissing = (error: unknown): boolean => ["ENOENT", "ENOTDIR"].includes(codeOf(error) ?? "")

/** Codes of systems that give a file one name only. */
const withoutLinks = new Set(["EPERM", "ENOTSUP", "EOPNOTSUPP"])

export const isSameFile = (one: Stats, other: Stats): boolean => one.ino === other.ino && one.dev === other.dev

/** The beginning of the names of files that are being written. */
export const temporaryStart = ".sheaf-"

export class FileAccess {
  readonly root: string
  /** Called before each change of a file. */
  readonly #step: () => void
  #identity: string | undefined

  constructor(root: string, step: () => void = () => {}) {
    this.root = root
    this.#step = step
  }

  /** Throws FolderGone unless the folder is the one that it was at the first call. */
  check(): void {
    let identity: string
    try {
      const stats = lstatSync(join(this.root, "."))
      if (!stats.isDirectory()) throw new FolderGone(`${this.root} is not a folder`)
      identity = `${stats.dev}:${stats.ino}`
    } catch (error) {
      if (error instanceof FolderGone) throw error
      throw new FolderGone(`${this.root} is not there: ${(error as Error).message}`, { cause: error })
    }
    this.#identity ??= identity
    if (identity !== this.#identity) throw new FolderGone(`${this.root} is another folder than before`)
  }

  #at(path: string): string {
    return join(this.root, path)
  }

  /** The entries of a folder; undefined if it cannot be read. */
  async list(folder: string): Promise<ReadonlyArray<FolderEntry> | undefined> {
    const at = this.#at(folder)
    let names: ReadonlyArray<string>
    try {
      names = readdirSync(at)
    } catch (error) {
      if (folder === "") throw new FolderGone(`${this.root} cannot be read: ${(error as Error).message}`)
      return isMissing(error) ? [] : undefined
    }
    // Other work continues between two folders.
    await new Promise((resolve) => setImmediate(resolve))
    const entries: Array<FolderEntry> = []
    for (const name of names) {
      const stats = lstatSync(`${at}/${name}`, { throwIfNoEntry: false })
      if (stats !== undefined) entries.push({ name, stats })
    }
    return entries
  }

  /** Undefined if there is no such file. */
  async read(path: string): Promise<Uint8Array<ArrayBuffer> | undefined> {
    try {
      return await readFile(this.#at(path))
    } catch (error) {
      if (isMissing(error)) return undefined
      throw error
    }
  }

  /** The SHA-256 of a file of any size; undefined if there is no such file. */
  async hash(path: string): Promise<string | undefined> {
    const hash = createHash("sha256")
    try {
      for await (const chunk of createReadStream(this.#at(path)) as AsyncIterable<Uint8Array>) hash.update(chunk)
      return hash.digest("hex")
    } catch (error) {
      if (isMissing(error)) return undefined
      throw error
    }
  }

  async stats(path: string): Promise<Stats | undefined> {
    try {
      return await lstat(this.#at(path))
    } catch (error) {
      if (isMissing(error)) return undefined
      throw error
    }
  }

  async makeFolder(path: string): Promise<void> {
    if (path === "") return
    this.#step()
    await mkdir(this.#at(path), { recursive: true })
    const [root, made] = await Promise.all([realpath(this.root), realpath(this.#at(path))])
    if (!made.startsWith(`${root}/`)) throw new Error("A link in its path leads out of the folder")
  }

  /** Writes bytes next to their place, so that they survive a crash. Returns the path. */
  async writeNextTo(folder: string, bytes: Uint8Array, mode: number | undefined): Promise<string> {
    this.#step()
    const path = `${folder === "" ? "" : `${folder}/`}${temporaryStart}${randomUUID()}`
    const handle = await open(this.#at(path), "wx", mode)
    try {
      await handle.writeFile(bytes)
      if (mode !== undefined) await handle.chmod(mode)
      await handle.sync()
    } catch (error) {
      await handle.close()
      await unlink(this.#at(path))
      throw error
    }
    await handle.close()
    return path
  }

  async remove(path: string): Promise<void> {
    this.#step()
    await unlink(this.#at(path))
  }

  /** Gives a file a second name. Returns false if the name is taken. */
  async link(from: string, to: string): Promise<boolean> {
    this.#step()
    try {
      await link(this.#at(from), this.#at(to))
      return true
    } catch (error) {
      if (codeOf(error) === "EEXIST") return false
      throw error
    }
  }

  async replace(from: string, to: string): Promise<void> {
    this.#step()
    await rename(this.#at(from), this.#at(to))
  }

  /**
   * Renames a file or a folder, unless the name is that of another one: then it returns false. A file has both names for a
   * moment, because a rename would replace a file that a program makes meanwhile.
   */
  async move(from: string, to: string): Promise<boolean> {
    const source = await this.stats(from)
    if (source === undefined) return false
    // A rename of a folder replaces no file, and no folder with entries.
    if (source.isDirectory()) return this.#rename(from, to, source)
    let isFree: boolean
    try {
      isFree = await this.link(from, to)
    } catch (error) {
      if (isMissing(error)) return false
      if (!withoutLinks.has(codeOf(error) ?? "")) throw error
      return this.#rename(from, to, source)
    }
    if (!isFree) return this.#rename(from, to, source)
    await this.removeName(from, source)
    return true
  }

  async #rename(from: string, to: string, source: Stats): Promise<boolean> {
    const target = await this.stats(to)
    // A name in another case is the same file on some systems.
    if (target !== undefined && !isSameFile(target, source)) return false
    await this.replace(from, to)
    return true
  }

  /** Removes one of several names of a file. A file that a program has put there meanwhile stays. */
  async removeName(path: string, file: Stats): Promise<void> {
    const folder = path.slice(0, path.lastIndexOf("/") + 1)
    const taken = `${folder}${temporaryStart}${randomUUID()}-old`
    try {
      await this.replace(path, taken)
    } catch (error) {
      // A program has taken the name away.
      if (isMissing(error)) return
      throw error
    }
    const found = await this.stats(taken)
    // If a third file has the name by now, the next start puts this one into the trash.
    const isOther = found !== undefined && !isSameFile(found, file)
    if (!isOther || (await this.link(taken, path))) await this.remove(taken)
  }

  /** Removes a folder and those around it, as far as they are empty. */
  async removeEmpty(folder: string): Promise<void> {
    for (let at = folder; at !== ""; at = at.slice(0, Math.max(0, at.lastIndexOf("/")))) {
      try {
        await rmdir(this.#at(at))
      } catch {
        // It has other entries.
        return
      }
    }
  }

  /** Makes the names in folders survive a crash. */
  async syncFolders(folders: Iterable<string>): Promise<void> {
    for (const folder of folders) {
      try {
        const handle = await open(this.#at(folder), "r")
        await handle.sync().finally(() => handle.close())
      } catch (error) {
        // Folders of some systems cannot be synced, and others were removed since.
        if (!["ENOENT", "EINVAL", "EPERM", "EISDIR"].includes(codeOf(error) ?? "")) throw error
      }
    }
  }
}
