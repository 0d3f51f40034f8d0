import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { beforeAll, describe, expect, it } from "vitest"
import { readVault, type VaultFile } from "../../scripts/demo/vault.ts"
import { Files, sha256Of } from "../support/Files.ts"
import { rounds, sampled } from "../support/Slow.ts"
import { expectTruth } from "../support/people/Truth.ts"
import { useApp } from "../support/useApp.ts"

const vault = new URL("../../../shared/data/markdown/obsidian-help-en.zip", import.meta.url)
const missing = existsSync(vault) ? "" : " (skipped: no ../shared/data/markdown here)"

describe.skipIf(missing !== "")(`the attachments of a real vault${missing}`, () => {
  const { app, given } = useApp()
  let files: Files
  let attachments: ReadonlyArray<VaultFile>
  let contents: ReadonlySet<string>
  let inbox: string
  /** The uploaded files by attachment id. */
  const uploaded = new Map<string, VaultFile>()

  const makeNote = async (title: string): Promise<string> =>
    (await given("POST", "/notes", { notebook_id: inbox, title })).id
  const kept = (): ReadonlyArray<string> =>
    readdirSync(join(app.dataDir, "files"), { recursive: true, encoding: "utf8" })
      .map((path) => path.split("/").at(-1)!)
      .filter((name) => /^[0-9a-f]{64}$/.test(name))
      .toSorted()

  beforeAll(async () => {
    files = new Files(app)
    attachments = sampled((await readVault(readFileSync(vault))).files, 20)
    contents = new Set(attachments.map(({ bytes }) => sha256Of(bytes)))
    inbox = (await given("GET", "/notebooks")).data[0].id
  })

  it("are uploaded to signed URLs, each once", async () => {
    expect(attachments).toHaveLength(rounds(20, 113))
    const notes = new Map<string, string>()
    for (const file of attachments) {
      const ending = /\.(\w+)$/.exec(file.name)![1]!
      if (!notes.has(ending)) notes.set(ending, await makeNote(`Files in ${ending}`))
      const { id, sha256, size } = await files.make(notes.get(ending)!, file.bytes, { filename: file.name })
      expect([size, sha256]).toEqual([file.bytes.length, sha256Of(file.bytes)])
      uploaded.set(id, file)
    }
    expect(kept()).toEqual([...contents].toSorted())
    await expectTruth(app)
  })

  it("are pulled and downloaded unchanged by another device", async () => {
    const pulled = new Map<string, any>()
    let page = { cursor: undefined, has_more: true, changes: [] as ReadonlyArray<any> }
    while (page.has_more) {
      page = await given("POST", "/sync/pull", {
        cursor: page.cursor,
        limit: 50,
        types: ["attachment"],
        device: { name: "Another", platform: "test" }
      })
      for (const { data, id } of page.changes) pulled.set(id, data)
    }
    expect(new Set(pulled.keys())).toEqual(new Set(uploaded.keys()))
    for (const [id, { bytes, name, path }] of uploaded) {
      expect(pulled.get(id)).toMatchObject({ status: "ready", filename: name, sha256: sha256Of(bytes) })
      const { url } = await given("GET", `/attachments/${id}/download`)
      expect([path, (await files.call("GET", url)).bytes.equals(bytes)]).toEqual([path, true])
    }
  })

  it("are stored once when a second note has them too, by hash or by upload", async () => {
    const before = (await given("GET", "/usage")).storage_bytes
    const note = await makeNote("The same again")
    for (const [index, { bytes, name }] of attachments.entries()) {
      if (index % 2 === 0) {
        const again = { note_id: note, filename: name, sha256: sha256Of(bytes) }
        const known = await given("POST", "/attachments/uploads", again)
        expect([known.status, known.upload_url]).toEqual(["ready", null])
        expect((await files.call("GET", known.url)).bytes.equals(bytes)).toBe(true)
      } else await files.make(note, bytes, { filename: name })
    }
    expect(kept()).toEqual([...contents].toSorted())
    const all = attachments.reduce((sum, { bytes }) => sum + bytes.length, 0)
    expect((await given("GET", "/usage")).storage_bytes).toBe(before + all)
    await expectTruth(app)
  })
})
