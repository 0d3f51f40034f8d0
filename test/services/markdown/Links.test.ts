import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { linksOf } from "../../../services/markdown/Links.ts"
import { rounds } from "../../support/Slow.ts"

const note = `note:nt_${"a".repeat(22)}`

/** What Markdown is made of. */
const fragments = [
  ...["[", "]", "(", ")", "](", `[a](${note})`, `![b](${note}#c)`, `[d]: ${note}\n`, `<${note}>`, "[d]", "\\", "!"],
  ...[
    "`",
    "```\n",
    "    ",
    "\t",
    "- ",
    "1. ",
    "> ",
    "# ",
    "\n",
    "\n\n",
    "---\n",
    "===\n",
    "<b>",
    "<!--",
    "-->",
    "*",
    "_"
  ],
  ...["word", "&amp;", "http", "www", "x", "^", ":", "é", "🌱"]
]

describe("links of a body", () => {
  it("are the same, whether it has what GFM adds to CommonMark or not", () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...fragments), { maxLength: 25 }), (pieces) => {
        const body = pieces.join("")
        const files: [] = []
        // A paragraph with a sign of GFM behind all of it changes nothing of what stands before.
        expect(linksOf({ body, files })).toEqual(linksOf({ body: `${body}\n\n~`, files }))
      }),
      // A table of one column needs no bar.
      {
        numRuns: rounds(200, 2_000),
        examples: [[[`[d]: ${note}\n`, ":", "---\n"]], [["[", "\n", "---", ":", "\n", `[a](${note})`]]]
      }
    )
  })
})
