import { createWriteStream } from "node:fs"
import { open, rename, rm } from "node:fs/promises"
import { dirname } from "node:path"
import { Readable } from "node:stream"
import { pipeline } from "node:stream/promises"
import * as zlib from "node:zlib"
import { pack } from "tar-stream"
import type { Sum } from "./BackupFormat.ts"
import { Tally } from "./Tally.ts"

/**
 * Writes the archive of a backup to a temporary file next to its final name, with as little in memory as the disk is
 * slow. The methods run one after the other.
 */
export class BackupWriter {
  private readonly archive = pack()
  private readonly file: ReturnType<typeof createWriteStream>
  private readonly written: Promise<void>
  private readonly time: Date
  private readonly path: string

  constructor(path: string, time: Date) {
    this.path = path
    this.time = time
    // Replaces what a killed backup has left.
    this.file = createWriteStream(this.temporary, { mode: 0o600, flush: true })
    // The checksum of zstd finds flipped bytes where they are.
    const compress = zlib.createZstdCompress({ params: { [zlib.constants.ZSTD_c_checksumFlag]: 1 } })
    this.written = pipeline(Readable.from(this.archive, { objectMode: false }), compress, this.file)
    this.written.catch(() => {})
  }

  private get temporary(): string {
    return `${this.path}.part`
  }

  /** Adds an entry. Fails with the error of the disk, if that is the reason. */
  private async entry(name: string, size: number, content: AsyncIterable<Uint8Array>): Promise<void> {
    try {
      await pipeline(content, this.archive.entry({ name, size, mtime: this.time, mode: 0o600 }))
    } catch (error) {
      // A failure of the disk destroys the archive.
      if (this.archive.destroyed) await this.written
      throw error
    }
  }

  /** Adds a part that is in memory. */
  async add(name: string, bytes: Uint8Array | string): Promise<Sum> {
    const content = Buffer.from(bytes as Uint8Array)
    await this.entry(name, content.length, Readable.from([content]))
    return Tally.of(content)
  }

  /** Adds a part of this size from a stream. */
  addStream(name: string, size: number, content: AsyncIterable<Uint8Array>): Promise<void> {
    return this.entry(name, size, content)
  }

  /** Completes the backup: only now the file has its name. Returns its size. */
  async end(): Promise<number> {
    this.archive.finalize()
    await this.written
    await rename(this.temporary, this.path)
    const directory = await open(dirname(this.path), "r")
    try {
      await directory.sync()
    } finally {
      await directory.close()
    }
    return this.file.bytesWritten
  }

  /** Removes what was written of an incomplete backup. */
  async abandon(): Promise<void> {
    this.archive.destroy()
    this.file.destroy()
    await this.written.catch(() => {})
    await rm(this.temporary, { force: true })
  }
}
