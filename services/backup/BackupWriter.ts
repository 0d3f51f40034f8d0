import { Readable } from "node:stream"
import { pipeline } from "node:stream/promises"
import * as zlib from "node:zlib"
import { pack } from "tar-stream"
import type { Stage } from "./BackupEncryption.ts"
import type { Sum } from "./BackupFormat.ts"
import type { Upload } from "./BackupPlace.ts"
import { RunningSum } from "./RunningSum.ts"

/**
 * Writes the archive of a backup, with as little in memory as its place is slow. The methods run one after the other.
 */
export class BackupWriter {
  readonly #archive = pack()
  readonly #written: Promise<void>
  readonly #time: Date
  readonly #upload: Upload
  readonly #abandoning = new AbortController()

  constructor(upload: Upload, time: Date, encrypt: Stage) {
    this.#upload = upload
    this.#time = time
    // Without zstd's checksum, which is at the end of everything: it would hide which part does not match its SHA-256.
    const compress = zlib.createZstdCompress()
    const archive = Readable.from(this.#archive, { objectMode: false })
    const { signal } = this.#abandoning
    const receive = (content: AsyncIterable<Uint8Array>) => upload.receive(content, signal)
    this.#written = pipeline(archive, compress, encrypt, receive, { signal })
    this.#written.catch(() => {})
  }

  /** Adds an entry. Fails with the error of the place, if that is the reason. */
  async #entry(name: string, size: number, content: AsyncIterable<Uint8Array>): Promise<void> {
    try {
      await pipeline(content, this.#archive.entry({ name, size, mtime: this.#time, mode: 0o600 }))
    } catch (error) {
      // A failure of the place destroys the archive.
      if (this.#archive.destroyed) await this.#written
      throw error
    }
  }

  /** Adds a part that is in memory. */
  async add(name: string, bytes: Uint8Array | string): Promise<Sum> {
    const content = Buffer.from(bytes as Uint8Array)
    await this.#entry(name, content.length, Readable.from([content]))
    return RunningSum.of(content)
  }

  /** Adds a part of this size from a stream. */
  addStream(name: string, size: number, content: AsyncIterable<Uint8Array>): Promise<void> {
    return this.#entry(name, size, content)
  }

  /** Completes the backup: only now it has its name. Returns its size. */
  async end(): Promise<number> {
    this.#archive.finalize()
    await this.#written
    return this.#upload.commit()
  }

  /** Removes what was written of an incomplete backup. */
  async abandon(): Promise<void> {
    this.#abandoning.abort()
    await this.#written.catch(() => {})
    await this.#upload.abandon()
  }
}
