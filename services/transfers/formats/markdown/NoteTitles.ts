import { folded, noteEnding } from "../../../markdown/LinkText.ts"
import { titleOf } from "../ItemNames.ts"
import { baseOf } from "../Paths.ts"

/** The titles that the notes of an archive get. Links in front matter find them by these. */
export class NoteTitles {
  readonly #byKey = new Map<string, string>()
  readonly #counts = new Map<string, number>()

  add(key: string, title: string): void {
    const name = folded(titleOf(title))
    this.#byKey.set(key, name)
    this.#counts.set(name, (this.#counts.get(name) ?? 0) + 1)
  }

  /** Whether a name or path means no other note than this one. */
  isName(path: string, key: string): boolean {
    const name = folded(baseOf(path).replace(noteEnding, ""))
    return this.#byKey.get(key) === name && (path.includes("/") || this.#counts.get(name) === 1)
  }
}
