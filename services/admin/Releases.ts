import { Effect, Option, Schema } from "effect"
import { messageOf } from "../ErrorCause.ts"

/** A release as GitHub, Gitea and Forgejo list it. */
const Release = Schema.Struct({
  tag_name: Schema.String,
  draft: Schema.optional(Schema.Boolean),
  prerelease: Schema.optional(Schema.Boolean)
})
const decode = Schema.decodeUnknownOption(Schema.fromJsonString(Schema.Union([Schema.Array(Release), Release])))

const numbersOf = (version: string): ReadonlyArray<number> | undefined => {
  const [, ...numbers] = /^v?(\d{1,9})\.(\d{1,9})\.(\d{1,9})(?:\+.*)?$/.exec(version) ?? []
  return numbers.length === 0 ? undefined : numbers.map(Number)
}

/** Whether a version `1.2.3` is later than another one. */
const isLater = (one: ReadonlyArray<number>, other: ReadonlyArray<number>): boolean => {
  const place = one.findIndex((number, index) => number !== other[index])
  return place >= 0 && one[place]! > other[place]!
}

/** Milliseconds, and bytes of the list. */
const limits = { timeout: 15_000, bytes: 1024 * 1024 }

/** The address is the operator's own, so it may be inside the network. */
const read = async (address: string, signal: AbortSignal): Promise<string> => {
  const ends = AbortSignal.any([signal, AbortSignal.timeout(limits.timeout)])
  const response = await fetch(address, { headers: { accept: "application/json" }, signal: ends })
  if (!response.ok) throw new Error(`the response is ${response.status}`)
  const chunks: Array<Uint8Array> = []
  let bytes = 0
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length
    if (bytes > limits.bytes) throw new Error("the list is longer than 1 MB")
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString()
}

/** The latest release at an address that is later than the running version, without prereleases; undefined if none is. */
export const laterRelease = (address: string, running: string) =>
  Effect.gen(function* () {
    const text = yield* Effect.tryPromise((signal) => read(address, signal))
    const found = Option.getOrUndefined(decode(text))
    if (found === undefined)
      return yield* Effect.as(Effect.logWarning("RELEASES_URL has no list of releases"), undefined)
    let latest = numbersOf(running)
    let version: string | undefined
    for (const { draft, prerelease, tag_name } of "tag_name" in found ? [found] : found) {
      const numbers = numbersOf(tag_name)
      if (draft === true || prerelease === true || numbers === undefined) continue
      if (latest !== undefined && !isLater(numbers, latest)) continue
      latest = numbers
      version = numbers.join(".")
    }
    return version
  }).pipe(
    Effect.catch(({ cause }) =>
      Effect.as(Effect.logWarning(`RELEASES_URL cannot be read: ${messageOf(cause)}`), undefined)
    )
  )
