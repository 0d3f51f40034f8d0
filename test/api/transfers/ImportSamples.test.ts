import { readdirSync, readFileSync, statSync } from "node:fs"
import { basename, join } from "node:path"
import { createHash } from "node:crypto"
import { describe, expect, it } from "vitest"
import { Files } from "../../support/Files.ts"
import { Importing } from "../../support/Importing.ts"
import { sampled } from "../../support/Slow.ts"
import { Team } from "../../support/people/Team.ts"
import { expectTruth } from "../../support/people/Truth.ts"
import { useApp } from "../../support/useApp.ts"
import { hostileArchives } from "../../services/transfers/HostileArchives.ts"
import { hasSamples, samples, withSamples } from "../../services/transfers/Reading.ts"

const { app } = useApp()

const start = async () => new Importing(await Team.start(app))
const bytesOf = (...path: ReadonlyArray<string>) => readFileSync(join(samples, ...path))
const expectedIn = (...path: ReadonlyArray<string>) => JSON.parse(bytesOf(...path).toString())

const md5 = (bytes: Buffer) => createHash("md5").update(bytes).digest("hex")
const compact = (time: string) => time.replaceAll(/[-:]|\.\d+/g, "")

/** Times after the current time of the test's clock are not imported. */
const passed = (times: ReadonlyArray<string>) => times.filter((time) => time < "20260301T120000Z")

/** Returns the names of all files in a folder. */
const filesIn = (...path: ReadonlyArray<string>) =>
  readdirSync(join(samples, ...path)).filter((name) => statSync(join(samples, ...path, name)).isFile())

describe.skipIf(!hasSamples)(`imports of sample files${withSamples}`, () => {
  it("of Evernote contain all notes, files by hash, tags and times", async () => {
    const own = await start()
    const files = new Files(app)
    const left = sampled(Object.entries<any>(expectedIn("enex", "expected.json")), 3).values()
    const some = async () => {
      for (const [name, want] of left) await sample(name, want)
    }
    const sample = async (name: string, want: any) => {
      const { id: notebook_id } = await own.team.post("/notebooks", { name: "Here" })
      const done = await own.all("enex", basename(name), bytesOf("enex", name.slice("open/".length)), { notebook_id })
      expect({ name, status: done.status, imported: done.imported }).toEqual({
        name,
        status: "done",
        imported: want.notes
      })
      const notes = await app.sql("SELECT * FROM notes WHERE workspace_id = $1 AND notebook_id = $2", [
        own.team.id,
        notebook_id
      ])
      const hashes: Array<string> = []
      for (const { filename, id } of await own.attached(notebook_id)) {
        const { url } = await own.team.get(`/attachments/${id}`)
        const { bytes } = await files.call("GET", url)
        // Images embedded in the text as data become files that the export does not count.
        if (!filename.startsWith("embedded")) hashes.push(`${md5(bytes)} ${bytes.length}`)
      }
      const imported = (time: string) => time > "2026-03-01"
      expect({
        name,
        titles: notes.map(({ title }) => title).toSorted(),
        tags: [...new Set(notes.flatMap(({ tags }) => tags.map((tag: string) => tag.toLowerCase())))].toSorted(),
        created: notes.flatMap(({ created_at }) => (imported(created_at) ? [] : compact(created_at))).toSorted(),
        updated: notes.flatMap(({ updated_at }) => (imported(updated_at) ? [] : compact(updated_at))).toSorted(),
        files: hashes.toSorted()
      }).toEqual({
        name,
        titles: (want.titles.length === 0
          ? Array.from({ length: want.notes }, () => "Untitled")
          : want.titles.map((title: string) => [...title.trim()].slice(0, 200).join("").trim())
        ).toSorted(),
        tags: [...new Set(want.tags.map((tag: string) => tag.replaceAll(" ", "-").toLowerCase()))].toSorted(),
        created: passed(want.created).toSorted(),
        // A note without an update time keeps its creation time.
        updated: passed(want.updated.length === 0 ? want.created : want.updated).toSorted(),
        files: want.resource_md5_len.map(([hash, length]: [string, number]) => `${hash} ${length}`).toSorted()
      })
    }
    // A workspace runs at most two imports at a time.
    await Promise.all([some(), some()])
    await expectTruth(app, own.team.id)
    await own.leftNothing()
  })

  it("of Notion contain all pages, databases and files", async () => {
    for (const [name, want] of sampled(Object.entries<any>(expectedIn("notion", "expected.json")), 2)) {
      // Its compression is one that Notion never uses; the import fails with an error.
      const isOdd = name === "cobertos-zip_complex.zip"
      const own = await start()
      const done = await own.all("notion", name, bytesOf("notion", name))
      const databases = new Set(want.csv.map(({ file }: any) => file.replace(/_all\.csv$/, ".csv")))
      const notes = isOdd ? 0 : want.pages_md + want.pages_html + databases.size
      const status = isOdd ? "failed" : "done"
      expect({ name, status: done.status, imported: done.imported }).toEqual({ name, status, imported: notes })
      expect(await own.attached()).toHaveLength(want.attachments.length)
      await own.leftNothing()
    }
  })
})

const codesOf = ({ errors }: any): ReadonlyArray<string> => errors.map(({ code }: any) => code)

/** The status, the number of notes and the codes of errors of an import of each malformed or malicious Evernote file. */
const malformed: Readonly<Record<string, readonly [string, number, ReadonlyArray<string>]>> = {
  "billion-laughs.enex": ["done", 1, ["not_well_formed"]],
  "control-chars.enex": ["done", 1, ["text_repaired"]],
  "duplicate-titles-and-dates.enex": ["done", 3, []],
  "external-dtd.enex": ["done", 1, []],
  "invalid-utf8-bytes.enex": ["done", 2, ["text_repaired"]],
  "iso-8859-1-declared.enex": ["done", 1, []],
  "missing-media.enex": ["done", 1, ["missing_file"]],
  "nested-lists-todos.enex": ["done", 1, []],
  "truncated.enex": ["done", 1, ["truncated"]],
  "unreferenced-resource.enex": ["done", 1, []],
  "utf16le-bom.enex": ["done", 1, []],
  "utf8-bom.enex": ["done", 1, []],
  "xxe-file.enex": ["done", 1, ["not_well_formed"]],
  "xxe-http.enex": ["done", 1, ["not_well_formed"]]
}

describe.skipIf(!hasSamples)(`imports of malicious files${withSamples}`, () => {
  it.each([...sampled(hostileArchives, 2), ["bomb-nested.zip", 1, ["unused_files"]] as const])(
    "%s: imports %i notes and reports the errors",
    async (name, count, codes) => {
      const own = await start()
      const done = await own.all("markdown", name, bytesOf("markdown", "hostile-zips", name))
      expect({ imported: done.imported, codes: codesOf(done) }).toEqual({ imported: count, codes })
      expect(done.status).toBe(count > 0 || codes.length === 0 ? "done" : "failed")
      expect(JSON.stringify(await own.notes())).not.toContain("root:")
      expect(readdirSync(app.dataDir).toSorted()).toEqual(
        ["files", "imports", "outbox"].filter((each) => readdirSync(app.dataDir).includes(each))
      )
      await own.leftNothing()
    }
  )

  it("rejects a bomb inside a ZIP of Notion", async () => {
    const own = await start()
    const done = await own.all("notion", "bomb-nested.zip", bytesOf("markdown", "hostile-zips", "bomb-nested.zip"))
    expect({ status: done.status, codes: [...new Set(codesOf(done))] }).toEqual({
      status: "failed",
      codes: ["suspicious_ratio"]
    })
  })

  it("reports an error for each malformed or malicious Evernote file", async () => {
    const own = await start()
    const seen: Record<string, unknown> = {}
    const all = [
      ...filesIn("enex", "made").map((name) => ["enex", "made", name]),
      ...filesIn("badinput", "enex-xml-attacks").map((name) => ["badinput", "enex-xml-attacks", name])
    ].filter((path) => path.at(-1)!.endsWith(".enex"))
    for (const path of sampled(all, 3)) {
      const done = await own.all("enex", path.at(-1)!, bytesOf(...path))
      seen[path.at(-1)!] = [done.status, done.imported, codesOf(done)]
    }
    expect(seen).toEqual(Object.fromEntries(Object.keys(seen).map((name) => [name, malformed[name]])))
    const notes = JSON.stringify(await own.notes())
    expect(notes).not.toContain("root:")
    expect(notes.length).toBeLessThan(30_000)
    await expectTruth(app, own.team.id)
    await own.leftNothing()
  })
})
