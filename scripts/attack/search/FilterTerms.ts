import { attack } from "../Attack.ts"
import { slowest, statuses, times } from "../Client.ts"
import { attackerWith, LARGE, ordinaryText } from "../Content.ts"

/** A filter of fifty terms, each of which scans all text. */
export const filterTerms = attack({
  name: "filter-terms",
  finding: "eight lists with a filter of fifty terms stopped all reads for minutes, even after their clients had gone",
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
    const filter = encodeURIComponent(times(50, (index) => `"q${index}z"`).join(" OR "))
    return Promise.all(times(8, () => client.get(`/v2/notes?limit=1&filter=${filter}`)))
  },
  judge: (replies) => ({
    figures: `${statuses(replies)}, ${slowest(replies)}`,
    failures: replies.some(({ status }) => status === 500) ? ["a list returned 500"] : []
  })
})
