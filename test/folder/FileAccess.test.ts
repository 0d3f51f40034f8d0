import * as fs from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest"

/** The code with which the file system refuses a second name. */
let refusal: string | undefined
let FileAccess: typeof import("../../src/clients/folder/FileAccess.ts").FileAccess
beforeAll(async () => {
  // Test files share modules: this one loads its own.
  vi.resetModules()
  vi.doMock("node:fs/promises", () => ({
    ...fs,
    link: async (from: string, to: string) => {
      if (refusal !== undefined) throw Object.assign(new Error(`${refusal}: refused`), { code: refusal })
      return fs.link(from, to)
    }
  }))
  ;({ FileAccess } = await import("../../src/clients/folder/FileAccess.ts"))
})
afterAll(() => {
  vi.doUnmock("node:fs/promises")
  vi.resetModules()
})

let root: string
beforeEach(async () => {
  root = await fs.mkdtemp(join(tmpdir(), "sheaf-access-"))
})
afterEach(async () => {
  refusal = undefined
  await fs.rm(root, { recursive: true })
})

const put = (name: string, text: string) => fs.writeFile(join(root, name), text)
const all = async () => {
  const names = (await fs.readdir(root)).toSorted()
  return Object.fromEntries(
    await Promise.all(names.map(async (name) => [name, await fs.readFile(join(root, name), "utf8")]))
  )
}
/** Runs something before one change of a file. */
const before = (step: number, run: () => Promise<void>) => {
  let [at, running] = [0, Promise.resolve()]
  const access = new FileAccess(root, () => {
    if (at++ === step) running = run()
  })
  return { access, done: () => running }
}

describe("a move of a file", () => {
  it.each(["EPERM", "ENOTSUP", "EOPNOTSUPP"])(
    "is a rename where files have one name (%s), and still replaces none",
    async (code) => {
      refusal = code
      const access = new FileAccess(root)
      await put("a.md", "a")
      await put("taken.md", "taken")
      expect([await access.move("a.md", "taken.md"), await access.move("a.md", "b.md")]).toEqual([false, true])
      expect(await all()).toEqual({ "b.md": "a", "taken.md": "taken" })
    }
  )

  it("fails with any other error of the file system", async () => {
    refusal = "EIO"
    await put("a.md", "a")
    await expect(new FileAccess(root).move("a.md", "b.md")).rejects.toThrow("EIO")
    expect(await all()).toEqual({ "a.md": "a" })
  })

  it("is none if the file is gone", async () => {
    expect(await new FileAccess(root).move("a.md", "b.md")).toBe(false)
  })
})

describe("the removal of a second name", () => {
  it("leaves a file that an editor has put there", async () => {
    await put("a.md", "old")
    const access = new FileAccess(root)
    const stats = (await access.stats("a.md"))!
    await access.link("a.md", "b.md")
    await put("a.md.tmp", "new")
    await access.replace("a.md.tmp", "a.md")
    await access.removeName("a.md", stats)
    expect(await all()).toEqual({ "a.md": "new", "b.md": "old" })
  })

  it("keeps both files if the name is taken again in that moment", async () => {
    await put("a.md", "one")
    const stats = (await new FileAccess(root).stats("a.md"))!
    await fs.rm(join(root, "a.md"))
    await put("other.md", "two")
    await new FileAccess(root).replace("other.md", "a.md")
    const { access, done } = before(1, () => put("a.md", "three"))
    await access.removeName("a.md", { ...stats, ino: -1 } as typeof stats)
    await done()
    const texts = Object.entries(await all())
    expect(texts.map(([, text]) => text).toSorted()).toEqual(["three", "two"])
    expect(texts.map(([name]) => name)).toEqual([expect.stringMatching(/^\.sheaf-.*-old$/), "a.md"])
  })
})
