import { attack, report } from "../Attack.ts"
import { times } from "../Client.ts"
import { LARGE, nearWord, nearWords, store } from "../Content.ts"

/** Every word of the query is compared with every word of the workspace. */
export const searchTypos = attack({
  name: "search-typos",
  finding: "one search for many words that are similar to many others blocked the process for minutes",
  seconds: 8,
  together: true,
  prepare: async (lab) => {
    const workspace = lab.server.takeAttacker()
    const words = times(64, nearWord)
    const texts = times(4, (index) => nearWords(LARGE, 1000 + index * 100_000))
    await store(lab.client(workspace.key), workspace, [
      ...texts.map((body, index) => ({ title: `near ${index}`, body })),
      { title: "all of them", body: words.join(" ") }
    ])
    return { workspace, words }
  },
  run: (lab, { words, workspace }) => {
    const client = lab.client(workspace.key)
    return Promise.all(
      [1, 8, 64, 64].map((count) => client.post("/v2/search", { query: words.slice(0, count).join(" ") }))
    )
  },
  judge: report
})
