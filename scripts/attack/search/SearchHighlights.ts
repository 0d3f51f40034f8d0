import { attack, report } from "../Attack.ts"
import { times } from "../Client.ts"
import { attackerWith, LARGE, ordinaryText } from "../Content.ts"

/** The word occurs in titles only: bodies are read to the end for a snippet that does not exist. */
export const searchHighlights = attack({
  name: "search-highlights",
  finding: "highlighting a page of large notes blocked the process for 11 s",
  seconds: 8,
  together: true,
  prepare: (lab) => {
    const body = ordinaryText(LARGE)
    return attackerWith(
      lab,
      times(20, (index) => ({ title: `target ${index}`, body }))
    )
  },
  run: (lab, { key }) => {
    const client = lab.client(key)
    return Promise.all(times(6, () => client.post("/v2/search", { query: "target", limit: 100 })))
  },
  judge: report
})
