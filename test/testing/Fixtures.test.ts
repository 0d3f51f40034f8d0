import * as fc from "fast-check"
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, describe, expect, inject, it } from "vitest"
import { Disguise } from "../../src/program/testing/fixtures/Disguise.ts"
import { makeFixture } from "../../src/program/testing/fixtures/FixtureFile.ts"
import { Sheaf } from "../../src/program/testing/Sheaf.ts"
import { given } from "./KitClient.ts"

const postgres = inject("postgres")
const folder = mkdtempSync(join(tmpdir(), "sheaf-fixtures-"))
afterAll(() => rmSync(folder, { recursive: true }))

describe("the words of a fixture", () => {
  it("leave no word of three letters or more, and keep structure", () => {
    const disguise = new Disguise()
    const text = [
      "---",
      "aliases: [Anna Huber, 'Chef']",
      "due: 2026-03-01",
      "---",
      "# Treffen mit Anna Huber",
      "- [x] Call **Anna** at +43 660 1234567 due:2026-04-02",
      "1. See [the plan](note:nt_0VCcGn8izFQowFYFAP9Ebx#Huber) and [[Anna Huber|her]] #Projekt/Geheim",
      "> [!warning] ÄRGER mit Müller",
      "```js",
      "const anna = 'Иван Петров 東京'",
      "```",
      '<details class="x"><summary>Löhne &amp; Preise</summary></details> https://huber.example/plan?id=77 anna@huber.example'
    ].join("\n")
    const other = disguise.text(text)
    for (const word of [
      "anna",
      "huber",
      "chef",
      "treffen",
      "projekt",
      "geheim",
      "müller",
      "иван",
      "東京",
      "löhne",
      "1234567"
    ])
      expect(other.toLowerCase()).not.toContain(word)
    const [name] = /(?<=\[\[).*?(?=\|)/.exec(other)!
    for (const kept of [
      "aliases: [",
      "due: 2026-03-01",
      "- [x] ",
      "due:2026-04-02",
      "\n1. ",
      "(note:nt_0VCcGn8izFQowFYFAP9Ebx#",
      "\n> [!warning] ",
      "\n```js\n",
      '<details class="x"><summary>',
      " &amp; ",
      " https://",
      `aliases: [${name}, '`
    ])
      expect(other).toContain(kept)
    expect(disguise.text("Anna Huber")).toBe(name)
    expect(disguise.text("ANNA anna")).toBe(
      `${name!.split(" ")[0]!.toUpperCase()} ${name!.split(" ")[0]!.toLowerCase()}`
    )
    expect(disguise.fileName("Anna Huber.final.PDF")).toMatch(new RegExp(`^${name}\\.\\w{5}\\.PDF$`))
  })

  it("are the same for the same word, and different for different ones", () => {
    const word = fc.string({ unit: fc.constantFrom(..."abcdeäöñпрд東京語"), minLength: 3, maxLength: 6 })
    fc.assert(
      fc.property(
        fc.uniqueArray(word, { minLength: 2, maxLength: 200, selector: (each) => each.normalize() }),
        (words) => {
          const disguise = new Disguise()
          const others = words.map((each) => disguise.text(each))
          expect(new Set(others).size).toBe(words.length)
          expect(words.map((each) => disguise.text(each))).toEqual(others)
        }
      ),
      { numRuns: 30 }
    )
  })
})

describe("a fixture", () => {
  it("of an export has its records, links, history and files, and none of its words", async () => {
    const [made, source] = [join(folder, "made.zip"), join(folder, "source.zip")]
    {
      await using sheaf = await Sheaf.start({ postgres })
      const { client } = sheaf
      const notebook = await client.createNotebook({ name: "Geheimes Projekt" })
      const tag = await client.createTag({ name: "vertraulich" })
      const first = await client.createNote({
        notebook_id: notebook.id,
        title: "Anna Huber",
        tags: [tag.id],
        body: "Draft"
      })
      const upload = await client.createUpload({
        note_id: first.id,
        filename: "Gehälter.png",
        content_type: "image/png"
      })
      await fetch(upload.upload_url!, { method: "PUT", body: "salaries" })
      await client.updateNote({ id: first.id, body: `Sees [[Weekly]] ![Gehalt](attachment:${upload.id})` })
      await client.createNote({ notebook_id: notebook.id, title: "Weekly", body: "Meets [[Anna Huber]]" })
      const { id } = await client.createExport({ format: "json", scope: "workspace", include_attachments: true })
      await sheaf.idle()
      const { download_url } = await client.getExport({ id })
      writeFileSync(source, Buffer.from(await (await fetch(download_url!)).arrayBuffer()))
      await using empty = await Sheaf.start({ postgres })
      await makeFixture(empty, source, made)
      await using third = await Sheaf.start({ postgres })
      await expect(makeFixture(third, source, made)).rejects.toThrow("EEXIST")
    }
    const [one, two] = await Promise.all([0, 1].map(() => Sheaf.start({ postgres, fixture: made })))
    try {
      for (const sheaf of [one!, two!]) {
        const notes: ReadonlyArray<any> = (await given(sheaf, "GET", "/notes?sort=created_at&include=body")).data
        const all = JSON.stringify([
          notes,
          (await given(sheaf, "GET", "/notebooks")).data,
          (await given(sheaf, "GET", "/tags")).data
        ])
        expect(all.toLowerCase()).not.toMatch(/anna|huber|weekly|geheim|vertraulich|gehalt|meets|draft/)
        expect(notes).toHaveLength(2)
        const { id } = notes.find(({ tags }) => tags.length > 0)
        const links = (await given(sheaf, "GET", `/notes/${id}/links?direction=in`)).data
        expect(links).toHaveLength(1)
        const versions = (await given(sheaf, "GET", `/notes/${id}/versions`)).data
        expect(versions).toHaveLength(2)
        const [file] = (await given(sheaf, "GET", `/attachments?filter=${encodeURIComponent(`note_id = "${id}"`)}`))
          .data
        expect([file.content_type, file.filename]).toEqual(["image/png", expect.stringMatching(/^(?!Geh).{8}\.png$/)])
        const bytes = Buffer.from(await (await fetch(file.url)).arrayBuffer())
        expect(bytes.subarray(1, 4).toString()).toBe("PNG")
      }
      // Each has data of its own.
      await given(one!, "DELETE", `/notes/${(await given(one!, "GET", "/notes")).data[0].id}`)
      expect((await given(two!, "GET", "/notes")).data).toHaveLength(2)
    } finally {
      await one!.stop()
      await two!.stop()
    }
  })

  it("that cannot be read stops the start, and leaves nothing", async () => {
    const wrong = join(folder, "wrong.zip")
    writeFileSync(wrong, "PK\x03\x04 nothing")
    await expect(Sheaf.start({ postgres, fixture: wrong })).rejects.toThrow(
      /^Sheaf cannot start: .*wrong\.zip cannot be imported/
    )
    await expect(Sheaf.start({ postgres, fixture: join(folder, "none.zip") })).rejects.toThrow("ENOENT")
  })

  const vault = join(import.meta.dirname, "../../../shared/data/markdown/obsidian-sandbox.zip")
  it.skipIf(!existsSync(vault))(
    "of a vault keeps its links (skipped without the vaults of ../shared/data)",
    async () => {
      const made = join(folder, "vault.zip")
      const counts: Array<unknown> = []
      await using plain = await Sheaf.start({ postgres, fixture: vault })
      await using empty = await Sheaf.start({ postgres })
      await makeFixture(empty, vault, made)
      await using disguised = await Sheaf.start({ postgres, fixture: made })
      for (const sheaf of [plain, disguised]) {
        const { data } = await given(sheaf, "GET", "/links?limit=100")
        const broken = (await given(sheaf, "GET", `/links?limit=100&filter=${encodeURIComponent("broken = true")}`))
          .data
        counts.push([(await given(sheaf, "GET", "/notes?limit=100")).data.length, data.length, broken.length])
      }
      expect(counts[1]).toEqual(counts[0])
      expect(readFileSync(made).includes("Obsidian")).toBe(false)
    }
  )
})
