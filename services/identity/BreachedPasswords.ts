import { Effect, Predicate } from "effect"
import { createHash } from "node:crypto"
import { readFile } from "node:fs/promises"
import { join } from "node:path"

/** The characters of a hash that name its file: the other 35 are in the lines of the file. */
const prefixLength = 5

const pathOf = (folder: string, hash: string): string => join(folder, `${hash.slice(0, prefixLength)}.txt`)

/** The file that a folder of ranges has in any case: its first one. */
export const firstRange = (folder: string): string => pathOf(folder, "0".repeat(prefixLength))

const codeOf = (cause: unknown): string =>
  Predicate.hasProperty(cause, "code") && Predicate.isString(cause.code) ? cause.code : "unknown"

/**
 * Whether a password is in a folder of ranges, as the downloader of Have I Been Pwned writes it: one file for each five
 * hexadecimal digits with which SHA-1 hashes begin, `5BAA6.txt`, with lines `1E4C9B93F3F0682250B6CF8331B7EE68FD8:10437277`.
 * A range that cannot be read is logged, and does not stop a user from choosing a password.
 */
export const isBreached = (folder: string, password: string): Effect.Effect<boolean> => {
  const hash = createHash("sha1").update(password).digest("hex").toUpperCase()
  return Effect.tryPromise(() => readFile(pathOf(folder, hash), "latin1")).pipe(
    Effect.map((range) =>
      range
        .toUpperCase()
        .split(/\r?\n/)
        .some((line) => line.startsWith(`${hash.slice(prefixLength)}:`))
    ),
    // Without the path, which has a part of the hash.
    Effect.catch(({ cause }) =>
      Effect.as(Effect.logWarning("a range of BREACHED_PASSWORDS cannot be read", { code: codeOf(cause) }), false)
    )
  )
}
