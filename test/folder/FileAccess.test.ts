import { writeFileSync } from "node:fs"
import * as fs from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { FileAccess } from "../../src/clients/folder/FileAccess.ts"

let root: string
beforeEach(async () => {
  root = await fs.mkdtemp(join(tmpdir(), "sheaf-access-"))
})
afterEach(async () => {
  await fs.rm(root, { recursive: true })
})

const put = (name: string, text: string) => fs.writeFile(join(root, name), text)
const all = async () => {
  const names = (await fs.readdir(root)).toSorted()
  return Object.fromEntries(
    await Promise.all(names.map(async (name) => [name, await fs.readFile(join(root, name), "utf8")]))
  )
}
/** A file system that refuses second names. */
const refusing = (code: string): FileAccess => {
  const access = new FileAccess(root)
  access.link = () => Promise.reject(Object.assign(new Error(`${code}: refused`), { code }))
  return access
}

describe("a move of a file", () => {
  it.each(["EPERM", "ENOTSUP", "EOPNOTSUPP"])(
    "is a rename where files have one name (%s), and still replaces none",
    async (code) => {
      const access = refusing(code)
      await put("a.md", "a")
      await put("taken.md", "taken")
      expect([await access.move("a.md", "taken.md"), await access.move("a.md", "b.md")]).toEqual([false, true])
      expect(await all()).toEqual({ "b.md": "a", "taken.md": "taken" })
    }
  )

  it("fails with any other error of the file system", async () => {
    await put("a.md", "a")
    await expect(refusing("EIO").move("a.md", "b.md")).rejects.toThrow("EIO")
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
    let step = 0
    const access = new FileAccess(root, () => {
      if (step++ === 1) writeFileSync(join(root, "a.md"), "three")
    })
    await access.removeName("a.md", { ...stats, ino: -1 } as typeof stats)
    const texts = Object.entries(await all())
    expect(texts.map(([, text]) => text).toSorted()).toEqual(["three", "two"])
    expect(texts.map(([name]) => name)).toEqual([expect.stringMatching(/^\.sheaf-.*-old$/), "a.md"])
  })
})
