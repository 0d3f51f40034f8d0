import { createHash } from "node:crypto"
import type { Sum } from "./BackupFormat.ts"

/** Counts and hashes bytes as they pass. */
export class RunningSum {
  readonly #hash = createHash("sha256")
  #bytes = 0

  add(bytes: Uint8Array | string): this {
    this.#hash.update(bytes)
    this.#bytes += typeof bytes === "string" ? Buffer.byteLength(bytes) : bytes.length
    return this
  }

  /** The result. Nothing may be added after it. */
  sum(): Sum {
    return { bytes: this.#bytes, sha256: this.#hash.digest("hex") }
  }

  static of(bytes: Uint8Array | string): Sum {
    return new RunningSum().add(bytes).sum()
  }
}
