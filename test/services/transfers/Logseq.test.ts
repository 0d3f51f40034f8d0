import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { convertLogseq } from "../../../services/transfers/formats/logseq/Logseq.ts"
import { labelledBlocks, referredBlocks } from "../../../services/transfers/formats/logseq/LogseqReferences.ts"
import { rounds } from "../../support/Slow.ts"

const id = "63bc6201-53b1-47a4-834f-83934b69ad49"
const none = new Map<string, string>()
const clock = { now: new Date("2026-01-01T00:00:00Z"), timezone: "Europe/Vienna" }
const convert = (source: string, blocks: ReadonlyMap<string, string> = none) =>
  convertLogseq(source, blocks, false, clock)
const markdown = (source: string, blocks: ReadonlyMap<string, string> = none) => convert(source, blocks).text
const messages = (source: string) => convert(source).problems.map(({ code, message }) => [code, message])

describe("a Logseq page", () => {
  it("converts page properties to front matter and a list", () => {
    expect(
      markdown(
        "title:: A: b\ntags:: [[one]], #two, [[a, b]]\nalias:: X\ncreated-at:: 1609244764756\ntype:: [[Feature]]\n\n- text"
      )
    ).toBe(
      '---\ntitle: "A: b"\ntags: ["one","two","a, b"]\nalias: ["X"]\ncreated_at: 1609244764756\n---\n- **type:** [[Feature]]\n\n- text'
    )
  })

  it("is an outline without code, however its lines are indented", () => {
    expect(markdown("# Usage\n\t- a\n\t\t- b\n\t\t  more\n\t\t\t\t- deep\n\t- c\n\t- ")).toBe(
      "# Usage\n- a\n  - b\n    more\n    - deep\n- c"
    )
    expect(markdown("- a\n    - b\n        - c\n- d")).toBe("- a\n  - b\n    - c\n- d")
  })

  it("keeps code as it is", () => {
    const code = "- x\n  ```js\n  - a:: {{b}}\n    ((c))\n  ```\n- `{{query x}}` ``((y)) ` ``"
    expect(markdown(code)).toBe(code)
    expect(messages(code)).toEqual([])
  })

  it("lists the properties of blocks below them", () => {
    expect(markdown("- block\n  author:: [[Ann]]\n  empty::\n\t- child")).toBe(
      "- block\n  - **author:** [[Ann]]\n  - **empty:**\n  - child"
    )
    expect(markdown("- author:: Ann\n\t- child\n- x")).toBe("- **author:** Ann\n  - child\n- x")
    expect(markdown("- Title\n  heading:: true\n- one\n  logseq.order-list-type:: number\n\t- below")).toBe(
      "- ## Title\n1. one\n   - below"
    )
  })

  it("reports properties that are left out, with their values", () => {
    expect(markdown("- a\n  collapsed:: true\n  created-at:: 1609244764756")).toBe("- a")
    expect(messages("- a\n  collapsed:: true\n  created-at:: 1609244764756")).toEqual([
      ["not_converted", "Properties of blocks are left out: collapsed (true), created-at (1609244764756)"]
    ])
  })

  it("has tasks with their states and times, and reminds of those to come", () => {
    const page = convert(
      [
        "- TODO milk",
        "- DONE bread",
        "- LATER rest",
        "  - DOING inner",
        "    SCHEDULED: <2026-07-04 Sat 10:30 .+1w>",
        "- NOW now",
        "  DEADLINE: <2026-07-05 Sun>",
        "- CANCELED never",
        "  SCHEDULED: <2026-07-06 Mon>",
        "- TODO old",
        "  SCHEDULED: <2020-07-06 Mon>",
        "- TODOs are words, as TODO is here",
        "  TODO too",
        "  ```",
        "  TODO: code",
        "  ```"
      ].join("\n")
    )
    expect(page.text).toBe(
      [
        "- [ ] milk",
        "- [x] bread",
        "- [ ] rest",
        "  - [ ] inner",
        "    - **status:** doing",
        "    - **scheduled:** 2026-07-04 10:30 (repeats .+1w)",
        "- [ ] now",
        "  - **status:** now",
        "  - **deadline:** 2026-07-05",
        "- [x] never",
        "  - **status:** canceled",
        "  - **scheduled:** 2026-07-06",
        "- [ ] old",
        "  - **scheduled:** 2020-07-06",
        "- TODOs are words, as TODO is here",
        "  TODO too",
        "  ```",
        "  TODO: code",
        "  ```"
      ].join("\n")
    )
    expect(page.remind_at).toEqual(["2026-07-04T08:30:00.000Z", "2026-07-05T07:00:00.000Z"])
  })

  it("resolves references to blocks by id", () => {
    const target = `- some **words** [[here]]\n  id:: ${id}\n- x\n\t- long\n\t  id:: ${id.replace("63", "64")}\n\t  more`
    expect(markdown(target)).toBe(
      `- some **words** [[here]] ^${id}\n- x\n  - long\n    more\n\n    ^${id.replace("63", "64")}`
    )
    const blocks = labelledBlocks(target)
    expect([...blocks]).toEqual([
      [id, "some words here"],
      [id.replace("63", "64"), "long"]
    ])
    const source = `- see ((${id})), [label](((${id}))), {{embed ((${id}))}}`
    expect(markdown(source, referredBlocks(source, blocks))).toBe(
      `- see [some words here](((${id}))), [label](((${id}))), [some words here](((${id})))`
    )
    expect(markdown(source)).toContain(`see ((${id})),`)
    expect(messages(source)[0]).toEqual(["not_converted", `References to blocks that are not in the file: ((${id}))`])
  })

  it("converts macros to Markdown if it has a form for them, otherwise to code with a report", () => {
    expect(markdown("- {{embed [[Page]]}} {{cloze a b}} {{video https://a.example/v}} {{youtube dQw4w9WgXcQ}}")).toBe(
      "- ![[Page]] ==a b== <https://a.example/v> <https://www.youtube.com/watch?v=dQw4w9WgXcQ>"
    )
    expect(markdown("- {{query (and [[a]] [[b]])}} {{poem x}}")).toBe("- `{{query (and [[a]] [[b]])}}` `{{poem x}}`")
    expect(messages("- {{query (and [[a]])}} {{poem x}}")).toEqual([
      ["not_converted", "Markdown has no form for these; they are kept as code: {{query}}, {{poem}}"]
    ])
    expect(markdown("- [lab two]([[Page Two]]) [lab]([[B]])")).toBe("- [[Page Two|lab two]] [[B|lab]]")
    expect(markdown("- ![a](../assets/a.png){:height 30, :width 40}")).toBe("- ![a|40x30](../assets/a.png)")
  })

  it("converts #+BEGIN blocks to quotes, callouts and code", () => {
    const block = (kind: string, argument = "") =>
      `- x\n  #+BEGIN_${kind}${argument}\n  a [[b]]\n    - c\n  #+END_${kind}`
    expect(markdown(block("QUOTE"))).toBe("- x\n  > a [[b]]\n  >   - c")
    expect(markdown(block("NOTE"))).toBe("- x\n  > [!note]\n  > a [[b]]\n  >   - c")
    expect(markdown(block("SRC", " clojure"))).toBe("- x\n  ```clojure\n  a [[b]]\n    - c\n  ```")
    expect(markdown(block("QUERY"))).toBe("- x\n  ```clojure\n  a [[b]]\n    - c\n  ```")
    expect(messages(block("QUERY"))).toEqual([
      ["not_converted", "Markdown has no form for these; they are kept as code: #+BEGIN_QUERY"]
    ])
    expect(markdown("- #+BEGIN_EXAMPLE\n  ```\n  #+END_EXAMPLE")).toBe("- ````\n  ```\n  ````")
    expect(markdown("- #+BEGIN_TIP\n  never closed")).toBe("- #+BEGIN_TIP\n  never closed")
  })

  it("loses no word", () => {
    const words = (text: string) => text.match(/w\d+/g) ?? []
    const line = fc.constantFrom(
      ..."- W|\t- W|\t\t\t- W|  W|W|# W|\t  W|W:: W|  W:: W|- W:: W|id:: W|- |```|  ```|#+BEGIN_NOTE W|#+BEGIN_W|#+END_NOTE|  #+END_W|~~~~".split(
        "|"
      ),
      ..."- {{W W}}|- {{embed ((W))}}|{{cloze W}}|- ((W)) `W {{W|* W|---|- - -|1. W|  > W|collapsed:: W|title:: W|tags:: W, [[W]]|![W](W){:height 1, :width 2}".split(
        "|"
      )
    )
    fc.assert(
      fc.property(fc.array(line, { maxLength: 40 }), (lines) => {
        let count = 0
        const source = lines.join("\n").replaceAll("W", () => `w${(count += 1)}`)
        const { problems, text } = convert(source)
        const found = new Set(words(text + problems.map(({ message }) => message).join(" ")))
        expect(words(source).filter((word) => !found.has(word))).toEqual([])
      }),
      { numRuns: rounds(100, 500) }
    )
  })

  it("is converted in time proportional to its length", () => {
    for (const part of [
      "- ```\n",
      "#+BEGIN_A\n",
      "{{a ",
      "a:: ",
      "((",
      "`",
      "\t-\n",
      "- a\n\t",
      "![",
      "tags:: [[,\n"
    ]) {
      markdown(part.repeat(200_000 / part.length))
    }
  })
})
