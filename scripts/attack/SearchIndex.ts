import { attack } from "./Attack.ts"
import { slowest, statuses, times } from "./Client.ts"
import { LARGE, randomWords, store } from "./Content.ts"

/** An index of words that come once is many times their text. */
export const searchIndex = attack({
  name: "search-index",
  finding: "the index of 24 notes of distinct words took 700 MB, and more of them the whole heap",
  seconds: 8,
  together: true,
  prepare: async (lab) => {
    const workspace = lab.server.takeAttacker()
    await store(
      lab.client(workspace.key),
      workspace,
      times(24, (index) => ({ title: `t${index}`, body: randomWords(LARGE) }))
    )
    return workspace
  },
  run: async (lab, { key }) => [await lab.client(key).post("/v2/search", { query: "hello" })],
  judge: (answers) => ({ figures: `${statuses(answers)}, ${slowest(answers)}`, fell: [] })
})
