import { attack, report } from "../Attack.ts"
import { times } from "../Client.ts"
import { attackerWith, LARGE, randomWords } from "../Content.ts"

/** The index of words that occur once is many times larger than their text. */
export const searchIndex = attack({
  name: "search-index",
  finding: "the index of 24 notes of distinct words took 700 MB, and more of them the whole heap",
  seconds: 8,
  together: true,
  prepare: (lab) =>
    attackerWith(
      lab,
      times(24, (index) => ({ title: `t${index}`, body: randomWords(LARGE) }))
    ),
  run: async (lab, { key }) => [await lab.client(key).post("/v2/search", { query: "hello" })],
  judge: report
})
