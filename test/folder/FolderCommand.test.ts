import { execFile } from "node:child_process"
import { join, resolve } from "node:path"
import { promisify } from "node:util"
import { describe, expect, it } from "vitest"
import { createClient } from "../../src/clients/client/SheafClient.ts"
import { notebooksFor } from "../../src/program/cli/folders/FolderNotebooks.ts"
import type { Sheaf } from "../../src/program/testing/Sheaf.ts"
import type { SyncedFolder } from "../support/folders/SyncedFolder.ts"
import { useFolders } from "../support/folders/useFolders.ts"
import { missingTerminal, TerminalProgram } from "../support/folders/TerminalProgram.ts"

const execute = promisify(execFile)
const program = resolve("dist/main.js")

let sheaf: Sheaf
let folder: SyncedFolder
useFolders((given) => ({ sheaf, folder } = given))

const env = (key = sheaf.key) => ({
  PATH: process.env["PATH"],
  HOME: folder.place,
  XDG_STATE_HOME: folder.state,
  SHEAF_URL: sheaf.url,
  SHEAF_KEY: key
})
/** Runs the command. Returns its exit code and the lines of its output. */
const sync = async (key: string, ...args: ReadonlyArray<string>) => {
  const command = [program, "sync", folder.folder, "--once", ...args]
  const run = execute(process.execPath, command, { env: env(key) })
  return run.then(
    ({ stdout }) => [0, ...stdout.split("\n").slice(0, -1)],
    (error) => [error.code, ...error.stdout.split("\n").slice(0, -1), error.stderr.trim()]
  )
}
const titles = async (filter = "deleted_at = null") =>
  (await sheaf.client.listNotes({ limit: 100, filter })).data.map(({ title }) => title).toSorted()
const trashed = () => titles("deleted_at != null")

describe("a key of some notebooks", () => {
  const keyOf = async (...notebooks: ReadonlyArray<readonly [id: string, access: "read" | "write"]>) => {
    const reach = notebooks.map(([id, access]) => ({ id, access, include_subnotebooks: true }))
    return (await sheaf.client.createApiKey({ name: "Folder", scopes: ["notes:write"], notebooks: reach })).secret
  }

  it("makes the folder its notebook if it is one, without an option", async () => {
    const handbook = await sheaf.client.createNotebook({ name: "Handbook" })
    const plans = await sheaf.client.createNotebook({ name: "Plans", parent_id: handbook.id })
    await sheaf.client.createNote({ notebook_id: plans.id, title: "Vienna", body: "by train\n" })
    const key = await keyOf([handbook.id, "write"])
    folder.write("Top.md", "top\n")
    folder.write("New/Deep/new.md", "new\n")
    const [code, ...lines] = await sync(key)
    expect([code, lines.toSorted()]).toEqual([
      0,
      ["new note           New/Deep/new.md", "new note           Top.md", "written            Plans/Vienna.md"]
    ])
    expect(await sync(key)).toEqual([0])
    const { data } = await sheaf.client.listNotebooks()
    const parents = Object.fromEntries(data.map(({ name, parent_id }) => [name, parent_id]))
    expect(parents).toEqual({
      Inbox: null,
      Handbook: null,
      Plans: handbook.id,
      New: handbook.id,
      Deep: data.find(({ name }) => name === "New")!.id
    })
    expect((await sheaf.client.listNotes({ filter: `notebook_id = "${handbook.id}"` })).data).toMatchObject([
      { title: "Top" }
    ])
  })

  it("gives each of several a folder, and reports files of none of them", async () => {
    const handbook = await sheaf.client.createNotebook({ name: "Handbook" })
    const work = await sheaf.client.createNotebook({ name: "Work" })
    await sheaf.client.createNote({ notebook_id: work.id, title: "Plan", body: "plan\n" })
    const key = await keyOf([handbook.id, "write"], [work.id, "read"])
    folder.write("Handbook/a.md", "a\n")
    folder.write("Top.md", "top\n")
    const [code, ...lines] = await sync(key)
    expect([code, lines.toSorted()]).toEqual([
      1,
      [
        "new note           Handbook/a.md",
        "not done           Top.md: It is in no notebook of those that are synced",
        "sheaf: Not all was synced",
        "written            Work/Plan.md"
      ].toSorted()
    ])
    expect(Object.keys(folder.files())).toEqual(["Handbook/a.md", "Top.md", "Work/Plan.md"])
    folder.remove("Top.md")
    expect(await sync(key, "--notebook", "Work,Handbook")).toEqual([0])
    expect(await sync(key, "--notebook", "Work")).toEqual([1, expect.stringContaining("without --notebook")])
  })

  it("keeps the layout of its folder when another notebook comes, and starts without a network", async () => {
    const handbook = await sheaf.client.createNotebook({ name: "Handbook" })
    const key = await keyOf([handbook.id, "write"])
    folder.write("Top.md", "top\n")
    expect((await sync(key))[0]).toBe(0)
    const work = await sheaf.client.createNotebook({ name: "Work" })
    await sheaf.client.createNote({ notebook_id: work.id, title: "Plan", body: "plan\n" })
    const { data } = await sheaf.client.listApiKeys()
    const { id } = data.find(({ name }) => name === "Folder")!
    const reach = [handbook, work].map((each) => ({
      id: each.id,
      access: "write" as const,
      include_subnotebooks: true
    }))
    await sheaf.client.updateApiKey({ id, notebooks: reach })
    expect(await sync(key)).toEqual([0, "written            Work/Plan.md"])
    expect(folder.files()).toEqual({ "Top.md": "top\n", "Work/Plan.md": "plan\n" })
    const offline = createClient({ url: "http://127.0.0.1:1/v2", key, retries: 0 })
    const place = join(folder.place, "other")
    expect(await notebooksFor(createClient({ url: sheaf.url, key }), place, key, undefined)).toEqual({
      notebooks: expect.arrayContaining([handbook.id, work.id]),
      isLimited: true
    })
    expect((await notebooksFor(offline, place, key, undefined)).notebooks).toHaveLength(2)
    await expect(notebooksFor(offline, place, "sfk_another", undefined)).rejects.toThrow("No response")
  })
})

describe.skipIf(missingTerminal !== "")(`a question about many deletions${missingTerminal}`, () => {
  const onTerminal = (args: string, more: Record<string, string> = {}) =>
    new TerminalProgram(`'${process.execPath}' '${program}' sync notes ${args}`, {
      cwd: folder.place,
      env: { ...env(), ...more }
    })
  const fill = async (count: number) => {
    for (let at = 0; at < count; at++) folder.write(`n${at}.md`, `word${at}\n`)
    expect((await sync(sheaf.key))[0]).toBe(0)
  }

  it("lists the first ones, leaves them waiting unless it is confirmed, and is not for programs", async () => {
    await fill(30)
    for (let at = 20; at < 30; at++) folder.remove(`n${at}.md`)
    const refused = onTerminal("--once --missing delete")
    expect(await refused.until("Delete them? [y/N] ")).toContain(
      "10 notes would go to the trash:\n  n20.md\n  n21.md\n  n22.md\n  n23.md\n  n24.md\n  and 5 more\nDelete"
    )
    refused.type("\n")
    expect(await refused.ended()).toEqual([3, "\nsheaf: Deletions wait, because they are many at once\n"])
    for (const [args, more] of [
      ["--json", {}],
      ["", { CI: "true" }]
    ] as const) {
      const [code, output] = await onTerminal(`--once --missing delete ${args}`, more).ended()
      expect([code, output]).toEqual([3, expect.not.stringContaining("[y/N]")])
    }
    expect(await trashed()).toEqual([])
    const confirmed = onTerminal("--once --missing delete")
    await confirmed.until("[y/N] ")
    confirmed.type("y\n")
    expect(await confirmed.ended()).toEqual([0, expect.stringContaining("note to the trash  n29.md\n")])
    expect(await trashed()).toHaveLength(10)
    expect((await sync(sheaf.key))[0]).toBe(0)
    expect(Object.keys(folder.files())).toHaveLength(20)
  })

  it("is asked once for the same files while the program follows, and stops nothing", async () => {
    await fill(30)
    const following = onTerminal("")
    // It has seen all files when one that came later is sent.
    folder.write("first.md", "first\n")
    await following.until("new note           first.md\n")
    for (const at of [1, 2]) folder.remove(`n${at}.md`)
    await following.until("[y/N] ")
    folder.write("while.md", "while\n")
    await following.until("new note           while.md\n")
    await expect.poll(() => titles()).toContain("while")
    following.type("n\n")
    folder.write("after.md", "after\n")
    expect(await following.until("new note           after.md\n")).not.toContain("[y/N]")
    folder.remove("n3.md")
    expect(await following.until("[y/N] ")).toContain("3 notes would go to the trash:\n  n1.md\n  n2.md\n  n3.md\n")
    expect(await trashed()).toEqual([])
    // One comes back before the response, and another one goes.
    folder.write("n2.md", "word2 again\n")
    folder.remove("n4.md")
    await following.until("3 files are gone")
    following.type("y\n")
    await following.until("note to the trash  n3.md\n")
    await expect.poll(() => trashed()).toEqual(expect.arrayContaining(["n1", "n3"]))
    expect(await titles()).toContain("n2")
    folder.write("last.md", "last\n")
    await following.until("new note           last.md\n")
    following.type("\x03")
    expect((await following.ended())[0]).toBe(0)
  })
})
