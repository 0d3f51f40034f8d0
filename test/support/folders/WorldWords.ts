import { createHash } from "node:crypto"
import type { Random } from "../../../src/program/testing/Random.ts"

export const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex")

/** The words that were written in texts and files, each one once, and those that a user has taken away. */
export class WorldWords {
  readonly #seed: number
  readonly #random: Random
  readonly written = new Set<string>()
  readonly removed = new Set<string>()
  /** The words of files, by the hashes of their bytes. */
  readonly #byHash = new Map<string, string>()

  constructor(seed: number, random: Random) {
    this.#seed = seed
    this.#random = random
  }

  next(): string {
    const word = `w${this.#seed}x${this.written.size}`
    this.written.add(word)
    return word
  }

  /** The bytes of a file of a note: one word. */
  nextFile(): string {
    const word = this.next()
    this.#byHash.set(sha256(word), word)
    return word
  }

  ofHash(hash: string | null): string {
    return this.#byHash.get(hash ?? "") ?? ""
  }

  in(text: string): ReadonlyArray<string> {
    return text.match(/w\d+x\d+/g) ?? []
  }

  /** Notes that a user takes the words of a text away, except for those that another one still has. */
  take(text: string, left = ""): void {
    const kept = new Set(this.in(left))
    for (const word of this.in(text)) if (!kept.has(word)) this.removed.add(word)
  }

  /** A text after an edit by a user. An empty file is left to the program: new words would replace all earlier ones. */
  edited(text: string): string {
    if (text === "") return text
    const lines = text.split("\n")
    const at = this.#random.between(0, lines.length)
    const line = `${this.next()} ${this.next()}`
    if (at === lines.length || this.#random.next() < 0.6) lines.splice(at, 0, line)
    else {
      this.take(lines[at]!)
      lines[at] = line
    }
    return lines.join("\n")
  }
}
