import { beforeAll, describe, expect, it } from "vitest"
import { Files, someBytes } from "../../support/Files.ts"
import { useApp } from "../../support/useApp.ts"

const { app, given } = useApp()
const files = new Files(app)

let inbox: string
beforeAll(async () => {
  inbox = (await given("GET", "/notebooks")).data[0].id
})

const newNote = async (body: string, title = "A note"): Promise<string> =>
  (await given("POST", "/notes", { notebook_id: inbox, title, body })).id

const html = async (body: string): Promise<string> =>
  (await given("GET", `/notes/${await newNote(body)}/rendered`)).html

describe("GET /notes/{id}/rendered", () => {
  it("returns the note as safe HTML with links to other notes, line breaks, and without front matter and comments", async () => {
    const id = await newNote(
      "---\nlang: de\nkey: hidden\n---\n# A note\n\nOne\n[[Two]] %%hidden%%<script>hidden</script>"
    )
    expect(await given("GET", `/notes/${id}/rendered`)).toEqual({
      id,
      version: 1,
      html: '<p>One<br>\n<a href="#missing:Two">Two</a> </p>',
      lang: "de",
      is_plain: false
    })
    expect(await html("a & b")).toBe("<p>a &#x26; b</p>")
  })

  it("has links that lead to notes by id, title, path, alias and place, whatever their case", async () => {
    const [outer, inner] = [
      (await given("POST", "/notebooks", { name: "Trips" })).id,
      (await given("POST", "/notebooks", { name: "Österreich" })).id
    ]
    await given("POST", `/notebooks/${inner}/move`, { parent_id: outer })
    const note = async (title: string, notebook_id = inbox, body = ""): Promise<string> =>
      (await given("POST", "/notes", { notebook_id, title, body })).id
    const linksOf = async (body: string, notebook_id = inbox): Promise<ReadonlyArray<string>> => {
      const { html } = await given("GET", `/notes/${await note("Links", notebook_id, body)}/rendered`)
      return [...html.matchAll(/<a href="([^"]+)"/g)].map(([, href]) => href)
    }
    const evergreen = await note("Evergreen Ö")
    const nested = await note("Same", inner, "---\naliases: [Wien, 'The Capital']\n---\n# Heading\n\ntext ^block")
    const top = await note("Same", inbox)
    const sharp = await note("C# and F#")

    expect(await linksOf("[[evergreen ö]] [[EVERGREEN Ö|x]] ![[Evergreen Ö]] [x](Evergreen%20%C3%96.md)")).toEqual(
      Array.from({ length: 4 }, () => `#note:${evergreen}`)
    )
    expect(await linksOf("[[Same]] [[Österreich/Same]] [[trips/österreich/same.md]] [[Other/Same]]")).toEqual([
      "#ambiguous:Same",
      `#note:${nested}`,
      `#note:${nested}`,
      "#missing:Other%2FSame"
    ])
    expect(await linksOf("[[Same]] [x](../Same.md) [x](../../Evergreen%20%C3%96.md)", inner)).toEqual([
      "#ambiguous:Same",
      "#missing:..%2FSame.md",
      `#note:${evergreen}`
    ])
    expect(await linksOf("[[wien#Heading]] [[the capital#^block]] [[C# and F#]] [[c# and f##x y]]")).toEqual([
      `#note:${nested}#h-heading`,
      `#note:${nested}#b-block`,
      `#note:${sharp}`,
      `#note:${sharp}#h-x-y`
    ])
    expect(await linksOf(`[x](note:${nested}#Heading) [y](note:${sharp}) [z](note:nt_0000000000000000)`)).toEqual([
      `#note:${nested}#h-heading`,
      `#note:${sharp}`,
      "#missing:nt_0000000000000000"
    ])

    // A note in the trash, and a name that its note has no more, are not found.
    await given("DELETE", `/notes/${evergreen}`)
    await given("PATCH", `/notes/${nested}`, { body: "---\nalias: Vienna\n---" })
    expect(await linksOf("[[Evergreen Ö]] [[Wien]] [[Vienna]]")).toEqual([
      "#missing:Evergreen%20%C3%96",
      "#missing:Wien",
      `#note:${nested}`
    ])
    await given("POST", `/notes/${nested}/archive`)
    await given("PATCH", `/notes/${top}`, { pinned: true })
    expect(await linksOf("[[Vienna]] [[inbox/same]]")).toEqual([`#note:${nested}`, `#note:${top}`])
  })

  it("has addresses of the note's files that need no credential, for 15 minutes", async () => {
    const id = await newNote("![[photo.png]] [[report.pdf]] ![x](attachment:at_0000000000000000)")
    const bytes = someBytes()
    await files.make(id, bytes, { filename: "photo.png" })
    await files.make(id, bytes, { filename: "report.pdf" })
    const { html } = await given("GET", `/notes/${id}/rendered`)
    const urls = [...html.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, url]) => url.replaceAll("&amp;", "&"))
    expect(urls).toHaveLength(2)
    for (const url of urls) {
      expect(url).toMatch(/^http:\/\/sheaf\.test\/files\//)
      expect((await files.call("GET", url)).bytes.equals(bytes)).toBe(true)
    }
    expect(html).toContain('title="Not a file of this note"')
    await app.advance("15 minutes")
    expect((await files.call("GET", urls[0])).status).toBe(403)
  })

  it("has an ETag that changes with the note, its files and their addresses", async () => {
    const id = await newNote("![[photo.png]]")
    const path = `/notes/${id}/rendered`
    const tag = async () => (await app.call("GET", path)).headers.get("etag")!
    const first = await tag()
    expect((await app.call("GET", path, undefined, { "if-none-match": first })).status).toBe(304)
    await files.make(id, someBytes(), { filename: "photo.png" })
    const second = await tag()
    expect((await app.call("GET", path, undefined, { "if-none-match": second })).status).toBe(304)
    await app.advance("5 minutes")
    const third = await tag()
    await given("PATCH", `/notes/${id}`, { body: "![[photo.png]] more" })
    const fourth = await tag()
    expect(new Set([first, second, third, fourth]).size).toBe(4)
  })

  it("has an ETag that changes when a note to which it links is made or deleted", async () => {
    const id = await newNote("[[Made later]]")
    const tag = async () => (await app.call("GET", `/notes/${id}/rendered`)).headers.get("etag")!
    const first = await tag()
    expect(await tag()).toBe(first)
    const other = await newNote("", "Made later")
    const second = await tag()
    await given("DELETE", `/notes/${other}`)
    expect([second === first, await tag()]).toEqual([false, first])
  })

  it("returns the whole plain text of a note that is too expensive to render", async () => {
    const body = "%%kept%% <b>\n" + ">".repeat(50_000)
    const shown = await given("GET", `/notes/${await newNote(body)}/rendered`)
    expect(shown).toMatchObject({ is_plain: true, lang: null })
    expect(shown.html).toMatch(/^<pre class="plain" tabindex="0">%%kept%% &lt;b&gt;\n&gt;/)
  })

  it("returns 404 for a note in the trash", async () => {
    const id = await newNote("text")
    await given("DELETE", `/notes/${id}`)
    expect((await app.call("GET", `/notes/${id}/rendered`)).status).toBe(404)
  })
})

describe("GET /notes/linked", () => {
  it("finds the note to which a link of a notebook leads, as in the rendered note", async () => {
    const other = (await given("POST", "/notebooks", { name: "Other" })).id
    const make = async (notebook_id: string): Promise<string> =>
      (await given("POST", "/notes", { notebook_id, title: "Twin", body: "---\naliases: [Zwilling]\n---" })).id
    const [here, there] = [await make(inbox), await make(other)]
    const linked = (target: string, notebook_id = inbox) =>
      given("GET", `/notes/linked?${new URLSearchParams({ target, notebook_id })}`)
    expect(await linked("inbox/twin")).toEqual({ id: here, anchor: "" })
    expect(await linked("../other/ZWILLING#A b", other)).toEqual({ id: there, anchor: "h-a-b" })
    expect((await app.call("GET", "/notes/linked?target=Twin")).status).toBe(404)
    expect(await linked("other/twin#^x")).toEqual({ id: there, anchor: "b-x" })
    expect(await linked(`${there}#A b`)).toEqual({ id: there, anchor: "h-a-b" })
    expect(await given("GET", "/notes/linked?target=Other/Zwilling")).toEqual({ id: there, anchor: "" })
    await given("DELETE", `/notes/${there}`)
    for (const target of ["Other/Twin", there, "Nowhere"]) {
      const { body, status } = await app.call("GET", `/notes/linked?target=${target}`)
      expect([status, body.code]).toEqual([404, "not_found"])
    }
    for (const query of ["", "?target=", `?target=${"a".repeat(2_001)}`]) {
      const { body, status } = await app.call("GET", `/notes/linked${query}`)
      expect([status, body.code]).toEqual([400, "invalid_parameter"])
    }
  })
})
