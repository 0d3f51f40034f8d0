/**
 * How fast files are taken in, kept and given on disk, beside a bare pipeline of Node's that hashes and syncs too.
 *   node scripts/bench/files.ts [rounds]
 */
import { Effect } from "effect"
import { createHash, randomBytes } from "node:crypto"
import { createReadStream, createWriteStream, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { type Readable, Transform, Writable } from "node:stream"
import { pipeline } from "node:stream/promises"
import * as Ids from "../../services/Ids.ts"
import { Blobs } from "../../services/storage/Blobs.ts"
import * as DiskBlobs from "../../services/storage/DiskBlobs.ts"
import { median } from "./median.ts"

const size = 256 * 1024 ** 2
const place = mkdtempSync(join(tmpdir(), "sheaf-files-"))
const source = join(place, "source")
const blobs = await Effect.runPromise(
  Effect.provide(Effect.service(Blobs), DiskBlobs.layer({ directory: join(place, "files") }))
)

const timed = async <A>(work: () => Promise<A>): Promise<readonly [number, A]> => {
  const start = performance.now()
  const made = await work()
  return [performance.now() - start, made]
}

const hashed = async (stream: Readable): Promise<string> => {
  const hash = createHash("sha256")
  await pipeline(
    stream,
    new Writable({
      write(chunk, _, done) {
        hash.update(chunk)
        done()
      }
    })
  )
  return hash.digest("hex")
}

const bare = async () => {
  const file = join(place, "bare")
  const hash = createHash("sha256")
  const hashing = new Transform({
    transform(chunk, _, done) {
      hash.update(chunk)
      done(null, chunk)
    }
  })
  const [taken] = await timed(() =>
    pipeline(createReadStream(source), hashing, createWriteStream(file, { flush: true }))
  )
  const [given] = await timed(() => hashed(createReadStream(file)))
  rmSync(file)
  return { taken, given }
}

const workspace_id = Ids.make("ws", Date.now())
const ours = async () => {
  const name = `up_${Ids.random(24)}`
  const [taken, key] = await timed(async () => {
    const { sha256 } = await Effect.runPromise(blobs.stage(createReadStream(source), name, size))
    await Effect.runPromise(blobs.keep(name, { workspace_id, sha256 }))
    return { workspace_id, sha256 }
  })
  const [given, sha256] = await timed(async () => hashed(await Effect.runPromise(blobs.read(key))))
  if (sha256 !== key.sha256) throw new Error("other bytes came back")
  await Effect.runPromise(blobs.remove(key))
  return { taken, given }
}

try {
  writeFileSync(source, randomBytes(size))
  const rounds = []
  for (let round = Number(process.argv[2] ?? 5); round > 0; round--)
    rounds.push({ bare: await bare(), ours: await ours() })
  for (const what of ["taken", "given"] as const) {
    const [theirs, mine] = [median(rounds.map(({ bare }) => bare[what])), median(rounds.map(({ ours }) => ours[what]))]
    const ratio = median(rounds.map(({ bare, ours }) => bare[what] / ours[what]))
    console.log(
      `256 MiB ${what}: ${mine.toFixed(0)} ms, bare ${theirs.toFixed(0)} ms, ${ratio.toFixed(2)} of its speed`
    )
  }
} finally {
  rmSync(place, { recursive: true, force: true })
}
