import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { fileOf, type Got, readAll } from "./Reading.ts"
import { zipOf } from "./Zip.ts"
import { rounds } from "../../support/Slow.ts"

/** No word of a Markdown file may be lost (contract, section 7): each is in a note, in a file, or in a problem. */

const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text)
  } catch {
    // A bare percent sign: the text is not percent-encoded.
    return text
  }
}

const kept = ({ files, notes, problems }: Got): string =>
  [
    ...notes.flatMap(({ body, notebook, tags, title }) => [
      title,
      body,
      ...(body.match(/#[^)\s]+/g) ?? []).map(decoded),
      ...tags,
      ...notebook
    ]),
    ...files.flatMap(({ bytes, filename }) => [filename, bytes.toString()]),
    ...problems.flatMap(({ file, message }) => [file, message])
  ].join("\n")

/** Unique words, of several scripts. */
const alphabets = [
  "abcdefghklmnoprstuvz",
  "äöüéèñçßøåœ",
  "абвгдежзиклмно",
  "日本語中文字会議記録",
  "αβγδεζηθικ",
  "שלוםעברית"
]
const word = fc
  .tuple(fc.constantFrom(...alphabets), fc.array(fc.nat({ max: 999 }), { minLength: 4, maxLength: 7 }))
  .map(([alphabet, picks]) => picks.map((pick) => [...alphabet][pick % [...alphabet].length]).join("") + picks[0])

const image = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="

type Shape = (a: string, b: string, c: string) => string
const inline: ReadonlyArray<Shape> = [
  (a, b, c) => `${a} ${b}, ${c}.`,
  (a, b, c) => `**${a}** _${b}_ \`${c}\``,
  (a, b, c) => `#${a} #${b}/${c}`,
  (a, b, c) => `#${a} ${b}# ${c}`,
  (a, b, c) => `[[${a}]] [[${b}|${c}]]`,
  (a, b, c) => `[[Other#${a}]] ![[Other#${b}|${c}]]`,
  (a, b, c) => `[[Other|${a}|${b}]] [[#${c}]]`,
  (a, b, c) => `![[pic.png|${a}|100]] ![${b}](pic.png "${c}")`,
  (a, b, c) => `[${a}](Other.md#${b} '${c}')`,
  (a, b, c) => `[${a}](<missing ${b}.md> "${c}")`,
  (a, b, c) => `![${a}](data:image/png;base64,${image} "${b}") ${c}`,
  (a, b, c) => `[${a}](data:text/plain,${encodeURIComponent(b)}) ${c}`,
  (a, b, c) => `![${a}](data:image/png;base64,AAA!${b}) ${c}`,
  (a, b, c) => `<img src="data:image/png;base64,${image}" alt="${a}" title='${b}'> ${c}`,
  (a, b, c) => `<a href="Other.md" title="${a}">${b}</a> <span class="${c}"></span>`,
  (a, b, c) => `<!-- ${a} --> %%${b}%% ==${c}==`,
  (a, b, c) => `data:${a} "data: ${b}, ${c}" and (data:x/${c},${c}`,
  (a, b, c) => `\\[[${a}]] \\#${b} &amp; ${c}\\`,
  (a, b, c) => `text[^${a}] ${b} $${c}$`,
  (a, b, c) => `[![${a}](pic.png)](https://example.org/${b}) <https://example.org/${c}>`
]
const block: ReadonlyArray<Shape> = [
  (a, b, c) => `# ${a}\n\n${b}\n===\n\n${c}`,
  (a, b, c) => `- ${a}\n  - ${b}\n    ${c}`,
  (a, b, c) => `> [!note]- ${a}\n> ${b}\n\n1. ${c}`,
  (a, b, c) => `\`\`\`${a}\n[[${b}]] data:image/png;base64,${c}\n\`\`\``,
  (a, b, c) => `| ${a} | [[Other\\|${b}]] |\n|-|-|\n| ${c} | x |`,
  (a, b, c) => `[${a}]: pic.png "${b}"\n[^${c}]: note`,
  (a, b, c) => `---\n${a}\n+++\n${b}\n---\n${c}`,
  (a, b, c) => `<div>\n${a}\n<p title="${b}">${c}\n</div>`,
  (a, b, c) => `${a}:: ${b}\n    ${c}`
]
const matter: ReadonlyArray<Shape> = [
  (a, b, c) => `title: ${a} ${b} # ${c}`,
  (a, b, c) => `tags: [${a}, "${b} ${c}"]`,
  (a, b, c) => `tags:\n  - ${a} # ${b}\n  # ${c}\n  - x`,
  (a, b, c) => `tag: "#${a}, ${b} ${c}" # end`,
  (a, b, c) => `aliases: [${a}, ${b}]\n# ${c}`,
  (a, b, c) => `created: ${a} ${b} ${c}`,
  (a, b, c) => `date: 2020-01-02 # ${a}\n${b}: ${c}`,
  (a, b, c) => `updated: Monday, ${a} 4th 2024\nkey:\n  ${b}: {x: ${c}}`,
  (a, b, c) => `text: |\n  ${a}\n  ${b}\n${c}: null`,
  (a, b, c) => `[${a}: ${b}\n${c}`
]
const toml: ReadonlyArray<Shape> = [
  (a, b, c) => `title = "${a} ${b}" # ${c}`,
  (a, b, c) => `tags = ["${a}", "${b} ${c}"]`,
  (a, b, c) => `date = 2020-01-01T10:00:00Z # ${a}\n"${b}" = '''${c} # x'''`,
  (a, b, c) => `draft = true\n[taxonomies]\ntags = ["${a}"]\ncategories = ["${b}", "${c}"]`,
  (a, b, c) => `[extra."${a}"]\n"${b}" = { x = "${c}" }`,
  (a, b, c) => `[[list]]\nn = "${a}"\n[[list]]\nm = "${b}" # ${c}`,
  (a, b, c) => `title = ${a} ${b} ${c}`
]

const shaped = (shapes: ReadonlyArray<Shape>) =>
  fc.tuple(fc.constantFrom(...shapes), word, word, word).map(([shape, a, b, c]) => ({
    text: shape(a, b, c),
    words: [a, b, c].filter((each) => shape(a, b, c).includes(each))
  }))

const parts = fc.array(fc.oneof(shaped(inline), shaped(inline), shaped(block)), { maxLength: 6 })
const head = fc.oneof(
  fc.constant(undefined),
  fc.record({ fence: fc.constant("---"), rows: fc.array(shaped(matter), { maxLength: 3 }) }),
  fc.record({ fence: fc.constant("+++"), rows: fc.array(shaped(toml), { maxLength: 3 }) })
)
const source = fc
  .record({ head, parts, newline: fc.constantFrom("\n", "\r\n") })
  .map(({ head: first, newline, parts: all }) => ({
    text: [
      ...(first === undefined ? [] : [first.fence, ...first.rows.map(({ text }) => text), first.fence]),
      all.map(({ text }) => text).join("\n\n")
    ]
      .join("\n")
      .replaceAll("\n", newline),
    words: [...(first?.rows ?? []), ...all].flatMap(({ words }) => words)
  }))

const missing = (words: ReadonlyArray<string>, got: Got) => {
  const text = kept(got).toLowerCase()
  return words.filter((each) => !text.includes(each.toLowerCase()))
}

describe("an import of Markdown", () => {
  it("keeps every word of a file", async () => {
    await fc.assert(
      fc.asyncProperty(source, async ({ text, words }) => {
        const got = await readAll(fileOf("note.md", text), "markdown")
        expect({ text, missing: missing(words, got) }).toEqual({ text, missing: [] })
      }),
      { numRuns: rounds(100, 300) }
    )
  })

  it("keeps every word of a vault, including its names", async () => {
    const file = fc.record({ folder: fc.array(word, { maxLength: 6 }), name: word, source })
    const attached = fc.record({ name: word, content: word })
    await fc.assert(
      fc.asyncProperty(fc.array(file, { minLength: 1, maxLength: 4 }), attached, async (files, extra) => {
        const entries = files.map(({ folder, name, source: { text } }) => ({
          name: [...folder, `${name}.md`].join("/"),
          content: text
        }))
        const others = [
          { name: "Other.md", content: "other" },
          { name: "pic.png", content: "png" },
          { name: `files/${extra.name}.txt`, content: extra.content }
        ]
        const got = await readAll(fileOf("vault.zip", zipOf([...entries, ...others])), "markdown")
        const words = [
          ...files.flatMap(({ folder, name, source: own }) => [
            ...folder,
            ...(/title/.test(own.text) ? [] : [name]),
            ...own.words
          ]),
          extra.name,
          extra.content
        ]
        expect({ entries, missing: missing(words, got) }).toEqual({ entries, missing: [] })
      }),
      { numRuns: 100 }
    )
  })
})
