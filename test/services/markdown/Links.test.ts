import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { linksOf } from "../../../services/markdown/Links.ts"
import { rounds } from "../../support/Slow.ts"

const note = `note:nt_${"a".repeat(22)}`

/** The building blocks of Markdown. */
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

describe("linksOf", () => {
  it("finds the same links with and without the extensions of GFM", () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...fragments), { maxLength: 25 }), (pieces) => {
        const body = pieces.join("")
        const files: [] = []
        // A paragraph with a sign of GFM after everything else does not change the text before it.
        expect(linksOf({ body, files })).toEqual(linksOf({ body: `${body}\n\n~`, files }))
      }),
      // A table of one column needs no bar.
      {
        numRuns: rounds(100, 2_000),
        examples: [[[`[d]: ${note}\n`, ":", "---\n"]], [["[", "\n", "---", ":", "\n", `[a](${note})`]]]
      }
    )
  })
})
