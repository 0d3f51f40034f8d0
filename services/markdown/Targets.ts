import { decoded, folded, noteEnding } from "./LinkText.ts"
import type { NoteFile } from "./Rendered.ts"

/** The possible targets of links and images of a body (contract 5, "Links in a body"). */

const scheme = /^[a-z][a-z0-9+.-]*:/i

/** URLs that leave the page. */
export const isOutside = (url: string): boolean => /^https?:\/\/[^/]/i.test(url)
/** Whether a link writes a mail or calls a number. */
export const isContact = (url: string): boolean => /^(?:mailto|tel):[^\s]/i.test(url)

/** The target of a link to another note: after `note:`, or a path relative to the file of the note. */
export const noteTargetOf = (url: string): string | undefined => {
  if (/^note:/i.test(url)) return decoded(url.slice("note:".length)).trim() || undefined
  if (/^[a-z][a-z0-9+.-]*:|^[/?#]|\?/i.test(url)) return undefined
  const path = url.replace(/#.*$/s, "")
  const isNote = noteEnding.test(path) || !path.slice(path.lastIndexOf("/") + 1).includes(".")
  return isNote && path !== "" ? decoded(url).trim() : undefined
}

/** The files of a note, by the target of a link: `attachment:at_…`, or a path whose last part is the name. */
export class Targets {
  readonly #byId = new Map<string, NoteFile>()
  readonly #byName = new Map<string, NoteFile>()
  readonly #byFoldedName = new Map<string, NoteFile>()

  constructor(files: ReadonlyArray<NoteFile>) {
    // The first file wins when several have the same name.
    for (const file of files.toReversed()) {
      this.#byId.set(file.id, file)
      this.#byName.set(file.filename.normalize("NFC"), file)
      this.#byFoldedName.set(folded(file.filename), file)
    }
  }

  find(target: string): NoteFile | undefined {
    if (target.startsWith("attachment:")) return this.#byId.get(target.slice("attachment:".length))
    if (scheme.test(target) || target.startsWith("#") || target.startsWith("//")) return undefined
    const [path = ""] = target.split(/[?#]/, 1)
    // The name of a file may be the decoded path, or just the text of the link.
    for (const text of new Set([decoded(path), decoded(target), target])) {
      const name = text.slice(text.lastIndexOf("/") + 1).trim()
      if (name === "") continue
      const file = this.#byName.get(name.normalize("NFC")) ?? this.#byFoldedName.get(folded(name))
      if (file !== undefined) return file
    }
    return undefined
  }
}
