import type { Element, Nodes } from "hast"
import rehypeRaw from "rehype-raw"
import { unified } from "unified"
import { describe, expect, it } from "vitest"
import { render } from "../../../services/markdown/Render.ts"
import { htmlOf, markdownOf, type NoteFile } from "../../../services/markdown/Rendered.ts"
import { markupFiles, missing } from "../../support/hostile/Markup.ts"

const image: NoteFile = { id: "at_image", filename: "a b.png", isImage: true }
const document: NoteFile = { id: "at_document", filename: "report.pdf", isImage: false }
const files = [image, document]

const urlOf = (file: string) => `/files/${file}?signature=x`
const made = (body: string, title = "Title") => render({ title, body, files })
const html = (body: string, title?: string) => htmlOf(made(body, title), urlOf)
const img = (alt: string, more = "") =>
  `<img src="${urlOf(image.id)}" alt="${alt}"${more} loading="lazy" decoding="async">`
const file = (text: string) => `<a href="${urlOf(document.id)}">${text}</a>`

const elements = (node: Nodes): ReadonlyArray<Element> =>
  "children" in node
    ? node.children.flatMap((child) => [...(child.type === "element" ? [child] : []), ...elements(child)])
    : []

describe("Markdown becomes HTML", () => {
  it("with tables, task lists, code and footnotes", () => {
    const text = html(
      "| a | b |\n|--|:-:|\n| 1 | 2 |\n\n- [x] done\n- [ ] open\n\n```js\nx < 1\n```\n\nfoot[^1]\n\n[^1]: note"
    )
    expect(text).toContain('<div class="table" tabindex="0"><table>')
    expect(text).toContain('<td align="center">2</td>')
    expect(text).toContain('<input type="checkbox" checked disabled aria-label="done"> done')
    expect(text).toContain('<input type="checkbox" disabled aria-label="to do"> open')
    expect(text).toContain('<pre tabindex="0"><code class="language-js">x &#x3C; 1\n</code></pre>')
    expect(text).toContain('<a href="#user-content-fn-1" aria-describedby="footnote-label" id="user-content-fnref-1">')
    expect(text).toContain('<li id="user-content-fn-1">')
  })

  it("without its front matter, of which the language is known", () => {
    const { description, lang } = made("---\ntags: [a]\nlang: de-AT\n---\nHallo")
    expect([description, lang]).toEqual(["Hallo", "de-AT"])
    expect(html("---\ntags: [a]\n---\nHallo")).toBe("<p>Hallo</p>")
    expect(html("Hallo\n\n---\n\nWelt")).toContain("<hr>")
    expect(made('---\nlang: "><script>\n---\nx').lang).toBe(null)
  })

  it("with headings below that of the page, and without one that says the title again", () => {
    expect(html("# Title\n\n# One\n\n## Two")).toBe('<h2 id="h-one">One</h2>\n<h3 id="h-two">Two</h3>')
    expect(html("### Deep\n\n#### Deeper")).toBe('<h2 id="h-deep">Deep</h2>\n<h3 id="h-deeper">Deeper</h3>')
    expect(html("### Deep\n\n# Top\n\n#### Deeper").match(/<h\d/g)).toEqual(["<h2", "<h2", "<h3"])
    expect(html("[to](#One%20two) [gone](#three)\n\n## One two")).toContain('<a href="#h-one-two">to</a> gone')
  })

  it("with a corner of a table that heads nothing, and no headings of nothing", () => {
    expect(html("| | b |\n|-|-|\n| 1 | 2 |")).toContain("<tr>\n<td></td>\n<th>b</th>\n</tr>")
    expect(html("#\n\n## [](x)\n\ntext")).toMatch(/^\s*<p>text<\/p>$/)
  })

  it("with callouts", () => {
    expect(html("> [!tip] Use *this*\n> now")).toBe(
      '<blockquote class="callout callout-tip">\n<p class="callout-title">Use <em>this</em></p>\n<p>now</p>\n</blockquote>'
    )
    expect(html("> [!NOTE]\n> now")).toContain('<p class="callout-title">Note</p>')
  })

  it("with what of HTML says something, and nothing that does something", () => {
    expect(html("a <kbd onclick=x>K</kbd><br>b <u style='color:red'>c</u>")).toBe("<p>a <kbd>K</kbd><br>b <u>c</u></p>")
    expect(html("<style>p{}</style><svg onload=x><a>y</a></svg><iframe src=x></iframe>z")).not.toMatch(
      /style|svg|iframe|y/
    )
  })
})

describe("links", () => {
  it("lead to the outside without telling from where, to mail, and nowhere else", () => {
    const rel = 'rel="noopener noreferrer nofollow"'
    expect(html("[a](https://x.test/y)")).toBe(`<p><a href="https://x.test/y" ${rel}>a</a></p>`)
    expect(html("[a](mailto:a@x.test)")).toBe(`<p><a href="mailto:a@x.test" ${rel}>a</a></p>`)
    for (const target of [
      "javascript:alert(1)",
      "data:text/html,x",
      "//x.test",
      "file:///etc/passwd",
      "/v2/notes",
      "ftp://x",
      "http:",
      "http:///x"
    ]) {
      expect([target, html(`[a](${target})`)]).toEqual([target, "<p>a</p>"])
    }
  })

  it("to other notes are plain text", () => {
    expect(html("[a](note:nt_1#x) [[Other]] [[Other#Part|b]] [[folder/Other#Part]] ![[Other]] [c](Other.md)")).toBe(
      "<p>a Other b folder/Other › Part Other c</p>"
    )
  })

  it("to files of the note are found by id, by name, and by path, however they are written", () => {
    for (const written of ["attachment:at_image", "a%20b.png", "<a b.png>", "images/a%20b.png", "<./x/A B.png>"]) {
      expect(html(`![alt](${written})`)).toBe(`<p>${img("alt")}</p>`)
    }
    expect(html("![[a b.png]]")).toBe(`<p>${img("a b.png")}</p>`)
    expect(html("![[x/a b.png|Alt|300x200]]")).toBe(`<p>${img("Alt", ' width="300" height="200"')}</p>`)
    expect(html("[[report.pdf]] ![[report.pdf|R]] [p](report.pdf#page=2) ![i](report.pdf)")).toBe(
      `<p>${file("report.pdf")} ${file("R")} ${file("p")} ${file("i")}</p>`
    )
    expect(html('<img src="attachment:at_image" alt="x" width="9999999" onerror=alert(1)>')).toBe(`${img("x")}`)
  })

  it("to files that there are not are plain text, and images from elsewhere are links", () => {
    expect(html("![gone](attachment:at_other) ![[gone.png]] [g](gone.png)")).toBe("<p>gone gone.png g</p>")
    expect(html("![there](https://x.test/i.png)")).toBe(
      '<p><a href="https://x.test/i.png" rel="noopener noreferrer nofollow">there</a></p>'
    )
    expect(html("[![there](https://x.test/i.png)](https://y.test)")).toBe(
      '<p><a href="https://y.test" rel="noopener noreferrer nofollow">there</a></p>'
    )
  })

  it("in code are text", () => {
    expect(html("`[[report.pdf]]` and \\[\\[report.pdf]]")).toBe(
      "<p><code>[[report.pdf]]</code> and [[report.pdf]]</p>"
    )
  })

  it("in the Markdown lead to the same files, and all else of it stays", () => {
    const body =
      '---\na: 1\n---\n# T\r\n\r\n![a *b*](a%20b.png "t") [*x* ![[a b.png|200]]](attachment:at_document)\n> [[report.pdf]]\n> [r]\n\n[r]: report.pdf "q"\n`[[report.pdf]]` ![](http://x.test/y.png) <attachment:at_image>'
    const [one, two] = [urlOf(image.id), urlOf(document.id)]
    expect(markdownOf(body, made(body), urlOf)).toBe(
      `---\na: 1\n---\n# T\r\n\r\n![a *b*](${one} "t") [*x* ![a b.png](${one})](${two})\n> [report.pdf](${two})\n> [r]\n\n[r]: ${two} "q"\n\`[[report.pdf]]\` ![](http://x.test/y.png) [attachment:at_image](${one})`
    )
  })
})

/** As a browser reads it. */
const read = (value: string) =>
  unified()
    .use(rehypeRaw)
    .runSync({ type: "root", children: [{ type: "raw", value }] })

/** What may stand in a tree that is shown, and no more. */
const wrongIn = (text: string): ReadonlyArray<string> =>
  elements(read(text)).flatMap(({ properties, tagName }) => {
    const wrong: Array<string> = []
    if (
      /^(?:script|style|iframe|object|embed|svg|math|base|meta|link|form|button|template|video|audio|source|picture)$/.test(
        tagName
      )
    ) {
      wrong.push(tagName)
    }
    for (const [name, value] of Object.entries(properties)) {
      const said = String(value)
      if (/^on|^style$|^srcDoc$|^srcSet$|^formAction$|^action$|^background$|^poster$|^ping$|^xLink/i.test(name)) {
        wrong.push(`${tagName} ${name}`)
      }
      if (name === "src" && !said.startsWith("/files/at_")) wrong.push(`${tagName} src ${said}`)
      if (name === "href" && !/^(?:https?:\/\/[^/]|mailto:|#h-|#user-content-fn|\/files\/at_)/i.test(said)) {
        wrong.push(`${tagName} href ${said}`)
      }
      if (name === "href" && /^https?:/i.test(said) && String(properties["rel"]) !== "noopener,noreferrer,nofollow") {
        wrong.push("rel")
      }
    }
    return wrong
  })

describe.skipIf(missing !== "")(`markup that attacks its readers${missing}`, () => {
  it.each(markupFiles)("comes out inert: %s", (_, cases) => {
    expect(cases.length).toBeGreaterThan(0)
    for (const each of cases) expect([each, wrongIn(html(each))]).toEqual([each, []])
  })
})
