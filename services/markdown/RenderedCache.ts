import type { Cut, Rendered } from "./Rendered.ts"

/** Strings have at most two bytes per character. */
const bytesOfCut = ({ pieces, targets }: Cut): number =>
  pieces.reduce((sum, piece) => sum + 2 * piece.length + 32, 0) + targets.length * 64

const bytesOf = ({ description, html, markdown }: Rendered): number =>
  bytesOfCut(html) + bytesOfCut(markdown) + 2 * description.length + 500

/** A cache of rendered notes, limited in bytes. The least recently used notes are evicted. */
export class RenderedCache {
  readonly #held = new Map<string, { readonly rendered: Rendered; readonly bytes: number }>()
  readonly #maxBytes: number
  #total = 0

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  get bytes(): number {
    return this.#total
  }

  get(key: string): Rendered | undefined {
    const found = this.#held.get(key)
    if (found === undefined) return undefined
    this.#held.delete(key)
    this.#held.set(key, found)
    return found.rendered
  }

  keep(key: string, rendered: Rendered): void {
    this.#drop(key)
    const bytes = bytesOf(rendered) + 2 * key.length
    if (bytes > this.#maxBytes) return
    this.#held.set(key, { rendered, bytes })
    this.#total += bytes
    for (const oldest of this.#held.keys()) {
      if (this.#total <= this.#maxBytes) return
      this.#drop(oldest)
    }
  }

  #drop(key: string): void {
    this.#total -= this.#held.get(key)?.bytes ?? 0
    this.#held.delete(key)
  }
}
