import { createHash, type Hash } from "node:crypto"
import { closeSync, openSync, rmSync, writeSync } from "node:fs"

/** A multiple of four characters: each of those are three bytes. */
const slice = 32 * 1024
const decoded = Buffer.allocUnsafeSlow((slice / 4) * 3)

/** Bytes on their way to a file, out of text that comes in pieces. */
export class Spool {
  readonly path: string
  private readonly file: number
  private readonly hash: Hash = createHash("md5")
  private readonly isBase64: boolean
  private rest = ""
  private size = 0

  constructor(path: string, isBase64: boolean) {
    this.path = path
    this.isBase64 = isBase64
    this.file = openSync(path, "wx", 0o600)
  }

  /** How many bytes came of it. */
  add(piece: string): number {
    if (!this.isBase64) return this.write(Buffer.from(piece))
    const text = this.rest + piece.replaceAll(/[^A-Za-z0-9+/=]/g, "")
    const whole = text.length - (text.length % 4)
    this.rest = text.slice(whole)
    let bytes = 0
    // Into the same memory again and again: what is thrown away counts until it is collected.
    for (let at = 0; at < whole; at += slice) {
      bytes += this.write(decoded.subarray(0, decoded.write(text.slice(at, Math.min(at + slice, whole)), "base64")))
    }
    return bytes
  }

  private write(bytes: Buffer): number {
    for (let at = 0; at < bytes.length;) at += writeSync(this.file, bytes, at)
    this.hash.update(bytes)
    this.size += bytes.length
    return bytes.length
  }

  end(): { readonly path: string; readonly size: number; readonly md5: string } {
    if (this.rest !== "") this.write(Buffer.from(this.rest, "base64"))
    closeSync(this.file)
    return { path: this.path, size: this.size, md5: this.hash.digest("hex") }
  }

  drop(): void {
    closeSync(this.file)
    rmSync(this.path, { force: true })
  }
}
