import { createHash, type Hash } from "node:crypto"
import { closeSync, openSync, rmSync, writeSync } from "node:fs"

/** Base64 characters that are decoded at a time: a multiple of four, which encode three bytes. */
const slice = 32 * 1024
const decoded = Buffer.allocUnsafeSlow((slice / 4) * 3)

/** Writes bytes to a file from text that arrives in pieces. */
export class Spool {
  readonly path: string
  readonly #file: number
  readonly #hash: Hash = createHash("md5")
  readonly #isBase64: boolean
  #rest = ""
  #size = 0
  #isDamaged = false
  #isPadded = false

  constructor(path: string, isBase64: boolean) {
    this.path = path
    this.#isBase64 = isBase64
    this.#file = openSync(path, "wx", 0o600)
  }

  /** Returns the number of bytes that were written. */
  add(piece: string): number {
    if (!this.#isBase64) return this.#write(Buffer.from(piece))
    let bytes = 0
    const parts = piece.split(/=[=\s]*/)
    for (const [index, part] of parts.entries()) {
      const signs = part.replaceAll(/[^A-Za-z0-9+/]+/g, (others) => {
        if (others.trim() !== "") this.#isDamaged = true
        return ""
      })
      // The padding that ends base64 came before.
      if (signs !== "" && this.#isPadded) this.#isDamaged = true
      bytes += this.#decode(signs)
      if (index === parts.length - 1) break
      this.#isPadded = true
      bytes += this.#decodeRest()
    }
    return bytes
  }

  #decode(signs: string): number {
    const text = this.#rest + signs
    const whole = text.length - (text.length % 4)
    this.#rest = text.slice(whole)
    let bytes = 0
    // Reuses one buffer, because garbage counts as memory until it is collected.
    for (let at = 0; at < whole; at += slice) {
      bytes += this.#write(decoded.subarray(0, decoded.write(text.slice(at, Math.min(at + slice, whole)), "base64")))
    }
    return bytes
  }

  /** Decodes fewer than four characters: a single one is not even a byte. */
  #decodeRest(): number {
    const rest = this.#rest
    this.#rest = ""
    if (rest.length === 1) this.#isDamaged = true
    return rest === "" ? 0 : this.#write(Buffer.from(rest, "base64"))
  }

  #write(bytes: Buffer): number {
    for (let at = 0; at < bytes.length;) at += writeSync(this.#file, bytes, at)
    this.#hash.update(bytes)
    this.#size += bytes.length
    return bytes.length
  }

  /** `isDamaged`: the base64 is invalid or incomplete. */
  end(): { readonly path: string; readonly size: number; readonly md5: string; readonly isDamaged: boolean } {
    this.#decodeRest()
    closeSync(this.#file)
    return { path: this.path, size: this.#size, md5: this.#hash.digest("hex"), isDamaged: this.#isDamaged }
  }

  drop(): void {
    closeSync(this.#file)
    rmSync(this.path, { force: true })
  }
}
