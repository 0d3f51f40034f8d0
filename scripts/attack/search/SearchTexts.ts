import { attack, report } from "../Attack.ts"
import { flood, times } from "../Client.ts"
import { LARGE, repeated, store } from "../Content.ts"

/** Texts that take far longer to index than words; each is stored in four notes. */
const shapes: ReadonlyArray<readonly [name: string, text: string]> = [
  // One character of three bytes that expands to eighteen.
  ["ligatures", repeated("\ufdfa ", LARGE)],
  ["emoji", repeated("👨‍👩‍👧‍👦", LARGE)],
  // Syllables in decomposed form.
  ["jamo", repeated("\u1112\u1161\u11ab", LARGE)]
]

export const searchTexts = shapes.map(([shape, body]) =>
  attack({
    name: `search-${shape}`,
    finding: "indexing a note of signs that are not words took up to seconds without a pause",
    seconds: 6,
    prepare: async (lab) => {
      const workspace = lab.server.takeAttacker()
      await store(
        lab.client(workspace.key),
        workspace,
        times(4, (index) => ({ title: `t${index}`, body }))
      )
      return workspace
    },
    run: async (lab, { key }) => {
      const client = lab.client(key)
      const queries = ["hello", `"${"a ".repeat(60)}b"`, body.slice(0, 60)]
      const replies = []
      for (const query of queries) replies.push(await client.post("/v2/search", { query, limit: 100 }))
      return replies
    },
    judge: report
  })
)

/** Completions are searched in all titles, at each typed letter. */
export const suggests = attack({
  name: "suggests",
  finding: "",
  onDemand: true,
  prepare: async (lab) => {
    const workspace = lab.server.takeAttacker()
    const client = lab.client(workspace.key)
    await store(
      client,
      workspace,
      times(8000, (index) => ({ title: `e${index} ${"e ".repeat(90)}` }))
    )
    await client.get("/v2/search/suggest?q=e")
    return workspace
  },
  run: (lab, { key }) => {
    const client = lab.client(key)
    const queries = ["e", "e%20e%20e", "zzzz", "e1"]
    return flood(lab.signal, { atOnce: 32, most: 900 }, (index) =>
      client.get(`/v2/search/suggest?q=${queries[index % 4]}`)
    )
  },
  judge: report
})
