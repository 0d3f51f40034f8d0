/** More than most pages of hits. */
const FIRST_ROOM = 64 * 1024
/** Of room that was taken for a large page so much stays. */
const MAX_ROOM = 1024 * 1024

/** Writes hits as UTF-8 behind each other: one text of all would be twice as long, as few hits have no ellipsis. */
export class HitsWriter {
  #bytes = Buffer.allocUnsafeSlow(FIRST_ROOM)
  #length = 0

  write(text: string): void {
    // A UTF-16 code unit takes three bytes at most.
    const most = this.#length + text.length * 3
    if (most > this.#bytes.length) {
      const larger = Buffer.allocUnsafeSlow(most * 2)
      larger.set(this.#bytes.subarray(0, this.#length))
      this.#bytes = larger
    }
    this.#length += this.#bytes.write(text, this.#length)
  }

  /** What was written since the last call. */
  take(): Uint8Array<ArrayBuffer> {
    const all = new Uint8Array(this.#bytes.subarray(0, this.#length))
    this.#length = 0
    if (this.#bytes.length > MAX_ROOM) this.#bytes = Buffer.allocUnsafeSlow(FIRST_ROOM)
    return all
  }
}
