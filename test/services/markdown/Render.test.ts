import type { Element, Nodes } from "hast"
import * as fc from "fast-check"
import type { Nodes as Markdown } from "mdast"
import rehypeRaw from "rehype-raw"
import { unified } from "unified"
import { describe, expect, it } from "vitest"
import { render } from "../../../services/markdown/Render.ts"
import { publicTitle } from "../../../services/markdown/PrivateParts.ts"
import { publicText } from "../../../services/markdown/PublicText.ts"
import { boxOf } from "../../../services/markdown/contents/TaskLines.ts"
import { type NoteFile, plainly, whole } from "../../../services/markdown/Rendered.ts"
import { markupFiles, missing } from "../../support/hostile/Markup.ts"
import { rounds } from "../../support/Slow.ts"

const image: NoteFile = { id: "at_image", filename: "a b.png", isImage: true }
const document: NoteFile = { id: "at_document", filename: "report.pdf", isImage: false }
const files = [image, document]

const urlOf = (file: string) => `/files/${file}?signature=x`
const made = (body: string, title = "Title", breaks = false) =>
  render({ title, body, files, breaks, isForMembers: false })
const html = (body: string, title?: string, breaks?: boolean) => whole(made(body, title, breaks).html, urlOf)
const markdown = (body: string) => whole(made(body).markdown, urlOf)
const img = (alt: string, more = "") =>
  `<img src="${urlOf(image.id)}" alt="${alt}"${more} loading="lazy" decoding="async">`
const file = (text: string) => `<a href="${urlOf(document.id)}">${text}</a>`

const withheld = (text: string) => `<span class="missing" title="File not shared">${text}</span>`

const elements = (node: Nodes): ReadonlyArray<Element> =>
  "children" in node
    ? node.children.flatMap((child) => [...(child.type === "element" ? [child] : []), ...elements(child)])
    : []

describe("HTML of Markdown", () => {
  it("has tables, task lists, code and footnotes", () => {
    const text = html(
      "| a | b |\n|--|:-:|\n| 1 | 2 |\n\n- [x] done\n- [ ] open\n\n```js\nx < 1\n```\n\nfoot[^1]\n\n[^1]: note"
    )
    expect(text).toContain('<div class="table" tabindex="0"><table>')
    expect(text).toContain('<td align="center">2</td>')
    expect(text).toContain('<input type="checkbox" checked disabled aria-label="done"> done')
    expect(text).toContain('<input type="checkbox" disabled aria-label="to do"> open')
    expect(text).toContain(
      '<pre tabindex="0"><code class="hljs language-js">x &#x3C; <span class="hljs-number">1</span>\n</code></pre>'
    )
    expect(text).toContain('<a href="#user-content-fn-1" aria-describedby="footnote-label" id="user-content-fnref-1">')
    expect(text).toContain('<li id="user-content-fn-1">')
  })

  describe("for members", () => {
    const shown = (body: string) =>
      whole(render({ title: "T", body, files, breaks: true, isForMembers: true }).html, urlOf)
    /** The lines of tasks that a page names, in its order. */
    const linesOf = (page: string) =>
      [...page.matchAll(/<li[^>]* data-line="([^"]*)"/g)].map(([, line]) => Number(line))

    it("names the line of each task in the body, behind front matter and comments", () => {
      const body =
        "---\nlang: en\n---\n%%one\ntwo%%\n- [ ] a\n<!-- \n- [ ] no -->\n\n> - [x] b\n>   1. [ ] c\n\n```\n- [ ] code\n```\n- - [ ] d %%x%%\n- [ ] e"
      const lines = body.split("\n")
      expect(linesOf(shown(body)).map((line) => lines[line])).toEqual([
        "- [ ] a",
        "> - [x] b",
        ">   1. [ ] c",
        "- - [ ] d %%x%%",
        "- [ ] e"
      ])
      expect(html(body)).not.toContain("data-line")
    })

    it("names no line of raw HTML, nor one that is cut by a comment", () => {
      const raw = '<ul><li class="task-list-item" data-line="1"><input type="checkbox"> a</li></ul>\n\n- [ ] b'
      expect(linesOf(shown(raw))).toEqual([2])
      expect(linesOf(shown("-%%a\nb%% [ ] c\n- [ ] d"))).toEqual([2])
      expect(linesOf(shown("-\n  [ ] c"))).toEqual([])
    })

    it("names lines that are tasks with the shown boxes, of any text", () => {
      const piece = fc.constantFrom(
        ...[
          "- [ ] ",
          "1. [x] ",
          "> ",
          "\n",
          "\n\n",
          "%%",
          "<!--",
          "-->",
          "a",
          "$",
          "`",
          "    ",
          "[^1]",
          "[^1]: ",
          "\uFEFF",
          "---\n"
        ]
      )
      fc.assert(
        fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
          const body = pieces.join("")
          const lines = body.split("\n")
          for (const [, line, box] of shown(body).matchAll(
            /<li[^>]* data-line="(\d+)"[^>]*>(?:\s*<p[^>]*>)?(<input[^>]*>)/g
          ))
            expect(boxOf(lines[Number(line)]!)?.isTicked).toBe(box!.includes("checked"))
        }),
        { numRuns: rounds(300, 5_000) }
      )
    })
  })

  it("has only text in the title of the footnotes, even when raw HTML writes one", () => {
    expect(html("foot[^1]\n\n[^1]: note")).toContain('<h2 class="sr-only" id="footnote-label">Footnotes</h2>')
    expect(
      html('<h2 class="sr-only" id="x"><img src="http://evil.example/b.png"><a href="note:nt_1">n</a> <b>m</b></h2>')
    ).toBe('<h2 class="sr-only" id="footnote-label">n m</h2>')
  })

  it("has the language of a script that one language has", () => {
    const lang = (body: string) => made(body).lang
    expect(lang("**「強調」**です。`a`")).toBe("ja")
    expect(lang("普通话的文字")).toBe("zh")
    expect(lang("안녕하세요, 반갑습니다 you")).toBe("ko")
    expect(lang("# Καλημέρα\n\nκόσμε")).toBe("el")
    for (const other of ["Hello", "Привет", "A long English text with one word, 強調", "", "123"]) {
      expect(lang(other), other).toBe(null)
    }
    expect(lang("---\nlang: zh-TW\n---\n日本語です")).toBe("zh-TW")
  })

  it("has no front matter, but its language", () => {
    const { description, lang } = made("---\ntags: [a]\nlang: de-AT\n---\nHallo")
    expect([description, lang]).toEqual(["Hallo", "de-AT"])
    expect(html("---\ntags: [a]\n---\nHallo")).toBe("<p>Hallo</p>")
    expect(html("Hallo\n\n---\n\nWelt")).toContain("<hr>")
    expect(made('---\nlang: "><script>\n---\nx').lang).toBe(null)
  })

  it("has headings below the page's own, and none that repeats the title", () => {
    expect(html("# Title\n\n# One\n\n## Two")).toBe('<h2 id="h-one">One</h2>\n<h3 id="h-two">Two</h3>')
    expect(html("### Deep\n\n#### Deeper")).toBe('<h2 id="h-deep">Deep</h2>\n<h3 id="h-deeper">Deeper</h3>')
    expect(html("### Deep\n\n# Top\n\n#### Deeper").match(/<h\d/g)).toEqual(["<h2", "<h2", "<h3"])
    expect(html("[to](#One%20two) [gone](#three)\n\n## One two")).toContain('<a href="#h-one-two">to</a> gone')
  })

  it("has no header cell in an empty corner of a table, and no empty headings", () => {
    expect(html("| | b |\n|-|-|\n| 1 | 2 |")).toContain("<tr>\n<td></td>\n<th>b</th>\n</tr>")
    expect(html("#\n\n## [](x)\n\ntext")).toMatch(/^\s*<p>text<\/p>$/)
  })

  it("has callouts", () => {
    expect(html("> [!tip] Use *this*\n> now")).toBe(
      '<blockquote class="callout callout-tip">\n<p class="callout-title">Use <em>this</em></p>\n<p>now</p>\n</blockquote>'
    )
    expect(html("> [!NOTE]\n> now")).toContain('<p class="callout-title">Note</p>')
  })

  it("keeps harmless raw HTML, and removes elements and attributes that run, load or style anything", () => {
    expect(html("a <kbd onclick=x>K</kbd><br>b <u style='color:red'>c</u>")).toBe("<p>a <kbd>K</kbd><br>b <u>c</u></p>")
    expect(html("<style>p{}</style><svg onload=x><a>y</a></svg><iframe src=x></iframe>z")).not.toMatch(
      /style|svg|iframe|y/
    )
  })
})

describe("the syntax of note apps", () => {
  const tex = (body: string) => html(body).match(/<math\b/g)?.length ?? 0

  it("renders formulas as MathML and reads no Markdown in them", () => {
    expect(html("$x*y*z$")).toBe(
      "<p><math><mrow><mi>x</mi><mo>∗</mo></mrow><mrow><mi>y</mi><mo>∗</mo></mrow><mrow><mi>z</mi></mrow></math></p>"
    )
    const block = html("$$\n\\begin{aligned} a &= b \\\\ c &= d \\end{aligned}\n$$")
    expect(block).toMatch(/^<span class="formula" tabindex="0"><math display="block"/)
    expect(block.match(/<mtr>/g)).toHaveLength(2)
    expect(html("$$a \\\\ b$$").match(/<mtr>/g)).toHaveLength(2)
    expect(html("a $$x$$ b")).toContain('<math display="block"')
  })

  it.each<[string, number]>([
    ["I have $5 and $10.", 0],
    ["$20,000 and $30,000", 0],
    ["$5, and the formula $a_b$", 1],
    ["$ x $ and $x $ and $ x$", 0],
    ["\\$x$ and $x\\$", 0],
    ["$a\\$b$", 1],
    ["`$x$`", 0],
    ["$a\nb$", 1],
    ["$a\n\nb$", 0],
    ["$$x^2$$", 1],
    ["text\n$$\nx\n$$\ntext", 1],
    ["$$a\n= b$$", 1],
    ["$$\na\n\nb\n$$", 1],
    ["$$\nx\n$$ and text", 1],
    ["> $$\n> x\n> $$", 1],
    ["- a\n\n  $$\n  x\n  $$", 1],
    ["$$ that does not end\n\n# text", 0],
    ["$$\\text{costs $5$}$$", 1],
    ["| a |\n|-|\n| $x$ |", 1]
  ])("finds formulas by the rules of Obsidian: %j has %i", (body, count) => {
    expect(tex(body)).toBe(count)
  })

  it("shows invalid TeX as its source, and renders no hostile TeX", () => {
    expect(html("$\\bad{x$")).toBe('<p><code class="tex">\\bad{x</code></p>')
    const hostile = [
      "\\href{javascript:alert(1)}{x}",
      "\\url{javascript:alert(1)}",
      "\\includegraphics{http://x.test/y.png}",
      "\\class{x}{y}",
      "\\id{x}{y}",
      "\\style{color:red}{y}",
      "\\data{a=b}{y}",
      "\\def\\a{\\a\\a}\\a",
      "{".repeat(3_000),
      `${"{".repeat(2_000)}x${"}".repeat(2_000)}`,
      "\\rule{1000000em}{1000000em}",
      "\\text{</mtext><script>alert(1)</script>}",
      "\\text{<img src=x onerror=alert(1)>}",
      "\\color{red;background:url(http://x.test)}x",
      "\\unicode{x3c}script"
    ]
    for (const each of hostile) {
      const text = html(`$$${each}$$`)
      expect([each, wrongIn(text)]).toEqual([each, []])
      expect(text).not.toMatch(/style=|href=|class="(?!formula|tml|tex|mathcal|mathscr|chr|wbk)|\d{3,}em/)
    }
  })

  it("renders emphasis next to the signs of Chinese, Japanese and Korean, which have no space there", () => {
    for (const [sign, name] of [
      ["**", "strong"],
      ["*", "em"],
      ["~~", "del"],
      ["==", "mark"]
    ] as const) {
      const around = (text: string) => `${sign}${text}${sign}`
      const shown = (text: string) => `<${name}>${text}</${name}>`
      expect(html(`${around("「強調」")}です`)).toBe(`<p>${shown("「強調」")}です</p>`)
      expect(html(`名前${around("（括弧）")}と`)).toBe(`<p>名前${shown("（括弧）")}と</p>`)
      expect(html(`${around("한국어(Korean)")}는`)).toBe(`<p>${shown("한국어(Korean)")}는</p>`)
      // Other scripts keep the rules of CommonMark.
      expect(html(`a${around('"b"')}c`)).toBe(`<p>a${around('"b"')}c</p>`)
      expect(html(`a ${around('"b"')} c`)).toBe(`<p>a ${shown('"b"')} c</p>`)
    }
    expect(html("漢_字_です snake_case_x")).toBe("<p>漢_字_です snake_case_x</p>")
  })

  it("renders marked text, with emphasis inside and around", () => {
    expect(html("==a **b** c==")).toBe("<p><mark>a <strong>b</strong> c</mark></p>")
    expect(html("*a ==b==* ==ü==")).toBe("<p><em>a <mark>b</mark></em> <mark>ü</mark></p>")
    for (const body of ["a == b == c", "`==a==`", "=====", "==a", "a==", "\\==a=="]) {
      expect([body, html(body).includes("<mark>")]).toEqual([body, false])
    }
    expect(html("*a ==b* c==")).toBe("<p><em>a ==b</em> c==</p>")
  })

  it("takes the size of an image out of its alternative text", () => {
    expect(html("![alt|100](<a b.png>)")).toBe(`<p>${img("alt", ' width="100"')}</p>`)
    expect(html("![alt|100x50](<a b.png>)")).toBe(`<p>${img("alt", ' width="100" height="50" class="sized"')}</p>`)
    expect(html("![|100](<a b.png>)")).toBe(`<p>${img("", ' width="100"')}</p>`)
    expect(html("![a|b|100][r]\n\n[r]: <a b.png>")).toBe(`<p>${img("a|b", ' width="100"')}</p>`)
    expect(html("| a |\n|-|\n| ![[a b.png\\|100]] |")).toContain(img("a b.png", ' width="100"'))
    expect(html("![100](<a b.png>) ![a|b](<a b.png>)")).toBe(`<p>${img("100")} ${img("a|b")}</p>`)
  })

  it("renders folded callouts as details", () => {
    expect(html("> [!note]- Use *this*\n> now")).toBe(
      '<details class="callout callout-note">\n<summary class="callout-title">Use <em>this</em></summary>\n<p>now</p>\n</details>'
    )
    expect(html("> [!tip]+\n> now")).toMatch(/^<details class="callout callout-tip" open>\n<summary.*>Tip<\/summary>/)
  })

  it("turns names of blocks into anchors that links lead to", () => {
    expect(html("text ^one\n\n[[#^one]] [[#^two|there]] [x](#^none)")).toBe(
      '<p><span id="b-one"></span>text</p>\n<p><a href="#b-one">^one</a> there x</p>'
    )
    expect(html("- item ^two\n- [[#^two]]")).toContain('<li><span id="b-two"></span>item</li>')
    expect(html("| a |\n|-|\n| b |\n\n^three")).toMatch(/^<span id="b-three"><\/span>\n<div class="table"/)
    expect(html("a ^same\n\nb ^same").match(/id="b-same"/g)).toHaveLength(1)
    expect(html("x^2 `^no`\n\n2 ^")).toBe("<p>x^2 <code>^no</code></p>\n<p>2 ^</p>")
    expect(html("[[Other#^one]]")).toBe("<p>Other</p>")
  })

  it("shows line breaks only on request", () => {
    expect(html("a\nb", "Title", true)).toBe("<p>a<br>\nb</p>")
    expect(html("a\nb", "Title", false)).toBe("<p>a\nb</p>")
    expect(html("a  \nb", "Title", true)).toBe("<p>a<br>\nb</p>")
    expect(html("> [!tip] Use\n> a\n> b", "Title", true)).toContain(">Use</p>\n<p>a<br>\nb</p>")
  })

  it("gives each block its direction where the text has letters from right to left", () => {
    expect(html("שלום\n\nHello\n\n- אחד\n- two\n\n> שלום")).toBe(
      '<p dir="auto">שלום</p>\n<p dir="auto">Hello</p>\n<ul dir="rtl">\n<li dir="rtl">אחד</li>\n<li dir="ltr">two</li>\n</ul>\n' +
        '<blockquote dir="rtl">\n<p dir="auto">שלום</p>\n</blockquote>'
    )
    expect(html('<p dir="ltr">שלום</p>')).toBe('<p dir="ltr">שלום</p>')
    expect(html("| مرحبا |\n|-|\n| b |")).toContain('<table dir="rtl">')
    expect(html("## مرحبا")).toContain(' dir="auto">')
  })

  it("colours code of known languages, within bounds", () => {
    expect(html("```python\ndef f(): pass\n```")).toContain('<span class="hljs-keyword">def</span>')
    expect(html("```nonesuch\ndef\n```")).toBe(
      '<pre tabindex="0"><code class="hljs language-nonesuch">def\n</code></pre>'
    )
    const large = html(`\`\`\`js\n${"const a = 1\n".repeat(4_000)}\`\`\`\n\n\`\`\`js\nlet b\n\`\`\``)
    expect(large).toContain('<pre tabindex="0"><code class="language-js">const a = 1\n')
    expect(large).toContain('<span class="hljs-keyword">let</span> b')
  })
})

describe("the private text of a note", () => {
  /** The HTML, the Markdown and the description. */
  const shown = (body: string) => {
    const { description, html, markdown } = render({ title: "T", body, files, breaks: true, isForMembers: false })
    return [whole(html, urlOf), whole(markdown, urlOf), description].join("\n")
  }

  it.each([
    "%%secret%%",
    "a %%secret%% b",
    "a %%secret",
    "%%\nsecret\n%%",
    "%%\n\nsecret\n\n# secret\n\n%%",
    "a %%secret\n\n- secret\n\nsecret%% b",
    "- a %%secret%%\n- %%\n  secret\n  %%",
    "> a %%secret\n>\n> secret%%",
    "> [!note]- a %%secret%%\n> b %%secret%%",
    "| a |\n|-|\n| %%secret%% b |",
    "# a %%secret%%",
    "%%secret%%\n===",
    "**a %%secret** b%%",
    "[a %%secret%%](http://x.test)",
    "![%%secret%%](<a b.png>)",
    "[[a b.png|%%secret%%]]",
    "%% ` secret %% ` a",
    "%%\n```\nsecret\n%%\n\na %%secret%%",
    "%%\n    secret\n\n%% a %%secret%%",
    "` %% ` a %%secret%%",
    "$a$ %%secret%% $5 %%secret%% $6",
    "$a %%secret%%$",
    "$a %% b$ c %%secret%%",
    "$$\n%% secret\n$$",
    "<!-- secret -->",
    "a <!-- secret --> b",
    "a <!-- secret",
    "<!--\nsecret\n\nsecret",
    "<!-- secret\n\n```\n\n-->\n",
    "<div><!-- secret --></div>",
    "<div>\n\n%%secret%%\n\n</div>",
    "<!%%a%%-- secret -->",
    "<!-- %% --> %%secret%%",
    "%% <!-- %% <!-- secret -->",
    "%%%secret%%%",
    "\\\\%%secret%%",
    "a[^1]\n\n[^1]: %%secret%%",
    "%%secret%%[^1]\n\n[^1]: a",
    "---\nkey: secret\n---\na",
    "---\r\nkey: secret\r\n---\r\na",
    "\uFEFF---\nkey: secret\n...\na",
    "+++\nkey = 'secret'\n+++\na",
    "\uFEFFa %%secret%%",
    "It costs $5 %% in truth 3$ and secret is my margin %% per piece.",
    "It costs $5 <!-- in truth 3$ and secret is my margin --> per piece.",
    "It costs $5. %%We pay Bob$ secret%% End.",
    "Pay $$ %% much$$ secret %% ok",
    "$5 %% secret 3$ more secret",
    "$$\nx %% s\n$$\nsecret %%\nz",
    "a\n\n<?php secret ?>\n\nb",
    "<!DOCTYPE secret>",
    "<![CDATA[ secret ]]>",
    "a <!X secret> b"
  ])("is in neither form: %j", (body) => {
    expect(shown(body)).not.toContain("secret")
  })

  it.each([
    "`%%shown%%`",
    "```\n%%shown%%\n<!-- shown -->\n```",
    "~~~\n%%\nshown\n%%\n~~~",
    "    %%shown%%",
    "- a\n\n  ```\n  %%shown%%\n  ```",
    "\\%%shown\\%%",
    "\\<!-- shown -->",
    "100% shown 5%",
    "%%a%% shown %%b%%",
    "<!-- a --> shown <!-- b -->",
    "<!--> shown",
    "%%\na\n%%\nshown",
    "a\n\n---\nshown\n---",
    "+++ shown"
  ])("does not include code, escaped signs and text outside of comments: %j", (body) => {
    expect(shown(body).match(/shown/g)?.length).toBeGreaterThanOrEqual(2)
  })

  it("leaves signs of comments only in code and after a backslash, whatever surrounds it", () => {
    const signs = [
      "%%",
      "<!--",
      "-->",
      "`",
      "``",
      "```",
      "~~~",
      "\n",
      "\n\n",
      "$",
      "$$",
      "\\",
      "    ",
      "> ",
      "- ",
      "a",
      "|"
    ]
    const more = ["==", "*", "[", "](x)", "<div>", "---", "\t", "[^1]: ", "\u00a0", "1. "]
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...signs, ...more), { maxLength: 30 }), (all) => {
        const { text, tree } = publicText(`a${all.join("")}`)
        const code: Array<readonly [number, number]> = []
        const visit = (node: Markdown): void => {
          if (node.type === "code" || node.type === "inlineCode") {
            code.push([node.position!.start.offset!, node.position!.end.offset!])
          }
          if ("children" in node) node.children.forEach(visit)
        }
        visit(tree)
        const left = [...text.matchAll(/(?<!\\)(?:%%|<!--)/g)].filter(
          ({ index }) => !code.some(([start, end]) => start <= index && index < end)
        )
        expect([text, left.map(({ index }) => index)]).toEqual([text, []])
      }),
      { numRuns: rounds(100, 3_000) }
    )
  })

  it("includes the files that only comments link", () => {
    const { html, markdown } = render({
      title: "T",
      body: "%%![[a b.png]]%% `![[report.pdf]]`",
      files,
      breaks: true,
      isForMembers: false
    })
    expect([html.targets, markdown.targets]).toEqual([[], []])
  })

  it("includes complete comments of the title", () => {
    expect(publicTitle("Trip %%secret%% <!-- secret -->")).toBe("Trip")
    expect(publicTitle("%%secret%%")).toBe("Untitled")
    expect(publicTitle("100%% sure")).toBe("100%% sure")
  })

  it("is cut off when the note cannot be rendered", () => {
    const rest = plainly({ body: "---\nkey: secret\n---\na <b>\n%%secret%%\nb", isForMembers: false })
    expect([rest.html.pieces, rest.markdown.pieces, rest.description]).toEqual([
      ['<pre class="plain" tabindex="0">a &lt;b&gt;\n</pre>'],
      ["a <b>\n"],
      "a <b>"
    ])
  })
})

describe("links", () => {
  it("lead to the outside without a referrer, to mail and phone numbers, and nowhere else", () => {
    const rel = 'rel="noopener noreferrer nofollow"'
    expect(html("[a](https://x.test/y)")).toBe(`<p><a href="https://x.test/y" ${rel}>a</a></p>`)
    for (const contact of ["mailto:a@x.test", "mailto:a@x.test?subject=Hello%20there", "tel:+43-1-234"]) {
      expect(html(`[a](${contact})`)).toBe(`<p><a href="${contact}" ${rel}>a</a></p>`)
      expect(html(`<a href="${contact}">a</a>`)).toBe(`<p><a href="${contact}" ${rel}>a</a></p>`)
    }
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

  it("become plain text when they lead to other notes", () => {
    expect(html("[a](note:nt_1#x) [[Other]] [[Other#Part|b]] [[folder/Other#Part]] ![[Other]] [c](Other.md)")).toBe(
      "<p>a Other b folder/Other › Part Other c</p>"
    )
  })

  it("lead to other notes for members, by title, path or id, and nowhere else", () => {
    const forMembers = (body: string) =>
      whole(render({ title: "Title", body, files, breaks: true, isForMembers: true }).html, (target) =>
        target.startsWith("note:") ? `#${target}` : urlOf(target)
      )
    expect(forMembers('[a](note:nt_1#x) [[Other]] [[Other#Part|b]] ![[ö "x"]] [[report.pdf]] [[]] [[#Part]]')).toBe(
      `<p><a href="#note:nt_1#x">a</a> <a href="#note:Other">Other</a> <a href="#note:Other#Part">b</a> <a href="#note:ö "x"">ö "x"</a> ${file("report.pdf")} [[]] Part</p>`
    )
    expect(forMembers("[a](../x/Other%20one.md#Part) [b](Other) [c](/Other) [d](other.txt) [e](?x)")).toBe(
      '<p><a href="#note:../x/Other one.md#Part">a</a> <a href="#note:Other">b</a> c d e</p>'
    )
    expect(forMembers("[[*a* _b_ `c` $d$ <b> &amp; ==e== https://x.test]]")).toBe(
      '<p><a href="#note:*a* _b_ `c` $d$ <b> &amp; ==e== https://x.test">*a* _b_ `c` $d$ &#x3C;b> &#x26;amp; ==e== https://x.test</a></p>'
    )
    expect(forMembers("[[1]](https://x.test) [[[x]]] \\[[x]] `[[x]]`")).toBe(
      '<p><a href="https://x.test" rel="noopener noreferrer nofollow">[1]</a> [<a href="#note:x">x</a>] [[x]] <code>[[x]]</code></p>'
    )
    expect(forMembers("[x [[Other]]](https://x.test)")).toBe(
      '<p><a href="https://x.test" rel="noopener noreferrer nofollow">x Other</a></p>'
    )
    expect(forMembers("<a href='note:javascript:alert(1)' onclick=x>a</a>")).toBe(
      '<p><a href="#note:javascript:alert(1)">a</a></p>'
    )
    expect(forMembers("![](attachment:at_other) [a](javascript:alert(1)) [b](data:text/html,x)")).toBe(
      '<p><span class="missing" title="Not a file of this note">Not a file of this note</span> a b</p>'
    )
  })

  it("lead to at most 1 000 notes; further ones are plain text", () => {
    const body = Array.from({ length: 1_001 }, (_, index) => `[[Note ${index}]] [[Note 0]]`).join(" ")
    const { targets } = render({ title: "Title", body, files: [], breaks: true, isForMembers: true }).html
    expect([new Set(targets).size, targets.length]).toEqual([1_000, 2_001])
  })

  it("find files of the note by id, by name and by path, in any notation", () => {
    for (const written of ["attachment:at_image", "a%20b.png", "<a b.png>", "images/a%20b.png", "<./x/A B.png>"]) {
      expect(html(`![alt](${written})`)).toBe(`<p>${img("alt")}</p>`)
    }
    expect(html("![[a b.png]]")).toBe(`<p>${img("a b.png")}</p>`)
    expect(html("![[x/a b.png|Alt|300x200]]")).toBe(`<p>${img("Alt", ' width="300" height="200" class="sized"')}</p>`)
    expect(html("[[report.pdf]] ![[report.pdf|R]] [p](report.pdf#page=2) ![i](report.pdf)")).toBe(
      `<p>${file("report.pdf")} ${file("R")} ${file("p")} ${file("i")}</p>`
    )
    expect(html('<img src="attachment:at_image" alt="x" width="9999999" onerror=alert(1)>')).toBe(`${img("x")}`)
  })

  it("become plain text when the file does not exist, and images from elsewhere become links", () => {
    expect(html("![gone](attachment:at_other) ![[gone.png]] [g](gone.png)")).toBe(
      `<p>${withheld("gone")} gone.png g</p>`
    )
    expect(html("![there](https://x.test/i.png)")).toBe(
      '<p><a href="https://x.test/i.png" rel="noopener noreferrer nofollow">there</a></p>'
    )
    expect(html("[![there](https://x.test/i.png)](https://y.test)")).toBe(
      '<p><a href="https://y.test" rel="noopener noreferrer nofollow">there</a></p>'
    )
  })

  it("become placeholders with their labels when the file is of another note, in Markdown too", () => {
    const body =
      "[doc](attachment:at_other) ![](attachment:at_other) ![x|20](attachment:at_other) [**b**](note:nt_1) [](attachment:at_o) <attachment:at_o> [r][r]\n\n[r]: attachment:at_other"
    const none = withheld("File not shared")
    expect(html(body)).toBe(
      `<p>${withheld("doc")} ${none} ${withheld("x")} <strong>b</strong> ${none} ${none} ${withheld("r")}</p>`
    )
    expect(markdown(body)).toBe("doc File not shared x **b** File not shared File not shared [r][r]\n\n[r]: <>")
  })

  it("stay text in code", () => {
    expect(html("`[[report.pdf]]` and \\[\\[report.pdf]]")).toBe(
      "<p><code>[[report.pdf]]</code> and [[report.pdf]]</p>"
    )
  })

  it("lead to the same files in the returned Markdown, whose other text is unchanged", () => {
    const body =
      '---\na: 1\n---\n# T\r\n\r\n![a *b*](a%20b.png "t") [*x* ![[a b.png|200]]](attachment:at_document)\n> [[report.pdf]]\n> [r]\n\n[r]: report.pdf "q"\n`[[report.pdf]]` ![](http://x.test/y.png) <attachment:at_image>'
    const [one, two] = [urlOf(image.id), urlOf(document.id)]
    expect(markdown(body)).toBe(
      `# T\r\n\r\n![a *b*](${one} "t") [*x* ![a b.png](${one})](${two})\n> [report.pdf](${two})\n> [r]\n\n[r]: ${two} "q"\n\`[[report.pdf]]\` ![](http://x.test/y.png) [attachment:at_image](${one})`
    )
  })
})

/** Parses HTML like a browser. */
const read = (value: string) =>
  unified()
    .use(rehypeRaw)
    .runSync({ type: "root", children: [{ type: "raw", value }] })

/** Lists the elements and attributes that a page must not have. */
const wrongIn = (text: string): ReadonlyArray<string> =>
  elements(read(text)).flatMap(({ properties, tagName }) => {
    const wrong: Array<string> = []
    if (
      /^(?:script|style|iframe|object|embed|svg|annotation|annotation-xml|base|meta|link|form|button|template|video|audio|source|picture)$/.test(
        tagName
      )
    ) {
      wrong.push(tagName)
    }
    for (const [name, value] of Object.entries(properties)) {
      const shown = String(value)
      if (/^on|^style$|^srcDoc$|^srcSet$|^formAction$|^action$|^background$|^poster$|^ping$|^xLink/i.test(name)) {
        wrong.push(`${tagName} ${name}`)
      }
      if (name === "src" && !shown.startsWith("/files/at_")) wrong.push(`${tagName} src ${shown}`)
      if (name === "href" && !/^(?:https?:\/\/[^/]|mailto:|tel:|#h-|#user-content-fn|\/files\/at_)/i.test(shown)) {
        wrong.push(`${tagName} href ${shown}`)
      }
      if (name === "href" && /^https?:/i.test(shown) && String(properties["rel"]) !== "noopener,noreferrer,nofollow") {
        wrong.push("rel")
      }
    }
    return wrong
  })

describe("the size of rendered text", () => {
  const file = { id: "at_0000000000000000", filename: "leaf.txt", isImage: false }
  const sizeOf = (body: string, isForMembers: boolean) => {
    const { html, isPlain } = render({ title: "T", body, files: [file], breaks: true, isForMembers })
    return { bytes: Buffer.byteLength(whole(html, () => "x".repeat(250))), isPlain }
  }
  const multiplied: ReadonlyArray<readonly [string, string]> = [
    ["a long title", `[b]: http://x.test "${"a".repeat(100_000)}"\n\n${"[b] ".repeat(100)}`],
    ["a long address", `[b]: http://x.test/${"a".repeat(100_000)}\n\n${"[b] ".repeat(2_000)}`],
    ["an image", `[b]: http://x.test/i.png "${"é".repeat(50_000)}"\n\n${"![b] ".repeat(100)}`],
    ["signs that HTML escapes", `[b]: http://x.test "${"'".repeat(60_000)}"\n\n${"[b] ".repeat(60)}`],
    ["links to one file", `[f]: attachment:${file.id}\n\n${"[f] ".repeat(30_000)}`],
    ["wiki links to one file", "[[leaf.txt]] ".repeat(12_000)]
  ]

  it.each(multiplied)("is at most four times that of the body and 256 KB: %s", (_, body) => {
    for (const isForMembers of [true, false]) {
      const { bytes, isPlain } = sizeOf(body, isForMembers)
      expect([isPlain, bytes <= 4 * Buffer.byteLength(body) + 256 * 1024]).toEqual([true, true])
    }
  })

  it("does not limit ordinary notes", () => {
    for (const body of [
      "[a b](https://x.test/a) and *b* with `c`\n\n- [ ] d\n".repeat(2_000),
      `| a | b |\n|---|---|\n${"| 1 | **2** |\n".repeat(2_000)}`,
      "[[leaf.txt]] ".repeat(500),
      Array.from({ length: 900 }, (_, index) => `- [[A note ${index}]]`).join("\n")
    ]) {
      expect(sizeOf(body, true).isPlain).toBe(false)
    }
  })
})

describe.skipIf(missing !== "")(`hostile markup${missing}`, () => {
  it.each(markupFiles)("is rendered inert: %s", (_, cases) => {
    expect(cases.length).toBeGreaterThan(0)
    for (const each of cases) expect([each, wrongIn(html(each))]).toEqual([each, []])
  })
})
