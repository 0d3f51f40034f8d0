import { execFileSync } from "node:child_process"
import { existsSync, mkdtempSync, rmSync, statfsSync, statSync } from "node:fs"
import { open } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, afterEach, describe, expect, it } from "vitest"
import { reserveBytes } from "../../services/files/DiskReserve.ts"
import { eventually } from "../support/flows/eventually.ts"
import { call, listAll, type Server } from "../support/flows/Wire.ts"
import { endPrograms, postmasterOf, Program } from "../support/servers/Program.ts"
import { freePort } from "../support/servers/freePort.ts"
import { isSlow } from "../support/Slow.ts"

const place = mkdtempSync(join(tmpdir(), "sheaf-disk-"))
const mounted = (() => {
  if (!isSlow) return " (skipped: only npm run test:slow fills a real disk)"
  if (process.getuid?.() !== 0) return " (skipped: only root can mount a small disk)"
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=420m,mode=755", "tmpfs", place], { stdio: "ignore" })
    return ""
  } catch {
    return " (skipped: a small disk cannot be mounted here)"
  }
})()
const dataDir = join(place, "data")
const reserve = join(dataDir, "reserve")
const filler = join(place, "filler")

afterEach(async () => {
  await endPrograms()
  rmSync(filler, { force: true })
})

afterAll(() => {
  if (mounted === "") execFileSync("umount", [place])
  rmSync(place, { recursive: true, force: true })
})

const free = (): number => {
  const { bavail, bsize } = statfsSync(place)
  return bavail * bsize
}

/** Fills the disk to the last byte, with at most `budget` bytes. */
const fill = async (budget = Infinity) => {
  // Most of it at once, so that the server writes as much meanwhile on a slow machine as on a fast one.
  const most = Math.floor(0.9 * free())
  let left = budget - most
  const offset = existsSync(filler) ? statSync(filler).size : 0
  if (most > 0) execFileSync("fallocate", ["-o", String(offset), "-l", String(most), filler], { stdio: "ignore" })
  const file = await open(filler, "a")
  try {
    for (const size of [1 << 20, 4096, 1]) {
      const piece = Buffer.alloc(size, 1)
      let isTaken = true
      while (isTaken && left > 0) {
        left -= size
        isTaken = await file.write(piece).then(
          ({ bytesWritten }) => bytesWritten === size,
          (error: NodeJS.ErrnoException) => {
            if (error.code !== "ENOSPC") throw error
            return false
          }
        )
      }
    }
  } finally {
    await file.close()
  }
}

const start = async () => {
  const program = new Program({ DATA_DIR: dataDir, PORT: String(await freePort()) })
  return { program, server: await program.server() }
}

/** The title of notes whose write may have been stored although it was refused. */
const unsure = "Unsure"

/** Creates notes until one is refused. Returns the ids of the acknowledged notes. */
const createUntilRefused = async (server: Server, notebook_id: string) => {
  const made: Array<string> = []
  while (true) {
    const body = { notebook_id, title: unsure, body: "word ".repeat(4_000) }
    const response = await call(server, "POST", "/notes", body)
    if (response.status !== 201) return { made, refused: response }
    made.push(response.body.id)
  }
}

const idsOf = async (server: Server): Promise<ReadonlyArray<string>> =>
  (await listAll(server, "/notes")).map(({ id }) => id)

const whenIt = <A>(what: string, status: number, request: () => Promise<{ readonly status: number; body: A }>) =>
  eventually(what, async () => {
    const response = await request()
    return response.status === status ? response : undefined
  })

describe.skipIf(mounted !== "")(`a disk that is full to the last byte${mounted}`, () => {
  it("stops only requests that need space; with space everything continues without a restart, and nothing is lost", async () => {
    const { program, server } = await start()
    const notebook_id = (await call(server, "GET", "/notebooks")).body.data[0].id
    const kept = (await call(server, "POST", "/notes", { notebook_id, title: "Kept", body: "words" })).body
    const erased: Array<string> = []
    for (let index = 0; index < 20; index++) {
      erased.push((await call(server, "POST", "/notes", { notebook_id, title: `Erased ${index}` })).body.id)
    }
    const before = await idsOf(server)
    await eventually("the reserve is written", () => existsSync(reserve) && statSync(reserve).size === reserveBytes)

    // Writes fail before the server notices the full disk.
    const writing = createUntilRefused(server, notebook_id)
    // Not also the space of the reserve, which Sheaf may release before the last byte is written.
    await fill(free())
    const { made, refused } = await writing
    expect([refused.status, refused.body.code]).toEqual([503, "service_unavailable"])
    await eventually("writes are refused because of the disk", async () => {
      const { status, body } = await call(server, "POST", "/notes", { notebook_id, title: unsure })
      // A small note may still fit.
      if (status === 201) made.push(body.id)
      return body.detail === "The disk is full"
    })
    await eventually("the reserve is released", () => !existsSync(reserve))
    // PostgreSQL may be restarting.
    await whenIt("reads succeed", 200, () => call(server, "GET", `/notes/${kept.id}`))
    for (const id of erased) {
      // The system frees the space of the reserve shortly after its file is deleted.
      await whenIt("deletions succeed", 200, () => call(server, "DELETE", `/notes/${id}?permanent=true`))
    }
    expect((await call(server, "POST", "/search", { query: "kept" })).status).toBe(201)

    // Another process uses the released space, too, and PostgreSQL has no space to start.
    await fill()
    process.kill(postmasterOf(dataDir)!, "SIGKILL")
    await whenIt("PostgreSQL is unavailable", 503, () => call(server, "GET", `/notes/${kept.id}`))
    rmSync(filler)
    const again = await whenIt("writes succeed again", 201, () =>
      call(server, "POST", "/notes", { notebook_id, title: "Again" })
    )
    const left = [...before, ...made, again.body.id].filter((id) => !erased.includes(id))
    // A write whose response was 503 may have been stored; no other note may exist.
    const stored = (await listAll(server, "/notes")).filter(({ id, title }) => left.includes(id) || title !== unsure)
    expect(stored.map(({ id }) => id).toSorted()).toEqual(left.toSorted())
    await eventually(
      "the reserve is written again",
      () => existsSync(reserve) && statSync(reserve).size === reserveBytes
    )
    // A line for each change of the state, and none for a measurement that has found no change.
    const states = program.log.flatMap(({ message }) => /^The disk (is full|has space again)/.exec(message)?.[1] ?? [])
    expect(states).toEqual(states.map((_, index) => (index % 2 === 0 ? "is full" : "has space again")))
    expect(states.at(-1)).toBe("has space again")
    expect(await program.kill("SIGTERM")).toBe(0)
  })

  it("lets Sheaf start with the space of the reserve", async () => {
    await fill()
    const { program, server } = await start()
    const [id] = await idsOf(server)
    await whenIt("deletions succeed", 200, () => call(server, "DELETE", `/notes/${id}?permanent=true`))
    rmSync(filler)
    expect(await program.kill("SIGTERM")).toBe(0)
  })
})
