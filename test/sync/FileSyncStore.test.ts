import { execFileSync, spawn } from "node:child_process"
import { once } from "node:events"
import { appendFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import promises from "node:fs/promises"
import { syncBuiltinESMExports } from "node:module"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest"
import { createClient } from "../../src/clients/client/SheafClient.ts"
import { fileStore } from "../../src/clients/sync/FileSyncStore.ts"
import { openSync } from "../../src/clients/sync/SyncEngine.ts"
import { StoreError, type SyncStore } from "../../src/clients/sync/SyncStore.ts"

let folder: string
let path: string
let journal: string
const opened: Array<SyncStore> = []
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "sheaf-store-"))
  path = join(folder, "state")
  journal = join(path, "journal")
})
afterEach(async () => {
  for (const store of opened.splice(0)) await store.close()
  rmSync(folder, { recursive: true })
})

const loaded = async (at = path) => {
  const store = fileStore(at)
  const entries = await store.load()
  opened.push(store)
  return { store, entries }
}

/** Writes three lines, and closes the store. */
const written = async () => {
  const { store } = await loaded()
  await store.write([
    ["a", { text: "eins\nzwei ü" }],
    ["b", 2]
  ])
  await store.write([["b", undefined]])
  await store.write([["c", [3]]])
  await store.close()
}

/** Runs a task while the directory cannot be read or synced, as if the process had too many files open. */
const withoutReading = async (task: () => Promise<void>) => {
  const { open } = promises
  const error = new Error("EMFILE: too many open files")
  const calls = [
    vi
      .spyOn(promises, "open")
      .mockImplementation((at, flags, mode) => (at === path ? Promise.reject(error) : open(at, flags, mode))),
    vi.spyOn(promises, "readdir").mockRejectedValue(error)
  ]
  syncBuiltinESMExports()
  try {
    await task()
  } finally {
    for (const call of calls) call.mockRestore()
    syncBuiltinESMExports()
  }
}

const content = [
  ["a", { text: "eins\nzwei ü" }],
  ["c", [3]]
]

describe("a store in a directory", () => {
  it("has what was written when it is opened again", async () => {
    await written()
    expect([...(await loaded()).entries]).toEqual(content)
  })

  it.each(["0123", '0123456789abcdef [["d",4]]', '0123456789abcdef [["d",4]]\n', "\0\0\0\0"])(
    "drops a last line that a crash has torn: %j",
    async (torn) => {
      await written()
      appendFileSync(journal, torn)
      const { entries, store } = await loaded()
      expect([...entries]).toEqual(content)
      await store.write([["d", 4]])
      await store.close()
      expect([...(await loaded()).entries]).toEqual([...content, ["d", 4]])
    }
  )

  it("is refused and not changed if a line before the last one is damaged", async () => {
    await written()
    const text = readFileSync(journal, "utf8").replace("eins", "EINS")
    writeFileSync(journal, text)
    await expect(loaded()).rejects.toThrow(/journal is damaged at byte 36\. It was not changed/)
    expect(readFileSync(journal, "utf8")).toBe(text)
  })

  it.each([
    ["a list", "[1, 2]\n", "is not a journal of sheaf/sync"],
    ["nothing", "", "is not a journal of sheaf/sync"],
    ["text", "my thesis\n", "is not a journal of sheaf/sync"],
    ["a later format", '{"journal":"sheaf sync","format":2}\n', "has the format 2 of a later version"]
  ])("is refused and not changed if its journal has %s", async (_, text, message) => {
    await written()
    writeFileSync(journal, text)
    await expect(loaded()).rejects.toThrow(message)
    expect(readFileSync(journal, "utf8")).toBe(text)
  })

  it("is compacted when it has grown, and stays readable", async () => {
    const { store } = await loaded()
    const text = "x".repeat(100_000)
    for (let each = 0; each < 60; each++)
      await store.write([
        ["same", text + each],
        [`own ${each}`, each]
      ])
    expect(statSync(journal).size).toBeLessThan(1_700_000)
    await store.close()
    const { entries } = await loaded()
    expect([entries.size, entries.get("same")]).toEqual([61, `${text}59`])
    expect(
      readdirSync(path)
        .filter((name) => !name.startsWith("lock-"))
        .sort()
    ).toEqual(["files", "journal"])
  })

  it("keeps what is written after a compaction that has failed", async () => {
    const { store } = await loaded()
    const text = "x".repeat(900_000)
    await store.write([["same", text]])
    await withoutReading(async () => {
      await expect(store.write([["same", text]])).rejects.toThrow(/journal cannot be written: EMFILE/)
      await expect(store.write([["lost", 1]])).rejects.toThrow(/journal cannot be written: EMFILE/)
    })
    await store.write([["later", 2]])
    await store.close()
    const { entries } = await loaded()
    expect([...entries]).toEqual([
      ["same", text],
      ["later", 2]
    ])
  })

  it("is refused while it is open, and not afterwards", async () => {
    const { store } = await loaded()
    await expect(loaded()).rejects.toThrow(`Another process has ${path} open`)
    await store.close()
    await (await loaded()).store.close()
    expect(readdirSync(path).sort()).toEqual(["files", "journal"])
  })

  it("stays open and locked after a second load is refused", async () => {
    const { store } = await loaded()
    await expect(store.load()).rejects.toThrow(new StoreError(`${path} is already open`))
    const other = fileStore(path)
    await expect(other.load()).rejects.toThrow(StoreError)
    await other.close()
    await store.write([["a", 1]])
    await expect(loaded()).rejects.toThrow("Another process has")
    await store.close()
    expect([...(await loaded()).entries]).toEqual([["a", 1]])
  })

  it("leaves nothing open when it is refused, and can be opened when the cause has ended", async () => {
    await written()
    const text = readFileSync(journal, "utf8")
    writeFileSync(journal, "my thesis\n")
    const store = fileStore(path)
    await expect(store.load()).rejects.toThrow("is not a journal")
    await expect(store.write([["d", 4]])).rejects.toThrow(`${path} is not open`)
    expect(readdirSync(path).sort()).toEqual(["files", "journal"])
    writeFileSync(journal, text)
    expect([...(await store.load())]).toEqual(content)
    await store.close()
  })

  it("leaves no lock if its directory cannot be read", async () => {
    await written()
    await withoutReading(async () => {
      await expect(fileStore(path).load()).rejects.toThrow(/cannot be opened: EMFILE/)
    })
    expect(readdirSync(path).sort()).toEqual(["files", "journal"])
  })

  it("can be opened after the process that had it open was killed", async () => {
    const module = new URL("../../src/clients/sync/FileSyncStore.ts", import.meta.url).href
    const code = `const { fileStore } = await import(${JSON.stringify(module)})
      const store = fileStore(process.argv[1]); await store.load(); await store.write([["a", 1]])
      console.log("open"); setInterval(() => {}, 1000)`
    const child = spawn(process.execPath, ["--input-type=module", "-e", code, path], {
      stdio: ["ignore", "pipe", "inherit"]
    })
    await once(child.stdout, "data")
    await expect(loaded()).rejects.toThrow("Another process has")
    child.kill("SIGKILL")
    await once(child, "exit")
    expect([...(await loaded()).entries]).toEqual([["a", 1]])
  })

  it("stays in its directory when the process changes its own", async () => {
    const before = process.cwd()
    try {
      process.chdir(folder)
      const store = fileStore("state")
      await store.load()
      process.chdir(before)
      await store.write([["a", 1]])
      await store.writeFile("hash", new Uint8Array([1]))
      await store.close()
    } finally {
      process.chdir(before)
    }
    expect(readdirSync(path, { recursive: true }).sort()).toEqual(["files", "files/hash", "journal"])
    expect([...(await loaded()).entries]).toEqual([["a", 1]])
  })

  it("is refused if its path is too long for a lock", async () => {
    await expect(loaded(join(folder, "x".repeat(120)))).rejects.toThrow(
      "is too long: its locks need a path of 103 bytes"
    )
  })

  it("keeps files until they are removed", async () => {
    const { store } = await loaded()
    await store.writeFile("hash", new Uint8Array([1, 2]))
    expect([await store.files(), await store.readFile("hash")]).toEqual([["hash"], new Uint8Array([1, 2])])
    await store.removeFile("hash")
    expect(await store.files()).toEqual([])
  })

  it("keeps a file that is written several times at once", async () => {
    const { store } = await loaded()
    const bytes = new Uint8Array(100_000).fill(7)
    await Promise.all(Array.from({ length: 8 }, () => store.writeFile("hash", bytes)))
    expect(await store.readFile("hash")).toEqual(bytes)
    expect(readdirSync(join(path, "files"))).toEqual(["hash"])
  })

  it("removes the files that a killed process was writing, and no others", async () => {
    await written()
    for (const name of ["journal.1.new", "journal.new", "mine.new", "files/hash.1.new", "files/hash"])
      writeFileSync(join(path, name), "")
    const { entries, store } = await loaded()
    expect([...entries]).toEqual(content)
    expect(await store.files()).toEqual(["hash"])
    await store.close()
    expect(readdirSync(path, { recursive: true }).sort()).toEqual(["files", "files/hash", "journal", "mine.new"])
  })
})

const isMounted = (() => {
  const place = mkdtempSync(join(tmpdir(), "sheaf-mount-"))
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=256k", "tmpfs", place], { stdio: "ignore" })
    execFileSync("umount", [place])
    return true
  } catch {
    return false
  } finally {
    rmSync(place, { recursive: true })
  }
})()

it.runIf(isMounted)("an edit that a full disk refuses stays in memory, and is stored when there is room", async () => {
  const disk = join(folder, "disk")
  execFileSync("mkdir", [disk])
  execFileSync("mount", ["-t", "tmpfs", "-o", "size=256k", "tmpfs", disk])
  try {
    const at = join(disk, "state")
    const client = createClient({ url: "http://127.0.0.1:9/v2", key: "none", retries: 0 })
    const engine = await openSync({ client, store: fileStore(at) })
    const text = "word ".repeat(10_000)
    await engine.edit("note", "nt_one", { body: text })
    writeFileSync(join(disk, "filler"), Buffer.alloc(180_000))
    await expect(engine.edit("note", "nt_two", { body: text })).rejects.toThrow(/journal cannot be written: ENOSPC/)
    expect(engine.state).toMatchObject({ waiting: 2, error: expect.any(StoreError) })
    expect(engine.get("nt_two")).toMatchObject({ body: text })
    rmSync(join(disk, "filler"))
    await engine.flush()
    expect(engine.state.error).toBe(undefined)
    await engine.close()
    const again = await openSync({ client, store: fileStore(at) })
    expect([again.get("nt_one")?.["body"], again.get("nt_two")?.["body"]]).toEqual([text, text])
    await again.close()
  } finally {
    execFileSync("umount", ["-l", disk])
  }
})
