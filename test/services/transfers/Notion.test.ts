import { readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { limits } from "../../../services/transfers/formats/Item.ts"
import { fileId, fileOf, hasSamples, noteId, readAll, reported, samples, withSamples } from "./Reading.ts"
import { zipOf } from "./Zip.ts"

const packed = (files: Readonly<Record<string, string | Uint8Array>>) =>
  zipOf(Object.entries(files).map(([name, content]) => ({ name, content })))
const reading = (files: Readonly<Record<string, string | Uint8Array>>, options = {}) =>
  readAll(fileOf("Export.zip", packed(files)), "notion", options)

const id = (digit: string) => digit.repeat(32)
const root = "Export-950ad927-7171-4abf-9001-821e5310d286"
const html = (title: string, body: string, header = "") =>
  `<html><head><title>${title}</title><style>p{}</style></head><body><article class="page sans"><header>${header}<h1 class="page-title">${title}</h1><p class="page-description"></p></header><div class="page-body">${body}</div></article></body></html>`
const formula = (tex: string) => `<span class="katex"><math><annotation>${tex}</annotation></math></span>`
const bodyOf = async (body: string) => (await reading({ "Page.html": html("Page", body) })).notes[0]?.body

describe("a Notion export", () => {
  it("converts nested pages to notes in notebooks, without ids, and resolves links between them", async () => {
    const [top, child] = [`${root}/Top ${id("a")}.md`, `${root}/Top ${id("a")}/Child ${id("b")}.md`]
    const got = await reading({
      [`${root}/index.html`]: "<html></html>",
      [top]: `# Top: with a title\n\n[Child](Top%20${id("a")}/Child%20${id("b")}.md) ![i](Top%20${id("a")}/i.png)\n`,
      [child]: `# Child\n\n[Up](../Top%20${id("a")}.md) #notag`,
      [`${root}/Top ${id("a")}/i.png`]: "i"
    })
    expect(got.notes).toMatchObject([
      {
        key: top,
        notebook: [],
        title: "Top: with a title",
        body: `[Child](note:${noteId(child)}) ![i](attachment:${fileId(`${top}///${root}/Top ${id("a")}/i.png`)})\n`
      },
      { key: child, notebook: ["Top"], title: "Child", body: `[Up](note:${noteId(top)}) #notag`, tags: [] }
    ])
    expect(got.files).toMatchObject([{ filename: "i.png", path: `Top ${id("a")}/i.png` }])
    expect(got.problems).toEqual([])
  })

  it("may consist of parts, which are archives in it", async () => {
    const part = packed({ [`Page ${id("a")}.md`]: "# Page\n\n![](i.png)" })
    const other = packed({ "i.png": "bytes" })
    const got = await reading({ "Export-1-Part-1.zip": part, "Export-1-Part-2.zip": packed({ "Export-x.zip": other }) })
    expect(got.notes.map(({ title }) => title)).toEqual(["Page"])
    expect(got.files.map(({ bytes }) => bytes.toString())).toEqual(["bytes"])
  })

  it("counts the unpacked bytes of all parts together", async () => {
    const part = packed({ "a.md": "x".repeat(600) })
    const less = { limits: { ...limits, unpackedBytes: 1_000 + 2 * part.length } }
    const got = await reading({ "Part-1.zip": part, "Part-2.zip": part }, less)
    expect(got.problems).toMatchObject([{ code: "too_large", isFatal: true }])
  })

  it("is read without a damaged part", async () => {
    const part = packed({ "a.md": "# A" })
    const got = await reading({ "Part-1.zip": part.subarray(0, 30), "Part-2.zip": part })
    expect(got.notes.map(({ title }) => title)).toEqual(["A"])
    expect(reported(got)).toEqual(["Part-1.zip: not_readable"])
  })

  it("converts databases to tables, and their rows to notes with properties", async () => {
    const [csv, row] = [`Tasks ${id("c")}.csv`, `Tasks/Do it now ${id("d")}.md`]
    const got = await reading({
      [csv]: "\ufeffName,Done\n",
      [`Tasks ${id("c")}_all.csv`]: `\ufeffName,Notes,Tags,Created,Project\nDo it: now!,"a|b\nc",x,"March 1, 2024 3:04 PM",P (../P%20${id("e")}.md)\nNo page,,,,\n`,
      [row]: `# Do it: now!\n\nNotes: a: b\nTags: x, y z\nCreated: March 1, 2024 3:04 PM\nProject: P (../P%20${id("e")}.md)\n\nText: here\n`,
      [`P ${id("e")}.md`]: "# P\n"
    })
    const project = `note:${noteId(`P ${id("e")}.md`)}`
    expect(got.note("Tasks").body).toBe(
      `| Name | Notes | Tags | Created | Project |\n| - | - | - | - | - |\n| [Do it: now!](note:${noteId(row)}) | a\\|b<br>c | x | March 1, 2024 3:04 PM | [P](${project}) |\n| No page |  |  |  |  |\n`
    )
    expect(got.note("Do it: now!")).toMatchObject({
      notebook: ["Tasks"],
      tags: ["x", "y-z"],
      created_at: "2024-03-01T15:04:00.000Z",
      body: `---\nNotes: "a: b"\nProject: "[P](${project})"\n---\nText: here\n`
    })
    expect(got.notes).toHaveLength(3)
    expect(got.problems).toEqual([])
  })

  it("links files of properties, and puts other files into notebooks without ids", async () => {
    const [csv, row, folder] = [`T ${id("c")}.csv`, `T/Row 1 ${id("d")}.md`, `Row 1 ${id("d")}`]
    const files = `${encodeURIComponent(folder)}/f.pdf, ${encodeURIComponent(folder)}/g%20(h).png`
    const got = await reading({
      [csv]: `Name,Files,Site\nRow 1,"${files}",no/file.txt\n`,
      [row]: `# Row 1\n\nFiles: ${files}\nSite: no/file.txt\n\nx\n`,
      [`T/${folder}/f.pdf`]: "f",
      [`T/${folder}/g (h).png`]: "g",
      [`T/${folder}/unused.bin`]: "u"
    })
    const file = (note: string, name: string) => `attachment:${fileId(`${note}///T/${folder}/${name}`)}`
    expect(got.note("Row 1").body).toBe(
      `---\nFiles: "[f.pdf](${file(row, "f.pdf")}), [g (h).png](${file(row, "g (h).png")})"\nSite: "no/file.txt"\n---\nx\n`
    )
    expect(got.note("T").body).toContain(
      `| [f.pdf](${file(csv, "f.pdf")}), [g (h).png](${file(csv, "g (h).png")}) | no/file.txt |`
    )
    expect(got.note("Files").notebook).toEqual(["T", "Row 1"])
    expect(got.problems.map(({ code }) => code)).toEqual(["unused_files"])
  })

  it("reads properties of pages in HTML", async () => {
    const row = (kind: string, name: string, value: string) =>
      `<tr class="property-row property-row-${kind}"><th><span class="icon property-icon"></span>${name}</th><td>${value}</td></tr>`
    const header = `<div class="page-header-icon"><span class="icon">🎉</span></div><table class="properties"><tbody>${
      row("text", "Notes", "a: b") +
      row(
        "multi_select",
        "Tags",
        '<span class="selected-value">home office</span><span class="selected-value">coffee</span>'
      ) +
      row("multi_select", "Kinds", '<span class="selected-value">k</span><span class="selected-value">l</span>') +
      row("checkbox", "Sold", '<div class="checkbox checkbox-off"></div>') +
      row("date", "Bought", "<time>@March 1, 2024</time>") +
      row("created_time", "Made", "<time>@March 1, 2024 3:04 AM</time>") +
      row("relation", "Other", '<a href="Other.html">Other</a>') +
      row("text", "Empty", "")
    }</tbody></table>`
    const got = await reading({ "Page.html": html("Page", "<p>x</p>", header), "Other.html": html("Other", "") })
    expect(got.note("Page")).toMatchObject({
      tags: ["home-office", "coffee"],
      created_at: "2024-03-01T03:04:00.000Z",
      body: `---\nicon: 🎉\nNotes: "a: b"\nKinds:\n  - k\n  - l\nSold: false\nBought: March 1, 2024\nOther: "[Other](note:${noteId("Other.html")})"\n---\nx\n`
    })
  })

  it.each([
    ["in the future", "March 1, 2031", "March 1, 2031"],
    ["that is a range", "March 1, 2024 → March 5, 2024", "March 1, 2024 → March 5, 2024"],
    ["that is a range within a year", "March 1 → March 5, 2024", "March 1 → March 5, 2024"],
    ["on a day that does not exist", "February 31, 2024", "February 31, 2024"],
    ["in an invalid month", "2024/13/01", "2024/13/01"]
  ])("keeps a time %s as a property, and reports it", async (_, date, kept) => {
    const row = `<tr class="property-row property-row-date"><th>Created</th><td><time>@${date}</time></td></tr>`
    const page = html("Page", "<p>x</p>", `<table class="properties"><tbody>${row}</tbody></table>`)
    const csv = `Name,Created\nRow,"${date}"\n`
    const got = await reading({ "Page.html": page, "D.csv": csv, "D/Row.md": `# Row\n\nCreated: ${date}\n\nx\n` })
    const fileTime = "2020-05-04T03:02:00.000Z"
    for (const title of ["Page", "Row"]) {
      expect(got.note(title)).toMatchObject({ body: `---\nCreated: ${kept}\n---\nx\n`, updated_at: fileTime })
    }
    expect(reported(got).toSorted()).toEqual(["D/Row.md: date_not_read", "Page.html: date_not_read"])
  })

  it("restores names of files that are percent-encoded in the archive", async () => {
    const got = await reading({ "P.html": html("P", '<a href="%25C3%25BC.png">ü.png</a>'), "%C3%BC.png": "i" })
    expect(got.files.map(({ filename }) => filename)).toEqual(["ü.png"])
    expect(got.problems).toEqual([])
  })
})

describe("the text of a Notion page", () => {
  it.each([
    [
      "lists whose items are lists",
      '<ul class="bulleted-list"><li>a<ul class="bulleted-list"><li>b</li></ul></li></ul><ul class="bulleted-list"><li>c</li></ul>',
      "- a\n  - b\n- c\n"
    ],
    [
      "to-dos",
      '<ul class="to-do-list"><li><div class="checkbox checkbox-on"></div> <span class="to-do-children-checked">a</span></li></ul><ul class="to-do-list"><li><div class="checkbox checkbox-off"></div> <span>b</span></li></ul>',
      "- [x] a\n- [ ] b\n"
    ],
    [
      "callouts with their icons",
      '<figure class="callout"><div style="font-size:1.5em"><span class="icon">💡</span></div><div><p>Title</p><p>text</p></div></figure>',
      "> [!note] 💡 Title\n>\n> text\n"
    ],
    [
      "toggles",
      '<ul class="toggle"><li><details open=""><summary>a</summary><p>b</p></details></li></ul>',
      "<details><summary>a</summary>\n\nb\n\n</details>\n"
    ],
    [
      "toggles that are headings",
      '<details open=""><summary style="font-weight:600;font-size:1.5em">a</summary><div class="indented"><p>b</p></div></details>',
      "## a\n\nb\n"
    ],
    [
      "equations",
      '<p>a <span class="katex"><span class="katex-mathml"><math><semantics><annotation encoding="application/x-tex">x_1</annotation></semantics></math></span><span class="katex-html">x1</span></span></p><figure class="equation"><div><span class="katex"><math><annotation>a\n\\\\b</annotation></math></span></div></figure>',
      "a $x_1$\n\n$$\na\n\\\\b\n$$\n"
    ],
    [
      "equations in quotes, lists and cells",
      `<blockquote>quote<figure class="equation">${formula("a\nb")}</figure></blockquote><ul class="bulleted-list"><li>c<figure class="equation">${formula("d")}</figure></li></ul><table class="simple-table"><tr><td>h<figure class="equation">${formula("|i|\n\\|j\\|")}</figure></td><td><strong>${formula("k|l")}</strong></td></tr></table>`,
      "> quote\n>\n> $$\n> a\n> b\n> $$\n\n- c\n\n  $$\n  d\n  $$\n\n| | |\n| - | - |\n| h<br>$\\|i\\| \\Vert j\\Vert$ | **$k\\|l$** |\n"
    ],
    [
      "equations whole, whatever their lines and spaces",
      `<p>${["h(x)\\ ", "\\ ", "b\\\\ ", "a % said\n\n\n=\\%b"].map(formula).join("\ufeff, ")}\ufeff</p><figure class="equation">${formula("a %\n\n b\\ \n")}</figure>`,
      "$h(x)$, , $b\\\\$, $a =\\%b$\n\n$$\na %\n b\n$$\n"
    ],
    ["code", '<pre class="code"><code class="language-Python">a\n  b</code></pre>', "```python\na\n  b\n```\n"],
    [
      "bookmarks",
      '<figure><a href="https://x.org" class="bookmark source"><div class="bookmark-info"><div class="bookmark-text"><div class="bookmark-title">T</div><div class="bookmark-description">D</div></div></div></a></figure>',
      "[T](https://x.org)\n\nD\n"
    ],
    [
      "columns",
      '<div class="column-list"><div class="column"><p>a</p></div><div class="column"><p>b</p></div></div>',
      "a\n\nb\n"
    ],
    [
      "highlights, but not colours",
      '<p><mark class="highlight-red">a</mark> <mark class="highlight-yellow_background">b</mark></p>',
      "a <mark>b</mark>\n"
    ],
    [
      "tables",
      "<table class='simple-table'><thead><tr><th>a</th><th>b</th></tr></thead><tbody><tr><td>1</td><td><div class='checkbox checkbox-on'></div></td></tr></tbody></table>",
      "| a | b |\n| - | - |\n| 1 | ☑ |\n"
    ],
    [
      "contents that lead to headings",
      '<nav class="table_of_contents"><div><a class="table_of_contents-link" href="#h">A b</a></div></nav><h1 id="h">A b</h1>',
      "- [A b](#A%20b)\n\n# A b\n"
    ],
    [
      "contents that lead to toggle headings",
      '<nav class="table_of_contents"><div><a class="table_of_contents-link" href="#h">A b</a></div></nav><details><summary style="font-size:1.875em">A b</summary></details>',
      "- [A b](#A%20b)\n\n# A b\n"
    ],
    ["thematic breaks at the beginning, which are not front matter", "<hr/><p>a</p><hr/>", "***\n\na\n\n***\n"]
  ])("converts %s", async (_, body, markdown) => {
    expect(await bodyOf(body)).toBe(markdown)
  })

  it("keeps images and their captions", async () => {
    const figure = '<figure class="image"><a href="i.png"><img src="i.png"/></a><figcaption>said</figcaption></figure>'
    const got = await reading({ "P.html": html("P", figure), "i.png": "i" })
    expect(got.notes[0]?.body).toBe(`![](attachment:${fileId("P.html///i.png")})\n\nsaid\n`)
  })

  it("is kept as plain words if it cannot be converted", async () => {
    const got = await reading({ "P.html": html("P", "<p>a &amp; b</p>") }, { convert: () => undefined })
    expect(got.notes.map(({ body, title }) => [title, body.trim()])).toEqual([["P", "P\n\na & b"]])
    expect(reported(got)).toEqual(["P.html: too_complex"])
  })

  it("converts callouts, but not in code", async () => {
    const { notes } = await reading({ "P.md": "# P\n\n<aside>\n💡 a\n\nb\n</aside>\n\n```\n<aside>\n```" })
    expect(notes[0]?.body).toBe("> [!note] 💡 a\n>\n> b\n\n```\n<aside>\n```")
  })
})

interface Expected {
  readonly pages_md: number
  readonly pages_html: number
  readonly csv: ReadonlyArray<{ readonly file: string }>
  readonly attachments: ReadonlyArray<string>
  readonly titles: ReadonlyArray<string>
}

const bare = (title: string) => title.replaceAll(/[^\p{L}\p{N}]/gu, "")

describe.skipIf(!hasSamples)(`real Notion exports${withSamples}`, () => {
  it("yield all pages, databases and files", async () => {
    const expected: Readonly<Record<string, Expected>> = JSON.parse(
      readFileSync(join(samples, "notion", "expected.json"), "utf8")
    )
    for (const [name, want] of Object.entries(expected)) {
      // Notion never uses its compression; another test covers what is reported.
      if (name === "cobertos-zip_complex.zip") continue
      const got = await readAll(join(samples, "notion", name), "notion")
      const databases = new Set(want.csv.map(({ file }) => file.replace(/_all\.csv$/, ".csv")))
      const pages = got.notes.filter(({ original }) => !original.path.endsWith(".csv"))
      const titles = [...new Set(pages.map(({ title }) => bare(title)))]
      expect({
        name,
        pages: pages.length,
        databases: got.notes.length - pages.length,
        files: got.files.length
      }).toEqual({
        name,
        pages: want.pages_md + want.pages_html,
        databases: databases.size,
        files: want.attachments.length
      })
      expect({
        name,
        missing: want.titles.filter((title) => !titles.some((each) => each.startsWith(bare(title))))
      }).toEqual({ name, missing: [] })
    }
  })

  it("report entries with an unsupported compression", async () => {
    const got = await readAll(join(samples, "notion", "cobertos-zip_complex.zip"), "notion")
    expect(got.problems.map(({ code }) => code)).toEqual(Array.from({ length: 4 }, () => "unsupported_compression"))
  })

  it("are not unpacked from parts that are ZIP bombs", async () => {
    const got = await readAll(join(samples, "markdown", "hostile-zips", "bomb-nested.zip"), "notion")
    expect(got.notes).toEqual([])
    expect(new Set(got.problems.map(({ code }) => code))).toEqual(new Set(["suspicious_ratio"]))
  })
})
