import { attack } from "./Attack.ts"
import { slowest, statuses, times } from "./Client.ts"
import { LARGE, ordinaryText, store } from "./Content.ts"

/** The word stands in the titles: the bodies are read to their ends for a snippet that is not there. */
export const searchHighlights = attack({
  name: "search-highlights",
  finding: "highlighting a page of large notes stopped the process for 11 s",
  seconds: 8,
  together: true,
  prepare: async (lab) => {
    const workspace = lab.server.takeAttacker()
    const body = ordinaryText(LARGE)
    await store(
      lab.client(workspace.key),
      workspace,
      times(20, (index) => ({ title: `target ${index}`, body }))
    )
    return workspace
  },
  run: (lab, { key }) => {
    const client = lab.client(key)
    return Promise.all(times(6, () => client.post("/v2/search", { query: "target", limit: 100 })))
  },
  judge: (answers) => ({ figures: `${statuses(answers)}, ${slowest(answers)}`, fell: [] })
})
