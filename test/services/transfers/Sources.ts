import * as fc from "fast-check"

/** Texts of other programs, valid or not, for properties that hold for all of them. */

/** A piece of a source, with the words in it that users wrote. */
export interface Piece {
  readonly source: string
  readonly words: ReadonlyArray<string>
}

const literal = (source: string): Piece => ({ source, words: [] })
const join = (pieces: ReadonlyArray<Piece>, between = ""): Piece => ({
  source: pieces.map(({ source }) => source).join(between),
  words: pieces.flatMap(({ words }) => words)
})
const within = (before: string, { source, words }: Piece, after: string): Piece => ({
  source: before + source + after,
  words
})

/** Words of several scripts, most of them unique: for the number 12, for example, `word12`. */
const word: fc.Arbitrary<Piece> = fc
  .tuple(fc.constantFrom("word", "слово", "λόγος", "Größe", "naïve", "כתב"), fc.nat(99_999))
  .map(([letters, number]) => `${letters}${number}`)
  .map((each) => ({ source: each, words: [each] }))

const entityWord: fc.Arbitrary<Piece> = fc.nat(99_999).map((number) => ({
  source: `caf&eacute;${number}`,
  words: [`café${number}`]
}))

const cdata: fc.Arbitrary<Piece> = word.map((each) => within("<![CDATA[ ", each, " ]]>"))

const signs = fc
  .constantFrom(
    "&amp;",
    "&lt;",
    "&nbsp;",
    "*",
    "_",
    "[x](y)",
    "#",
    "1.",
    "- ",
    "`",
    "|",
    "~~",
    "\n",
    "\\",
    "&#8364;",
    "=="
  )
  .map(literal)

const address: fc.Arbitrary<Piece> = fc.tuple(word, word).map(([one, other]) => ({
  source: `https://example.org/${encodeURI(one.source)}_a?b=${encodeURI(other.source)}&amp;c=1`,
  words: []
}))

/** Adds spaces around a piece within a line. */
const apart = (piece: fc.Arbitrary<Piece>) => piece.map((each) => within(" ", each, " "))

const inlineNames = [
  ...[
    "a",
    "abbr",
    "acronym",
    "b",
    "bdo",
    "big",
    "cite",
    "code",
    "del",
    "dfn",
    "em",
    "font",
    "i",
    "ins",
    "kbd",
    "label"
  ],
  ...[
    "mark",
    "math",
    "q",
    "s",
    "samp",
    "small",
    "span",
    "strike",
    "strong",
    "sub",
    "sup",
    "time",
    "tt",
    "u",
    "unknown"
  ],
  ...["var", "x:y", "nobr", "ruby", "output"]
]
const blockNames = [
  ...["address", "article", "aside", "blockquote", "center", "details", "div", "dl", "fieldset", "figure", "footer"],
  ...["form", "h1", "h3", "h6", "header", "li", "main", "nav", "ol", "p", "section", "ul", "dialog", "menu", "hgroup"]
]
/** Elements that are also generated in places where they are invalid. */
const partNames = [
  "caption",
  "dd",
  "dt",
  "figcaption",
  "legend",
  "option",
  "summary",
  "tbody",
  "td",
  "tfoot",
  "th",
  "thead",
  "tr"
]

const attributes = fc.constantFrom(
  ...[
    "",
    "",
    "",
    ' class="x y"',
    ' style="font-weight:bold"',
    ' style="--en-highlight:yellow"',
    ' id="1"',
    ' dir="rtl"'
  ],
  ...[
    ' hidden="hidden"',
    ' data-mdast="ignore"',
    ' colspan="3"',
    ' rowspan="2"',
    ' align="center"',
    ' href="http://x.org/"'
  ],
  ...[' title="t"', ' style=";;:"', ' start="x"', ' checked="true"', ' type="checkbox"', ' open="open"']
)

interface Kind {
  /** Elements that only this program uses. */
  readonly own: fc.Arbitrary<Piece>
  readonly ownBlock: fc.Arbitrary<Piece>
  /** Whether parts of tables and similar elements may be anywhere: HTML moves them. */
  readonly isXml: boolean
}

const element = (name: string, attributes: string, inner: Piece): Piece =>
  within(`<${name}${attributes}>`, inner, `</${name.split(" ", 1)[0] ?? name}>`)

/** The content of a page. */
const contentOf = ({ isXml, own, ownBlock }: Kind): fc.Arbitrary<Piece> =>
  fc.letrec<{ line: Piece; inline: Piece; block: Piece; blocks: Piece }>((tie) => {
    const nested = (names: ReadonlyArray<string>, inner: fc.Arbitrary<Piece>) =>
      fc.tuple(fc.constantFrom(...names), attributes, inner).map(([name, more, piece]) => element(name, more, piece))
    const cell = fc
      .tuple(fc.constantFrom("td", "th"), attributes, tie("blocks"))
      .map(([name, more, piece]) => element(name, more, piece))
    const row = fc.array(cell, { minLength: 1, maxLength: 3 }).map((cells) => element("tr", "", join(cells)))
    const table = fc
      .tuple(fc.option(tie("line")), fc.array(row, { minLength: 1, maxLength: 3 }))
      .map(([caption, rows]) =>
        element("table", "", join([...(caption === null ? [] : [element("caption", "", caption)]), ...rows]))
      )
    const list = fc
      .tuple(fc.constantFrom("ul", "ol"), fc.array(tie("blocks"), { minLength: 1, maxLength: 3 }))
      .map(([name, items]) => element(name, "", join(items.map((item) => element("li", "", item)))))
    return {
      line: fc.array(tie("inline"), { minLength: 1, maxLength: 3 }).map((pieces) => join(pieces)),
      inline: fc.oneof(
        { maxDepth: 4, depthSize: "small" },
        { weight: 6, arbitrary: apart(word) },
        { weight: 2, arbitrary: apart(entityWord) },
        { weight: 2, arbitrary: apart(signs) },
        { weight: 1, arbitrary: apart(address) },
        { weight: isXml ? 1 : 0, arbitrary: apart(cdata) },
        { weight: 2, arbitrary: apart(own) },
        { weight: 1, arbitrary: fc.constant(literal("<br/>")) },
        { weight: 4, arbitrary: apart(nested(inlineNames, tie("line"))) }
      ),
      blocks: fc.array(tie("block"), { minLength: 1, maxLength: 3 }).map((pieces) => join(pieces)),
      block: fc.oneof(
        { maxDepth: 4, depthSize: "small" },
        // Words that touch the blocks next to them.
        { weight: 5, arbitrary: word.map((each) => element("div", "", each)) },
        { weight: 2, arbitrary: tie("line") },
        { weight: 3, arbitrary: nested(blockNames, tie("line")) },
        { weight: 3, arbitrary: nested(blockNames, tie("blocks")) },
        { weight: 2, arbitrary: nested(isXml ? inlineNames : ["a", "b", "span"], tie("blocks")) },
        { weight: isXml ? 2 : 0, arbitrary: nested(partNames, tie("blocks")) },
        { weight: 1, arbitrary: ownBlock },
        { weight: 1, arbitrary: table },
        { weight: 1, arbitrary: list },
        { weight: 1, arbitrary: fc.constant(literal("<hr/>")) },
        { weight: 1, arbitrary: nested(["pre"], tie("line")) }
      )
    }
  }).blocks

const enmlOwn: fc.Arbitrary<Piece> = fc.oneof(
  fc.constantFrom('<en-todo checked="true"/>', "<en-todo/>", '<en-media type="image/png" hash="00"/>').map(literal),
  fc.constant(literal('<en-media type="x/y" hash="11">')).map((each) => within("", each, "</en-media>")),
  fc.tuple(word, word).map(([hint, secret]) => ({
    source: `<en-crypt hint="${hint.source}" cipher="AES" length="64">${secret.source}</en-crypt>`,
    words: [...hint.words, ...secret.words]
  })),
  word.map(({ source, words }) => ({ source: `<img alt="${source}" src="http://x.org/y.png"/>`, words })),
  word.map(({ source, words }) => ({ source: `<img alt="${source}"/>`, words })),
  word.map(({ source, words }) => ({ source: `<br>${source}</br>`, words })),
  word.map(({ source, words }) => ({ source: `<en-todo>${source}</en-todo>`, words })),
  word.map(({ source, words }) => ({ source: `<a href="java&#10;script:${source}">${source}</a>`, words }))
)

const enmlBlock: fc.Arbitrary<Piece> = fc.oneof(
  word.map((each) => element("div", ' style="-en-codeblock:true"', element("div", "", each))),
  word.map((each) => element("div", ' style="--en-task-group:true; --en-id:g"', each)),
  word.map((each) => element("ul", "", element("li", ' style="--en-checked:true"', each))),
  word.map((each) => element("div", "", within("<en-todo/>", each, "")))
)

export const enml: fc.Arbitrary<Piece> = contentOf({ own: enmlOwn, ownBlock: enmlBlock, isXml: true })

const notionOwn: fc.Arbitrary<Piece> = fc.oneof(
  word.map((each) => element("span", ' class="user"', within("@", each, ""))),
  word.map((each) => element("time", "", within("@", each, ""))),
  word.map((each) => element("mark", ' class="highlight-red"', each)),
  word.map(({ source, words }) => ({ source: `<img alt="${source}" src="x.png"/>`, words })),
  word.map(({ source, words }) => ({ source: `<a href="vbscript:${source}">${source}</a>`, words }))
)

const notionBlock: fc.Arbitrary<Piece> = fc.oneof(
  fc.tuple(word, word, word).map(([icon, title, text]) => ({
    source: `<figure class="callout"><div><span class="icon">${icon.source}</span></div><div><p>${title.source}</p><p>${text.source}</p></div></figure>`,
    words: [...icon.words, ...title.words, ...text.words]
  })),
  fc.tuple(word, word, word).map(([title, about, caption]) => ({
    source: `<figure><a href="https://x.org" class="bookmark source"><div class="bookmark-info"><div class="bookmark-title">${title.source}</div><div class="bookmark-description">${about.source}</div></div></a><figcaption>${caption.source}</figcaption></figure>`,
    words: [...title.words, ...about.words, ...caption.words]
  })),
  fc.tuple(word, word).map(([summary, text]) => ({
    source: `<ul class="toggle"><li><details open=""><summary>${summary.source}</summary><p>${text.source}</p></details></li></ul>`,
    words: [...summary.words, ...text.words]
  })),
  word.map(({ source, words }) => ({
    source: `<ul class="to-do-list"><li><div class="checkbox checkbox-on"></div> <span class="to-do-children-checked">${source}</span></li></ul>`,
    words
  })),
  fc.tuple(word, word).map(([formula, text]) => ({
    source: `<figure class="equation"><span class="katex"><math><annotation>${formula.source}</annotation></math></span></figure><nav class="table_of_contents"><div><a href="#x">${text.source}</a></div></nav>`,
    words: [...formula.words, ...text.words]
  }))
)

const notionContent = contentOf({ own: notionOwn, ownBlock: notionBlock, isXml: false })

const property = fc
  .tuple(fc.constantFrom("text", "select", "multi_select", "checkbox", "relation", "date", "url"), word, word, word)
  .map(([kind, name, one, other]) => {
    const values: Readonly<Record<string, string>> = {
      checkbox: `<div class="checkbox checkbox-on"></div>${one.source}${other.source === "" ? "" : ` ${other.source}`}`,
      date: `<time>@${one.source} ${other.source}</time>`,
      multi_select: `<span class="selected-value">${one.source}</span><span class="selected-value">${other.source}</span>`,
      relation: `<a href="a.html">${one.source}</a>, and <a href="b.html">${other.source}</a>`,
      select: `<span class="selected-value">${one.source}</span> ${other.source}`,
      text: `<p>${one.source}</p><p>${other.source}</p>`,
      url: `<a href="https://x.org/">${one.source}</a> ${other.source}`
    }
    return {
      source: `<tr class="property-row property-row-${kind}"><th><span class="icon property-icon"></span>${name.source}</th><td>${values[kind]}</td></tr>`,
      words: [...name.words, ...one.words, ...other.words]
    }
  })

/** A Notion page: its title, its properties, its text, and text where pages have none. */
export const notionPage: fc.Arbitrary<Piece> = fc
  .tuple(
    fc.array(word, { minLength: 1, maxLength: 60 }),
    fc.array(property, { maxLength: 4 }),
    notionContent,
    word,
    word
  )
  .map(([title, properties, content, about, beside]) => {
    const table =
      properties.length === 0
        ? literal("")
        : element("table", ' class="properties"', element("tbody", "", join(properties)))
    const header = join([
      element("h1", ' class="page-title"', join(title, " ")),
      element("p", ' class="page-description"', about),
      table
    ])
    const article = join([
      element("header", "", header),
      element("div", ' class="page-body"', content),
      element("div", "", beside)
    ])
    return element("html", "", element("body", "", element("article", ' class="page"', article)))
  })

const day = fc
  .tuple(fc.integer({ min: 2001, max: 2020 }), fc.integer({ min: 1, max: 12 }), fc.integer({ min: 1, max: 28 }))
  .map(([year, month, date]) => [year, month, date].map((part) => String(part).padStart(2, "0")).join("-"))

const compact = (date: string) => `${date.replaceAll("-", "")}T101112Z`
const time = day.chain((date) =>
  fc.constantFrom(compact(date), `${date}T10:11:12Z`).map((source) => ({ source, words: [date] }))
)

const leaf = (name: string, piece: fc.Arbitrary<Piece>) => piece.map((each) => element(name, "", each))
const some = (...pieces: ReadonlyArray<fc.Arbitrary<Piece>>) =>
  fc.tuple(...pieces.map((piece) => fc.option(piece))).map((all) => join(all.filter((each) => each !== null)))

const task = some(
  leaf("title", word),
  leaf("created", time),
  leaf("dueDate", time),
  leaf("description", word),
  leaf("taskGroupNoteLevelID", fc.constantFrom("g", "h").map(literal)),
  leaf("reminder", some(leaf("reminderDate", time), leaf("created", time))),
  leaf("assigneeEmail", word),
  leaf("unknown", word)
).map((members) => element("task", "", members))

const resource = some(
  leaf("data", fc.constantFrom("AAAA", "$$$", "QUJD\nQUJ", "").map(literal)),
  leaf("mime", fc.constant(literal("image/png"))),
  leaf("resource-attributes", some(leaf("file-name", word), leaf("source-url", word), leaf("timestamp", time)))
).map((members) => element("resource", "", members))

const attributesOfNote = some(
  leaf("author", word),
  leaf("source-url", word),
  leaf("source", word),
  leaf("place-name", word),
  leaf("subject-date", time),
  leaf("reminder-time", time),
  leaf("reminder-done-time", time),
  leaf("latitude", word),
  leaf("unknown", word),
  word.map((each) => element("application-data", ' key="k"', each))
)

/** Valid CDATA, CDATA as some programs write it, or none. */
const wrapped = ({ source, words }: Piece, how: string): Piece => {
  const document = `<?xml version="1.0"?><!DOCTYPE en-note SYSTEM "http://xml.evernote.com/pub/enml2.dtd"><en-note>${source}</en-note>`
  if (how === "split") return { source: `<![CDATA[${document.replaceAll("]]>", "]]]]><![CDATA[>")}]]>`, words }
  if (how === "nested") return { source: `<![CDATA[${document}]]>`, words }
  if (how === "escaped") return { source: document.replaceAll("&", "&amp;").replaceAll("<", "&lt;"), words }
  return { source: `<en-note>${source}</en-note>`, words }
}

/** A note of an Evernote export. */
export const enexNote: fc.Arbitrary<Piece> = fc
  .tuple(
    fc.array(word, { minLength: 1, maxLength: 60 }),
    fc.tuple(enml, fc.constantFrom("split", "nested", "escaped", "plain")).map(([piece, how]) => wrapped(piece, how)),
    fc.array(fc.array(word, { minLength: 1, maxLength: 8 }), { maxLength: 4 }),
    some(leaf("created", time), leaf("updated", time), leaf("unknown", word)),
    attributesOfNote,
    fc.array(task, { maxLength: 3 }),
    fc.array(resource, { maxLength: 3 })
  )
  .map(([title, content, tags, times, about, tasks, resources]) =>
    element(
      "note",
      "",
      join([
        element("title", "", join(title, " ")),
        times,
        ...tags.map((tag) => element("tag", "", join(tag, " "))),
        element("note-attributes", "", about),
        ...tasks,
        element("content", "", content),
        ...resources
      ])
    )
  )
