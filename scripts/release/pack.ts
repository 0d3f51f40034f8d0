import { hash } from "node:crypto"
import type { Manifest } from "../../src/program/executable/Runtime.ts"

/** A file to pack, with its path relative to the folder of the runtime. */
export interface PackedFile {
  readonly path: string
  readonly mode: number
  readonly bytes: Uint8Array
}

/** Returns the manifest of the files, and their bytes in its order. */
export const pack = (version: string, packed: ReadonlyArray<PackedFile>): { manifest: Manifest; bytes: Buffer } => {
  const files = packed.map(({ bytes, mode, path }) => ({
    path,
    mode,
    size: bytes.length,
    sha256: hash("sha256", bytes)
  }))
  const name = `${version}-${hash("sha256", JSON.stringify(files)).slice(0, 8)}`
  return { manifest: { name, files }, bytes: Buffer.concat(packed.map(({ bytes }) => bytes)) }
}
