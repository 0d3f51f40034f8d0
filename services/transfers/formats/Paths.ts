/** Where links of an archive lead: by path, by name, and by what notes are called besides. */

export const noteEnding = /\.(?:md|markdown)$/i

const folded = (name: string): string => name.normalize("NFC").toLowerCase()

export const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text)
  } catch {
    // Not percent-encoded: a name may have a bare % in it.
    return text
  }
}

export const folderOf = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf("/")))
export const baseOf = (path: string): string => path.slice(path.lastIndexOf("/") + 1)

/** A path seen from a folder; undefined where it leads out of the archive. */
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
  /** What it names within that, without `#`. */
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
  private readonly byPath = new Map<string, Place<A>>()
  private readonly byFoldedPath = new Map<string, Place<A>>()
  private readonly byName = new Map<string, Place<A> | Array<Place<A>>>()
  private readonly byCalled = new Map<string, A>()

  /** A file at a path; a note is also found without its ending. */
  add(path: string, value: A, ending = ""): void {
    const place = { path, value }
    for (const each of ending === "" ? [path] : [path, path.slice(0, -ending.length)]) {
      if (!this.byPath.has(each)) this.byPath.set(each, place)
      if (!this.byFoldedPath.has(folded(each))) this.byFoldedPath.set(folded(each), place)
      add(this.byName, folded(baseOf(each)), place)
    }
  }

  /** What lies at a path, seen from a file: nothing that is called alike elsewhere. */
  exactly(path: string, from: string): A | undefined {
    const whole = resolved(folderOf(from), path)
    if (whole === undefined) return undefined
    return (this.byPath.get(whole) ?? this.byFoldedPath.get(folded(whole)))?.value
  }

  /** What a note is called besides its path; the first that is called so keeps it. */
  addName(name: string, value: A): void {
    const key = folded(name.trim())
    if (key !== "" && !this.byCalled.has(key)) this.byCalled.set(key, value)
  }

  /** What an address of Markdown or HTML leads to, seen from a file. */
  path(target: string, from: string): Target<A> | undefined {
    // The name of a file may have in it what is a sign of an address elsewhere, and may be written as it is.
    const hash = target.indexOf("#")
    const heading = hash < 0 ? "" : decoded(target.slice(hash + 1))
    const bare = hash < 0 ? target : target.slice(0, hash)
    const [unasked = ""] = bare.split("?", 1)
    for (const [text, named] of [
      [decoded(unasked), heading],
      [decoded(bare), heading],
      [decoded(target), ""],
      [target, ""]
    ] as const) {
      const found = this.at(text.trim(), from, true)
      if (found !== undefined) return { found, heading: named }
    }
    return undefined
  }

  /** What a name in double brackets leads to. */
  wiki(target: string, from: string): Target<A> | undefined {
    const [path = "", ...headings] = target.split("#")
    const name = path.trim()
    if (name === "") return undefined
    const whole = this.at(target.trim(), from, false)
    const found = this.at(name, from, false) ?? this.byCalled.get(folded(name))
    // Of a path of headings the last one says it all.
    return found !== undefined
      ? { found, heading: (headings.at(-1) ?? "").trim() }
      : whole === undefined
        ? undefined
        : { found: whole, heading: "" }
  }

  /** The note that is called so. */
  called(name: string): A | undefined {
    return this.byCalled.get(folded(name.trim()))
  }

  private at(text: string, from: string, isRelative: boolean): A | undefined {
    if (text === "") return undefined
    const folder = folderOf(from)
    const beside = text.startsWith("/") ? undefined : resolved(folder, text)
    const below = text.startsWith("../") || text.startsWith("./") ? undefined : resolved("", text)
    const wanted = (isRelative ? [beside, below] : [below, beside]).filter((path) => path !== undefined && path !== "")
    for (const map of [this.byPath, this.byFoldedPath]) {
      for (const path of wanted) {
        const found = map.get(map === this.byPath ? path! : folded(path!))
        if (found !== undefined) return found.value
      }
    }
    return below === undefined ? undefined : this.somewhere(below, folder)
  }

  /** One whose path ends so: in the same folder, as it is written, or the nearest to the top. */
  private somewhere(path: string, folder: string): A | undefined {
    const ending = folded(path)
    const isSo = (place: Place<A>) => {
      if (!ending.includes("/")) return true
      const whole = folded(place.path)
      return whole.endsWith(`/${ending}`) || whole.replace(/\.[^./]+$/, "").endsWith(`/${ending}`)
    }
    let best: { readonly place: Place<A>; readonly rank: number } | undefined
    for (const place of all(this.byName.get(baseOf(ending))).slice(0, 200)) {
      if (!isSo(place)) continue
      const isWritten = place.path.endsWith(path) || place.path.replace(/\.[^./]+$/, "").endsWith(path)
      const rank = place.path.length + (folderOf(place.path) === folder ? 0 : 1e6) + (isWritten ? 0 : 1e7)
      // Of equals one is the same in whatever order they came.
      const isBetter = best === undefined || rank < best.rank || (rank === best.rank && place.path < best.place.path)
      if (isBetter) best = { place, rank }
    }
    return best?.place.value
  }
}
