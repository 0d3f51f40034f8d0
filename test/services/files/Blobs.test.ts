import { ListMultipartUploadsCommand, ListObjectsV2Command, PutObjectCommand } from "@aws-sdk/client-s3"
import { Effect, Exit, Fiber, Layer, Logger, ManagedRuntime, Redacted } from "effect"
import { spawn } from "node:child_process"
import { createHash, randomBytes } from "node:crypto"
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs"
import { createServer, request, type ServerResponse } from "node:http"
import { once } from "node:events"
import { type AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { PassThrough, Readable } from "node:stream"
import { buffer } from "node:stream/consumers"
import { afterAll, afterEach, beforeEach, describe, expect, it, vi } from "vitest"
import { systemRandomness } from "../../../services/Randomness.ts"
import { type BlobKey, Blobs, FileStoreUnreachable, type Source } from "../../../services/files/Blobs.ts"
import * as DiskBlobs from "../../../services/files/DiskBlobs.ts"
import * as S3Blobs from "../../../services/files/S3Blobs.ts"
import * as FaultyBlobs from "../../support/FaultyBlobs.ts"
import { eventually } from "../../support/flows/eventually.ts"
import { type S3Server, s3Server } from "../../support/servers/S3Server.ts"
import { TcpProxy } from "../../support/servers/TcpProxy.ts"
import { isSlow } from "../../support/Slow.ts"

type Store = Blobs["Service"]

const sha256 = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex")
const newName = () => `up_${systemRandomness.text(24)}`
const workspace_id = systemRandomness.id("ws", Date.now())
const keyOf = (bytes: Uint8Array): BlobKey => ({ workspace_id, sha256: sha256(bytes) })
const plenty = 2 ** 40

async function* chunked(bytes: Uint8Array, length = 64 * 1024): AsyncGenerator<Uint8Array> {
  for (let start = 0; start < bytes.length; start += length) yield bytes.subarray(start, start + length)
}

/** The messages of log lines. */
let logged: Array<string> = []
const logger = Logger.layer([Logger.make(({ message }) => void logged.push(String(message)))])

const run = <A, E>(effect: Effect.Effect<A, E>): Promise<A> => Effect.runPromise(Effect.provide(effect, logger))
/** The failure of an effect that must fail. */
const failure = <A, E>(effect: Effect.Effect<A, E>): Promise<E> => run(Effect.flip(effect))
const isDefect = (effect: Effect.Effect<unknown, unknown>): Promise<boolean> =>
  run(Effect.map(Effect.exit(effect), Exit.hasDies))

const kept = async (blobs: Store, bytes: Uint8Array): Promise<BlobKey> => {
  const name = newName()
  await run(blobs.stage(chunked(bytes), name, plenty))
  await run(blobs.keep(name, keyOf(bytes)))
  return keyOf(bytes)
}

/** A store, and the files or objects that it has left. */
interface Opened {
  readonly blobs: Store
  readonly left: () => Promise<ReadonlyArray<string>>
}

const files = (directory: string): ReadonlyArray<string> =>
  readdirSync(directory, { recursive: true, encoding: "utf8" }).filter((name) =>
    statSync(join(directory, name)).isFile()
  )

const handles = (): number => readdirSync("/proc/self/fd").length

let close: Array<() => Promise<void> | void> = []

const built = async (layer: Layer.Layer<Blobs>): Promise<Store> => {
  const runtime = ManagedRuntime.make(layer)
  close.push(() => runtime.dispose())
  return runtime.runPromise(Effect.service(Blobs))
}

const temporary = (): string => {
  const directory = mkdtempSync(join(tmpdir(), "sheaf-blobs-"))
  close.push(() => rmSync(directory, { recursive: true, force: true }))
  return directory
}

const onDisk = async (): Promise<Opened & { readonly directory: string }> => {
  const directory = temporary()
  const blobs = await built(DiskBlobs.layer({ directory }))
  return { blobs, directory, left: async () => files(directory) }
}

const s3 = await s3Server()
const missing = "missing" in s3 ? ` (skipped: ${s3.missing})` : ""
const server = s3 as S3Server

const inBucket = async (options: Partial<S3Blobs.Options> = {}): Promise<Opened & { readonly spool: string }> => {
  const spool = temporary()
  const blobs = await built(S3Blobs.layer({ ...server, spool, ...options }))
  const left = async () => {
    const { Contents } = await server.client.send(new ListObjectsV2Command({ Bucket: server.bucket }))
    const { Uploads } = await server.client.send(new ListMultipartUploadsCommand({ Bucket: server.bucket }))
    return [...(Contents ?? []), ...(Uploads ?? [])].map(({ Key }) => Key!).concat(files(spool))
  }
  return { blobs, spool, left }
}

afterEach(async () => {
  vi.useRealTimers()
  for (const each of close.toReversed()) await each()
  close = []
  logged = []
})
afterAll(() => server.client?.destroy())

const stores = [
  { where: "on disk", skipped: false, open: onDisk },
  // Parts of 5 MiB, the minimum that a bucket accepts.
  {
    where: `in a bucket${missing}`,
    skipped: missing !== "",
    open: () => inBucket({ sizes: { part: 5 * 1024 ** 2, copied: 6 * 1024 ** 2 } })
  }
]

for (const { open, skipped, where } of stores)
  describe.skipIf(skipped)(`a blob store ${where}`, () => {
    /** For a bucket, `npm test` runs only the cases in which it differs most from a disk. */
    const isShort = where !== "on disk" && !isSlow
    let blobs: Store
    let left: Opened["left"]
    beforeEach(async () => {
      const opened = await open()
      blobs = opened.blobs
      const before = new Set(await opened.left())
      left = async () => (await opened.left()).filter((name) => !before.has(name))
    })

    const sizes = isShort ? [0, 5 * 1024 ** 2 + 1] : [0, 1, 64 * 1024, 5 * 1024 ** 2, 5 * 1024 ** 2 + 1, 13 * 1024 ** 2]
    it.each(sizes)("returns %i bytes as they were stored", async (size) => {
      const bytes = randomBytes(size)
      const name = newName()
      expect(await run(blobs.stage(chunked(bytes), name, size))).toEqual({ size, sha256: sha256(bytes) })
      expect(await run(blobs.stat(keyOf(bytes)))).toBeUndefined()
      await run(blobs.keep(name, keyOf(bytes)))
      expect(await run(blobs.stat(keyOf(bytes)))).toEqual({ size })
      expect((await buffer(await run(blobs.read(keyOf(bytes))))).equals(bytes)).toBe(true)
      expect(await left()).toHaveLength(1)
      await run(blobs.remove(keyOf(bytes)))
      expect(await left()).toEqual([])
    })

    it("reads ranges: the first byte, some in the middle, the last byte, all bytes", async () => {
      const bytes = randomBytes(300_000)
      const key = await kept(blobs, bytes)
      for (const [start, end] of [
        [0, 0],
        [100_000, 200_000],
        [299_999, 299_999],
        [0, 299_999]
      ] as const) {
        const part = await buffer(await run(blobs.read(key, { start, end })))
        expect(part.equals(bytes.subarray(start, end + 1))).toBe(true)
      }
      for (const range of [
        { start: 0, end: 300_000 },
        { start: 300_000, end: 300_000 },
        { start: 2, end: 1 }
      ]) {
        expect(await isDefect(blobs.read(key, range))).toBe(true)
      }
    })

    it("refuses a file that is too large, and keeps nothing of it", async () => {
      const bytes = randomBytes(200_001)
      expect(await failure(blobs.stage(chunked(bytes, 1_000), newName(), 200_000))).toMatchObject({
        _tag: "TooLarge",
        code: "payload_too_large",
        extra: { limit_bytes: 200_000 }
      })
      expect(await left()).toEqual([])
    })

    it.skipIf(isShort)("stops reading a source that is too large", async () => {
      let given = 0
      let ended = false
      const source = async function* () {
        try {
          while (true) {
            given += 65_536
            yield Buffer.alloc(65_536)
          }
        } finally {
          ended = true
        }
      }
      expect(await failure(blobs.stage(source(), newName(), 1_000_000))).toMatchObject({ _tag: "TooLarge" })
      // Chunks that were on their way at the refusal.
      expect(given).toBeLessThan(4 * 1024 ** 2)
      await eventually("the source is released", () => ended)
    })

    it("keeps nothing of a source that fails in the middle, and reports its failure", async () => {
      const broken = new Error("the source broke")
      const source = async function* () {
        yield randomBytes(400_000)
        throw broken
      }
      expect(await failure(blobs.stage(source(), newName(), plenty))).toMatchObject({
        _tag: "SourceFailed",
        cause: broken
      })
      expect(await left()).toEqual([])
    })

    it.skipIf(isShort)("keeps nothing of a source that failed before it is read", async () => {
      const source = new PassThrough()
      source.on("error", () => {})
      source.destroy(new Error("gone"))
      await eventually("it is closed", () => source.closed)
      expect(await failure(blobs.stage(source, newName(), plenty))).toMatchObject({ _tag: "SourceFailed" })
      const failing = new PassThrough()
      const staging = failure(blobs.stage(failing, newName(), plenty))
      // Immediately, while the store is the only listener.
      failing.destroy(new Error("gone"))
      expect(await staging).toMatchObject({ _tag: "SourceFailed" })
      expect(await left()).toEqual([])
    })

    it.skipIf(isShort).each(["the request", "its iterator"])(
      "keeps nothing of a client that hangs up, whose body comes as %s",
      async (by) => {
        const came = Promise.withResolvers<Source>()
        const server = createServer((incoming) =>
          came.resolve(by === "the request" ? incoming : incoming.iterator({ destroyOnReturn: false }))
        ).listen(0, "127.0.0.1")
        close.push(() => void server.close())
        await once(server, "listening")
        const { port } = server.address() as AddressInfo
        const client = request({ port, method: "PUT", headers: { "content-length": 1_000_000 } })
        client.on("error", () => {})
        client.write(randomBytes(500_000))
        const staging = failure(blobs.stage(await came.promise, newName(), plenty))
        client.destroy()
        expect(await staging).toMatchObject({ _tag: "SourceFailed" })
        expect(await left()).toEqual([])
      }
    )

    it.skipIf(isShort)("keeps nothing when the fiber is interrupted while the source hangs", async () => {
      const reached = Promise.withResolvers<void>()
      const source = async function* () {
        yield randomBytes(500_000)
        reached.resolve()
        await new Promise(() => {})
      }
      const before = handles()
      const fiber = Effect.runFork(blobs.stage(source(), newName(), plenty))
      await reached.promise
      expect(Exit.hasInterrupts(await run(Fiber.interrupt(fiber).pipe(Effect.andThen(Fiber.await(fiber)))))).toBe(true)
      expect(await left()).toEqual([])
      await eventually("all handles are closed", () => handles() <= before)
    })

    it("keeps the same bytes repeatedly, also after a crash between `keep` and its result", async () => {
      const bytes = randomBytes(1_000)
      const key = await kept(blobs, bytes)
      // Another file with the same content.
      await kept(blobs, bytes)
      expect(await left()).toHaveLength(1)
      // Its name is not staged any more.
      await run(blobs.keep(newName(), key))
      expect((await buffer(await run(blobs.read(key)))).equals(bytes)).toBe(true)
    })

    it.skipIf(isShort)("does not keep bytes that were not staged", async () => {
      const name = newName()
      expect(await failure(blobs.keep(name, keyOf(randomBytes(9))))).toMatchObject({ _tag: "NotStaged", name })
      await run(blobs.stage(chunked(randomBytes(10)), name, plenty))
      expect(await failure(blobs.keep(name, keyOf(randomBytes(10))))).toMatchObject({ _tag: "NotStaged" })
      await run(blobs.discard(name))
      expect(await left()).toEqual([])
    })

    it.skipIf(isShort)("keeps files that are staged to one name at the same time each under its own hash", async () => {
      const name = newName()
      const contents = Array.from({ length: 4 }, () => randomBytes(300_000))
      await Promise.all(contents.map((bytes) => run(blobs.stage(chunked(bytes, 7_000), name, plenty))))
      await Promise.all(contents.slice(0, 2).map((bytes) => run(blobs.keep(name, keyOf(bytes)))))
      for (const bytes of contents.slice(0, 2)) {
        expect((await buffer(await run(blobs.read(keyOf(bytes))))).equals(bytes)).toBe(true)
      }
      await run(blobs.discard(name))
      expect(await left()).toHaveLength(2)
    })

    it.skipIf(isShort)("separates the blobs of workspaces", async () => {
      const bytes = randomBytes(100)
      const key = await kept(blobs, bytes)
      const other = { ...key, workspace_id: systemRandomness.id("ws", Date.now()) }
      expect(await run(blobs.stat(other))).toBeUndefined()
      expect(await failure(blobs.read(other))).toMatchObject({ _tag: "BlobMissing", key: other })
      await run(blobs.remove(other))
      expect(await run(blobs.stat(key))).toEqual({ size: 100 })
    })

    it.skipIf(isShort)("discards and removes repeatedly", async () => {
      const name = newName()
      await run(blobs.stage(chunked(randomBytes(10)), name, plenty))
      await run(blobs.discard(name))
      await run(blobs.discard(name))
      const key = await kept(blobs, randomBytes(11))
      await run(blobs.remove(key))
      await run(blobs.remove(key))
      expect(await left()).toEqual([])
      expect(await failure(blobs.read(key))).toMatchObject({ _tag: "BlobMissing" })
    })

    it.skipIf(isShort)("keeps blobs while others in the same directory are removed", async () => {
      // All in one directory, which each removal tries to remove too.
      const all = Array.from({ length: 3 }, () => randomBytes(64))
      const key = (bytes: Uint8Array) => keyOf(bytes)
      for (let round = 0; round < 10; round++) {
        await Promise.all(all.map((bytes) => kept(blobs, bytes)))
        const names = all.map(() => newName())
        await Promise.all(all.map((bytes, index) => run(blobs.stage(chunked(bytes), names[index]!, plenty))))
        await Promise.all(
          all.flatMap((bytes, index) => [
            run(blobs.keep(names[index]!, key(bytes))),
            run(blobs.remove(key(randomBytes(8))))
          ])
        )
        for (const bytes of all) expect(await run(blobs.stat(key(bytes)))).toEqual({ size: 64 })
        await Promise.all(all.map((bytes) => run(blobs.remove(key(bytes)))))
      }
      expect(await left()).toEqual([])
    })

    it("sweeps staged bytes by their age", async () => {
      const name = newName()
      const bytes = randomBytes(10)
      await run(blobs.stage(chunked(bytes), name, plenty))
      await run(blobs.sweep(3600_000))
      await run(blobs.keep(name, keyOf(bytes)))
      await run(blobs.stage(chunked(bytes), newName(), plenty))
      // A negative age: everything is old enough.
      expect(await run(blobs.sweep(-3600_000))).toBeGreaterThanOrEqual(1)
      expect(await run(blobs.sweep(-3600_000))).toBe(0)
      expect(await run(blobs.stat(keyOf(bytes)))).toEqual({ size: 10 })
      expect(await left()).toHaveLength(1)
    })

    it.skipIf(isShort)("refuses names and keys that lead to other paths", async () => {
      const bytes = randomBytes(10)
      const hash = sha256(bytes)
      const names = [
        "",
        ".",
        "..",
        "../../etc/passwd",
        "up_../../../../../../x",
        `up_${"a".repeat(41)}`,
        "up_äääääääääääääääää"
      ]
      for (const name of [...names, `up_${"a".repeat(24)}\0`, `up_${"a".repeat(24)}\n`, `up_${"a".repeat(23)}/`]) {
        expect(await isDefect(blobs.stage(chunked(bytes), name, plenty)), name).toBe(true)
        expect(await isDefect(blobs.keep(name, keyOf(bytes))), name).toBe(true)
        expect(await isDefect(blobs.discard(name)), name).toBe(true)
      }
      const keys = [
        { workspace_id: "..", sha256: hash },
        { workspace_id: "staging", sha256: hash },
        { workspace_id: `${workspace_id}/..`, sha256: hash },
        { workspace_id, sha256: "../../../../etc/passwd" },
        { workspace_id, sha256: hash.toUpperCase() === hash ? "F".repeat(64) : hash.toUpperCase() },
        { workspace_id, sha256: `${hash}\n` }
      ]
      for (const key of keys) {
        for (const effect of [blobs.read(key), blobs.stat(key), blobs.remove(key), blobs.keep(newName(), key)]) {
          expect(await isDefect(effect), JSON.stringify(key)).toBe(true)
        }
      }
      expect(await left()).toEqual([])
    })

    it.skipIf(isShort)("releases the handles of destroyed readers", async () => {
      const key = await kept(blobs, randomBytes(5 * 1024 ** 2))
      const before = handles()
      const readers = await Promise.all(Array.from({ length: 20 }, () => run(blobs.read(key))))
      expect(handles()).toBeGreaterThanOrEqual(before + 20)
      for (const reader of readers) reader.destroy()
      await eventually("all handles are closed", () => handles() <= before)
    })

    it.skipIf(isShort)("streams at the pace of the reader, byte for byte", async () => {
      const bytes = randomBytes(5 * 1024 ** 2)
      const reader = await run(blobs.read(await kept(blobs, bytes)))
      const seen: Array<Buffer> = []
      for await (const chunk of reader) {
        seen.push(chunk)
        expect(reader.readableLength).toBeLessThanOrEqual(1024 ** 2)
        await new Promise(setImmediate)
      }
      expect(Buffer.concat(seen).equals(bytes)).toBe(true)
    })

    it("is ready", async () => expect(await run(blobs.ready)).toBeUndefined())
  })

describe("the store on disk", () => {
  it("writes while it receives: of 200 MiB at most 1 MiB waits in memory", async () => {
    const { blobs, directory } = await onDisk()
    const place = join(directory, "staging")
    const chunk = randomBytes(64 * 1024)
    const hash = createHash("sha256")
    let most = 0
    const source = async function* () {
      for (let given = 0; given < 200 * 1024 ** 2; given += chunk.length) {
        const written = readdirSync(place).reduce((sum, file) => sum + statSync(join(place, file)).size, 0)
        most = Math.max(most, given - written)
        hash.update(chunk)
        yield chunk
      }
    }
    expect(await run(blobs.stage(source(), newName(), plenty))).toEqual({
      size: 200 * 1024 ** 2,
      sha256: hash.digest("hex")
    })
    expect(most).toBeLessThan(1024 ** 2)
  })

  it("gives only the owner access to its files", async () => {
    const { blobs, directory } = await onDisk()
    await kept(blobs, randomBytes(10))
    await run(blobs.stage(chunked(randomBytes(10)), newName(), plenty))
    const modes = readdirSync(directory, { recursive: true, encoding: "utf8" }).map((name) => {
      const found = statSync(join(directory, name))
      return `${found.isFile() ? "file" : "directory"} ${(found.mode & 0o777).toString(8)}`
    })
    expect(new Set(modes)).toEqual(new Set(["directory 700", "file 600"]))
  })

  it("sweeps the partial file of a process that was killed", async () => {
    const { blobs, directory, left } = await onDisk()
    const name = newName()
    const module = (path: string) => JSON.stringify(join(import.meta.dirname, "../../../services/files", path))
    const program = `
      import { Effect } from "effect"
      import { Blobs } from ${module("Blobs.ts")}
      import * as DiskBlobs from ${module("DiskBlobs.ts")}
      const source = async function* () { while (true) { yield Buffer.alloc(65536); await new Promise(setImmediate) } }
      await Effect.runPromise(Effect.flatMap(Effect.service(Blobs), (blobs) => blobs.stage(source(), "${name}", 1e12))
        .pipe(Effect.provide(DiskBlobs.layer({ directory: ${JSON.stringify(directory)} }))))`
    const child = spawn(process.execPath, ["--input-type=module", "-e", program], { stdio: "inherit" })
    await eventually("it writes", async () => (await left()).length > 0)
    child.kill("SIGKILL")
    await once(child, "exit")
    expect(await left()).toEqual([expect.stringMatching(/\.part$/)])
    expect(await run(blobs.sweep(3600_000))).toBe(0)
    expect(await run(blobs.sweep(-3600_000))).toBe(1)
    expect(readdirSync(join(directory, "staging"))).toEqual([])
  })

  it("refuses files and logs the reason when the directory cannot be used", async () => {
    const directory = join(temporary(), "a-file")
    writeFileSync(directory, "")
    const blobs = await built(DiskBlobs.layer({ directory }))
    const source = Readable.from([randomBytes(10)])
    expect(await failure(blobs.stage(source, newName(), plenty))).toMatchObject({ _tag: "Unavailable" })
    expect(source.destroyed).toBe(true)
    expect(await failure(blobs.ready)).toMatchObject({
      _tag: "FileStoreUnreachable",
      reason: "files in DATA_DIR: mkdir failed with ENOTDIR"
    })
    expect(logged).toEqual(["files in DATA_DIR: mkdir failed with ENOTDIR"])
  })

  it("keeps nothing of a file when the disk gets full", async () => {
    const { blobs, left } = await onDisk()
    const faults = new FaultyBlobs.BlobFaults()
    const full = await built(FaultyBlobs.layer(faults)(Layer.succeed(Blobs, blobs)))
    faults.room = 100_000
    expect(await failure(full.stage(chunked(randomBytes(100_001)), newName(), plenty))).toMatchObject({
      _tag: "Unavailable"
    })
    expect(await left()).toEqual([])
    await run(full.stage(chunked(randomBytes(100_000)), newName(), plenty))
  })
})

describe.skipIf(missing !== "")(`direct access to a bucket${missing}`, () => {
  const upload = async (blobs: Store, bytes: Uint8Array, name = newName()) => {
    const expected = { size: bytes.length, sha256: sha256(bytes) }
    const signed = await run(
      blobs.direct!.uploadUrl({ name, ...expected, content_type: "image/png", expires_in_seconds: 900 })
    )
    return { name, expected, ...signed }
  }
  const put = async (url: string, body: Uint8Array, headers: Readonly<Record<string, string>>) => {
    const response = await fetch(url, { method: "PUT", body, headers })
    return { status: response.status, code: /<Code>(.*?)<\/Code>/.exec(await response.text())?.[1] }
  }
  /** Uploads without the signed URL, as in a store that checks no hash. */
  const smuggle = (name: string, Body: Uint8Array) =>
    server.client.send(new PutObjectCommand({ Bucket: server.bucket, Key: `staging/${name}/upload`, Body }))

  it.each(isSlow ? [0, 10, 7 * 1024 ** 2] : [7 * 1024 ** 2])("accepts %i bytes by a signed URL", async (size) => {
    const { blobs, left } = await inBucket({ sizes: { copied: 6 * 1024 ** 2 } })
    const before = await left()
    const bytes = randomBytes(size)
    const { expected, headers, name, url } = await upload(blobs, bytes)
    expect(await run(blobs.direct!.staged(name, expected))).toBe("missing")
    expect(await put(url, bytes, headers)).toMatchObject({ status: 200 })
    expect(await run(blobs.direct!.staged(name, expected))).toBe("ok")
    // Its response was lost.
    expect(await run(blobs.direct!.staged(name, expected))).toBe("ok")
    await run(blobs.keep(name, keyOf(bytes)))
    expect((await buffer(await run(blobs.read(keyOf(bytes))))).equals(bytes)).toBe(true)
    await run(blobs.remove(keyOf(bytes)))
    expect(await left()).toEqual(before)
  })

  it("refuses another length, other bytes, another type, and a missing header", async () => {
    const { blobs } = await inBucket()
    const bytes = randomBytes(1_000)
    const { expected, headers, name, url } = await upload(blobs, bytes)
    expect(await put(url, Buffer.concat([bytes, bytes]), headers)).toMatchObject({ status: 403 })
    expect(await put(url, bytes.subarray(1), headers)).toMatchObject({ status: 403 })
    expect(await put(url, bytes, { ...headers, "content-type": "text/html" })).toMatchObject({ status: 403 })
    expect(await put(url, bytes, { ...headers, "x-amz-content-sha256": sha256(randomBytes(9)) })).toMatchObject({
      status: 403
    })
    for (const name of Object.keys(headers)) {
      const { [name]: _, ...rest } = headers
      expect(await put(url, bytes, rest), name).toMatchObject({ status: 403 })
    }
    expect(await put(url, randomBytes(1_000), headers)).toEqual({ status: 400, code: "XAmzContentSHA256Mismatch" })
    expect(await put(url.replace(name, newName()), bytes, headers)).toMatchObject({ status: 403 })
    expect(await run(blobs.direct!.staged(name, expected))).toBe("missing")
  })

  it("refuses an expired URL", async () => {
    const { blobs } = await inBucket()
    const bytes = randomBytes(10)
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() - 901_000 })
    const { headers, url } = await upload(blobs, bytes).finally(() => vi.useRealTimers())
    expect(await put(url, bytes, headers)).toMatchObject({ status: 403 })
  })

  it("checks size and hash itself when the bucket does not", async () => {
    const { blobs, left } = await inBucket()
    const before = await left()
    const bytes = randomBytes(1_000)
    const { expected, name } = await upload(blobs, bytes)
    await smuggle(name, randomBytes(1_001))
    expect(await run(blobs.direct!.staged(name, expected))).toBe("wrong_size")
    await smuggle(name, randomBytes(1_000))
    expect(await run(blobs.direct!.staged(name, expected))).toBe("wrong_hash")
    expect(await failure(blobs.keep(name, keyOf(bytes)))).toMatchObject({ _tag: "NotStaged" })
    // A client may try again.
    await smuggle(name, bytes)
    expect(await run(blobs.direct!.staged(name, expected))).toBe("ok")
    await run(blobs.discard(name))
    expect(await left()).toEqual(before)
  })

  it("keeps the bytes that were checked, whatever is sent to the URL afterwards", async () => {
    const { blobs, left } = await inBucket()
    const before = await left()
    const bytes = randomBytes(1_000)
    const { expected, headers, name, url } = await upload(blobs, bytes)
    await put(url, bytes, headers)
    expect(await run(blobs.direct!.staged(name, expected))).toBe("ok")
    await smuggle(name, randomBytes(1_000))
    await run(blobs.keep(name, keyOf(bytes)))
    await put(url, bytes, headers)
    await smuggle(name, randomBytes(1_000))
    expect((await buffer(await run(blobs.read(keyOf(bytes))))).equals(bytes)).toBe(true)
    expect(await run(blobs.sweep(-3600_000))).toBe(1)
    await run(blobs.remove(keyOf(bytes)))
    expect(await left()).toEqual(before)
  })

  it("reads no bytes when the bucket returns their hash", async () => {
    const bytes = randomBytes(1_000)
    const asked: Array<string> = []
    let vouched = ""
    // S3 itself does this, and Ceph 16 does not.
    const vouching = createServer(async (incoming, response) => {
      asked.push(incoming.method!)
      const sent = request(new URL(incoming.url!, server.endpoint), {
        method: incoming.method!,
        headers: incoming.headers
      })
      incoming.pipe(sent)
      const [got] = await once(sent, "response")
      response.writeHead(got.statusCode, { ...got.headers, "x-amz-checksum-sha256": vouched })
      got.pipe(response)
    }).listen(0, "127.0.0.1")
    close.push(() => void vouching.close())
    await once(vouching, "listening")
    const { blobs } = await inBucket({ endpoint: `http://127.0.0.1:${(vouching.address() as AddressInfo).port}` })
    const { expected, name } = await upload(blobs, bytes)
    await smuggle(name, bytes)
    vouched = createHash("sha256").update("other").digest("base64")
    expect(await run(blobs.direct!.staged(name, expected))).toBe("wrong_hash")
    vouched = createHash("sha256").update(bytes).digest("base64")
    expect(await run(blobs.direct!.staged(name, expected))).toBe("ok")
    expect(new Set(asked)).toEqual(new Set(["HEAD", "PUT", "DELETE"]))
    await run(blobs.discard(name))
  })

  it("serves a blob by a signed URL that sets its headers and stays the same", async () => {
    const { blobs } = await inBucket()
    const bytes = randomBytes(1_000)
    const key = await kept(blobs, bytes)
    const download = {
      content_type: "image/png",
      content_disposition: `attachment; filename="x.png"; filename*=UTF-8''%C3%BC%20x.png`,
      expires_in_seconds: 900,
      at: new Date(Math.floor(Date.now() / 60_000) * 60_000)
    }
    const url = await run(blobs.direct!.downloadUrl(key, download))
    expect(await run(blobs.direct!.downloadUrl(key, download))).toBe(url)
    const response = await fetch(url)
    expect(Buffer.from(await response.arrayBuffer()).equals(bytes)).toBe(true)
    expect(response.headers.get("content-type")).toBe("image/png")
    expect(response.headers.get("content-disposition")).toBe(download.content_disposition)
    const part = await fetch(url, { headers: { range: "bytes=10-19" } })
    expect(part.status).toBe(206)
    expect(Buffer.from(await part.arrayBuffer()).equals(bytes.subarray(10, 20))).toBe(true)
    expect((await fetch(url.replace("png", "svg"))).status).toBe(403)
    expect((await fetch(url.replace(key.sha256, sha256(bytes.subarray(1))))).status).toBe(403)
    const old = await run(blobs.direct!.downloadUrl(key, { ...download, at: new Date(Date.now() - 901_000) }))
    expect((await fetch(old)).status).toBe(403)
  })
})

describe.skipIf(missing !== "")(`a bucket that cannot be used${missing}`, () => {
  const timeouts = { connect: 1_000, command: 1_000, silence: 1_000, ready: 1_000 }
  /** Milliseconds that only the clock of a test reaches, however busy the machine is. */
  const silence = 600_000
  const longTimeouts = { connect: silence, command: silence, silence }
  const behind = async (options: Partial<S3Blobs.Options> = {}) => {
    const proxy = await TcpProxy.to(server.endpoint)
    close.push(() => proxy.stop())
    return { proxy, ...(await inBucket({ endpoint: proxy.url, timeouts, ...options })) }
  }
  /** One call of each operation. */
  const calls = (blobs: Store): ReadonlyArray<Effect.Effect<unknown, unknown>> => {
    const key = keyOf(randomBytes(5))
    const expected = { size: 5, sha256: key.sha256 }
    return [
      blobs.stage(chunked(randomBytes(5)), newName(), plenty),
      blobs.keep(newName(), key),
      blobs.discard(newName()),
      blobs.read(key),
      blobs.stat(key),
      blobs.remove(key),
      blobs.sweep(3600_000),
      blobs.direct!.staged(newName(), expected)
    ]
  }
  const allUnavailable = async (blobs: Store) => {
    for (const failed of await Promise.all(calls(blobs).map(failure)))
      expect(failed).toMatchObject({ _tag: "Unavailable" })
    return failure(blobs.ready)
  }

  it.each(["refuses", "keepsSilent"] as const)(
    "fails each call while the bucket %s, and works again afterwards",
    async (state) => {
      const { blobs, left, proxy } = await behind()
      const before = await left()
      proxy.turn(state)
      expect(await allUnavailable(blobs)).toEqual(
        new FileStoreUnreachable({
          reason:
            state === "refuses"
              ? "the bucket cannot be reached (ECONNRESET): check S3_ENDPOINT"
              : "the bucket does not respond within 1 s: check S3_ENDPOINT"
        })
      )
      proxy.turn("passes")
      await kept(blobs, randomBytes(10)).then((key) => run(blobs.remove(key)))
      await eventually("it is ready again", () =>
        run(blobs.ready).then(
          () => true,
          () => false
        )
      )
      expect(await left()).toEqual(before)
    }
  )

  it("fails each call within the time-out of commands, including retries, when it does not respond", async () => {
    const { blobs, proxy } = await behind({ timeouts: { ...longTimeouts, command: 300, ready: silence } })
    proxy.turn("keepsSilent")
    for (const failed of await Promise.all(calls(blobs).map(failure)))
      expect(failed).toMatchObject({ _tag: "Unavailable" })
    expect(logged).toContain(`the bucket ${server.bucket} does not respond within 0.3 s: check S3_ENDPOINT`)
  })

  it.each([
    ["in one piece", 5, undefined],
    ["in parts", 5 * 1024 ** 2 + 1, 5 * 1024 ** 2]
  ])(
    "receives a file %s only once when it does not respond, so that the client does not wait for a second try",
    async (_, size, part) => {
      const sizes = part === undefined ? {} : { part }
      const { blobs, proxy } = await behind({ sizes, timeouts: { ...longTimeouts, command: 300 } })
      proxy.turn("keepsSilent")
      expect(await failure(blobs.stage(chunked(randomBytes(size)), newName(), plenty))).toMatchObject({
        _tag: "Unavailable",
        retry_after: 5
      })
      expect(proxy.opened).toBe(1)
      expect(logged).toEqual([`the bucket ${server.bucket} does not respond within 0.3 s: check S3_ENDPOINT`])
    }
  )

  it("has a shorter time-out for the removal of a failed upload", async () => {
    const { blobs, proxy } = await behind({ timeouts: { ...longTimeouts, ending: 300 } })
    proxy.turn("keepsSilent")
    expect(await failure(blobs.discard(newName()))).toMatchObject({ _tag: "Unavailable" })
    expect(logged).toEqual([`the bucket ${server.bucket} does not respond within 0.3 s: check S3_ENDPOINT`])
  })

  it("is reported with the wrong variable: a secret, an access key, a missing or foreign bucket", async () => {
    const others = ((await s3Server()) as S3Server).bucket
    for (const [wrong, reason] of [
      [{ secretAccessKey: Redacted.make("wrong") }, "refuses the signature: check S3_SECRET_ACCESS_KEY"],
      [{ accessKeyId: Redacted.make("nobody") }, "refuses the access key: check S3_ACCESS_KEY_ID"],
      [{ bucket: "sheaf-has-no-such-bucket" }, "does not exist: check S3_BUCKET"],
      [{ bucket: others }, "refuses access (AccessDenied): check S3_BUCKET and the rights of S3_ACCESS_KEY_ID"]
    ] as const) {
      logged = []
      expect(await allUnavailable((await inBucket(wrong)).blobs)).toEqual(
        new FileStoreUnreachable({ reason: `the bucket ${reason}` })
      )
      for (const line of logged) expect(line).toMatch(/^the bucket sheaf-\S+ (refuses|does not) .*S3_/)
      expect(logged.length).toBeGreaterThan(0)
      expect(logged.join()).not.toMatch(/wrong|nobody/)
    }
  })

  it("is reported with the wrong variable when another service responds, or S3 from another region", async () => {
    let respond = (response: ServerResponse) => void response.end()
    const other = createServer((_, response) => respond(response)).listen(0, "127.0.0.1")
    close.push(() => void other.close())
    await once(other, "listening")
    const { blobs } = await inBucket({ endpoint: `http://127.0.0.1:${(other.address() as AddressInfo).port}` })
    const error = (code: string) => `<?xml version="1.0"?><Error><Code>${code}</Code></Error>`
    for (const [status, body, reason] of [
      [404, "<html><body>Not here</body></html>", /check S3_ENDPOINT$/],
      [405, "", /check S3_ENDPOINT$/],
      [400, error("AuthorizationHeaderMalformed"), /^the bucket is in another region: check S3_REGION$/],
      [301, error("PermanentRedirect"), /^the bucket is in another region: check S3_REGION and S3_ENDPOINT$/],
      [403, error("RequestTimeTooSkewed"), /^the bucket refuses the time of this machine: check its clock$/]
    ] as const) {
      respond = (response) => void response.writeHead(status, { "content-type": "application/xml" }).end(body)
      expect((await failure(blobs.ready)).reason).toMatch(reason)
    }
  })

  it("has nothing left of a file whose upload failed, at the latest after a sweep", async () => {
    const { blobs, left, proxy } = await behind({ sizes: { part: 5 * 1024 ** 2 }, timeouts: longTimeouts })
    const before = await left()
    proxy.room = 7 * 1024 ** 2
    expect(await failure(blobs.stage(chunked(randomBytes(13 * 1024 ** 2)), newName(), plenty))).toMatchObject({
      _tag: "Unavailable"
    })
    // The first part is there, and could not be aborted.
    expect(await left()).toHaveLength(before.length + 1)
    proxy.room = Infinity
    proxy.turn("passes")
    await run(blobs.sweep(3600_000))
    expect(await left()).toHaveLength(before.length + 1)
    await run(blobs.sweep(-3600_000))
    expect(await left()).toEqual(before)
  })

  it("has nothing left of a file whose upload was interrupted", async () => {
    const { blobs, left, proxy } = await behind({ timeouts: longTimeouts })
    const before = await left()
    proxy.turn("keepsSilent")
    const fiber = Effect.runFork(blobs.stage(chunked(randomBytes(1_000)), newName(), plenty))
    await eventually("it is being sent", () => proxy.open > 0)
    await run(Fiber.interrupt(fiber))
    proxy.turn("passes")
    expect(await left()).toEqual(before)
  })

  it("ends the stream of a blob when it stops responding, but not when the reader pauses", async () => {
    const { blobs, proxy } = await behind({ timeouts: longTimeouts })
    const bytes = randomBytes(32 * 1024 ** 2)
    const key = await kept(blobs, bytes)
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] })
    const reader = await run(blobs.read(key))
    reader.read(0)
    while (reader.readableLength < reader.readableHighWaterMark) await new Promise(setImmediate)
    // Longer than the time-out, but no bytes are requested meanwhile.
    vi.advanceTimersByTime(10 * silence)
    expect((await buffer(reader)).equals(bytes)).toBe(true)
    const cut = await run(blobs.read(key))
    proxy.hold()
    const reading = buffer(cut)
    reading.catch(() => {})
    while (!cut.destroyed) {
      vi.advanceTimersByTime(silence)
      await new Promise(setImmediate)
    }
    await expect(reading).rejects.toMatchObject({ reason: "stopped responding" })
    vi.useRealTimers()
    const hungUp = await run(blobs.read(key))
    proxy.turn("refuses")
    await expect(buffer(hungUp)).rejects.toThrow(/./)
    proxy.turn("passes")
    await run(blobs.remove(key))
  })
})
