import { decoded, folded } from "../../markdown/LinkText.ts"

/** Resolves links of an archive: by path, by file name, and by other names of notes. */

export const folderOf = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf("/")))
export const baseOf = (path: string): string => path.slice(path.lastIndexOf("/") + 1)

/** A path relative to a folder; undefined if it leads out of the archive. */
export const resolved = (folder: string, path: string): string | undefined => {
  const parts = folder === "" ? [] : folder.split("/")
  for (const part of path.split("/")) {
    if (part === "" || part === ".") continue
    if (part !== "..") parts.push(part)
    else if (parts.pop() === undefined) return undefined
  }
  return parts.join("/")
}

export interface Target<A> {
  readonly found: A
  /** The heading in it, without `#`. */
  readonly heading: string
}

interface Place<A> {
  readonly path: string
  readonly value: A
}

const add = <A>(map: Map<string, A | Array<A>>, key: string, value: A): void => {
  const known = map.get(key)
  if (known === undefined) map.set(key, value)
  else if (Array.isArray(known)) known.push(value)
  else map.set(key, [known, value])
}

const all = <A>(found: A | Array<A> | undefined): ReadonlyArray<A> =>
  found === undefined ? [] : Array.isArray(found) ? found : [found]

export class Paths<A extends object> {
  readonly #byPath = new Map<string, Place<A>>()
  readonly #byFoldedPath = new Map<string, Place<A>>()
  readonly #byName = new Map<string, Place<A> | Array<Place<A>>>()
  readonly #byCalled = new Map<string, A>()

  /** Adds a file at a path; a note is also found without its extension. */
  add(path: string, value: A, ending = ""): void {
    const place = { path, value }
    for (const each of ending === "" ? [path] : [path, path.slice(0, -ending.length)]) {
      if (!this.#byPath.has(each)) this.#byPath.set(each, place)
      if (!this.#byFoldedPath.has(folded(each))) this.#byFoldedPath.set(folded(each), place)
      add(this.#byName, folded(baseOf(each)), place)
    }
  }

  /** The file at exactly this path, relative to another file; a file of the same name elsewhere does not match. */
  exactly(path: string, from: string): A | undefined {
    const whole = resolved(folderOf(from), path)
    if (whole === undefined) return undefined
    return (this.#byPath.get(whole) ?? this.#byFoldedPath.get(folded(whole)))?.value
  }

  /** Adds another name of a note; the first note with a name keeps it. */
  addName(name: string, value: A): void {
    const key = folded(name.trim())
    if (key !== "" && !this.#byCalled.has(key)) this.#byCalled.set(key, value)
  }

  /** The target of an address in Markdown or HTML, relative to a file. */
  path(target: string, from: string): Target<A> | undefined {
    // A file name may contain characters that have a meaning in addresses, and may be written without encoding.
    const hash = target.indexOf("#")
    const heading = hash < 0 ? "" : decoded(target.slice(hash + 1))
    const bare = hash < 0 ? target : target.slice(0, hash)
    const [withoutQuery = ""] = bare.split("?", 1)
    for (const [text, named] of [
      [decoded(withoutQuery), heading],
      [decoded(bare), heading],
      [decoded(target), ""],
      [target, ""]
    ] as const) {
      const found = this.#at(text.trim(), from, true)
      if (found !== undefined) return { found, heading: named }
    }
    return undefined
  }

  /** The target of a name in double brackets. `isCalled`: also by other names of notes. */
  wiki(target: string, from: string, isCalled = true): Target<A> | undefined {
    const [path = "", ...headings] = target.split("#")
    const name = path.trim()
    if (name === "") return undefined
    const whole = this.#at(target.trim(), from, false)
    const found = this.#at(name, from, false) ?? (isCalled ? this.#byCalled.get(folded(name)) : undefined)
    // The last heading of a path is enough.
    return found !== undefined
      ? { found, heading: (headings.at(-1) ?? "").trim() }
      : whole === undefined
        ? undefined
        : { found: whole, heading: "" }
  }

  /** The note with this name. */
  called(name: string): A | undefined {
    return this.#byCalled.get(folded(name.trim()))
  }

  #at(text: string, from: string, isRelative: boolean): A | undefined {
    if (text === "") return undefined
    const folder = folderOf(from)
    const inFolder = text.startsWith("/") ? undefined : resolved(folder, text)
    const below = text.startsWith("../") || text.startsWith("./") ? undefined : resolved("", text)
    const wanted = (isRelative ? [inFolder, below] : [below, inFolder]).filter(
      (path) => path !== undefined && path !== ""
    )
    for (const map of [this.#byPath, this.#byFoldedPath]) {
      for (const path of wanted) {
        const found = map.get(map === this.#byPath ? path! : folded(path!))
        if (found !== undefined) return found.value
      }
    }
    return below === undefined ? undefined : this.#somewhere(below, folder)
  }

  /** A file whose path ends like this: in the same case first, then in the same folder, then the shortest path. */
  #somewhere(path: string, folder: string): A | undefined {
    const ending = folded(path)
    const isSo = (place: Place<A>) => {
      if (!ending.includes("/")) return true
      const whole = folded(place.path)
      return whole.endsWith(`/${ending}`) || whole.replace(/\.[^./]+$/, "").endsWith(`/${ending}`)
    }
    let best: { readonly place: Place<A>; readonly rank: number } | undefined
    for (const place of all(this.#byName.get(baseOf(ending))).slice(0, 200)) {
      if (!isSo(place)) continue
      const isWritten = place.path.endsWith(path) || place.path.replace(/\.[^./]+$/, "").endsWith(path)
      const rank = place.path.length + (folderOf(place.path) === folder ? 0 : 1e6) + (isWritten ? 0 : 1e7)
      // Makes the choice among equal matches independent of their order.
      const isBetter = best === undefined || rank < best.rank || (rank === best.rank && place.path < best.place.path)
      if (isBetter) best = { place, rank }
    }
    return best?.place.value
  }
}

/** Files that operating systems add to archives, and the list of missing files in an export: no files of users. */
export const junk = /(?:^|\/)(?:__MACOSX\/|\.DS_Store$|Thumbs\.db$|desktop\.ini$|\._|sheaf-missing-files\.txt$)/i
