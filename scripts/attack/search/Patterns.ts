import { attack } from "../Attack.ts"
import { slowest, statuses, times } from "../Client.ts"
import { attackerWith, LARGE, store } from "../Content.ts"

/** One term that almost matches nearly everywhere in a text of a single letter. */
export const filterPattern = attack({
  name: "filter-pattern",
  finding: "one term of 3 KB took a backend its length times that of a body of one letter",
  together: true,
  prepare: (lab) =>
    attackerWith(
      lab,
      times(10, (index) => ({ title: `t${index}`, body: "a".repeat(LARGE) }))
    ),
  run: (lab, { key }) => {
    const client = lab.client(key)
    // Texts may be compared from either end: half of the filters match for as long as possible.
    const long = "a".repeat(3000)
    const filters = [`body:"${long}b"`, `body:"b${long}"`].map(encodeURIComponent)
    return Promise.all(times(8, (index) => client.get(`/v2/notes?limit=1&filter=${filters[index % 2]!}`)))
  },
  judge: (replies) => ({
    figures: `${statuses(replies)}, ${slowest(replies)}`,
    failures: replies.some(({ status }) => status === 500) ? ["a list returned 500"] : []
  })
})

/** Patterns are compared with every spelling of a tag, and the matching rows with those of each note. */
export const tagPatterns = attack({
  name: "tag-patterns",
  finding: "eight lists with forty patterns for tags, or with sorts without an index, blocked all reads for seconds",
  together: true,
  prepare: async (lab) => {
    const workspace = lab.server.takeAttacker()
    const tag = (index: number) => `${"t".repeat(40)}${index % 5000}`
    const notes = times(8000, (index) => ({
      title: `${"title ".repeat(20)}${index}`,
      tags: [tag(2 * index), tag(2 * index + 1)]
    }))
    await store(lab.client(workspace.key), workspace, notes)
    return workspace
  },
  run: (lab, { key }) => {
    const client = lab.client(key)
    const terms = (count: number, word: string, term: (index: number) => string) =>
      encodeURIComponent(times(count, term).join(` ${word} `))
    return Promise.all(
      [
        ...times(
          3,
          () =>
            `filter=${encodeURIComponent(`tags IN (${times(40, (index) => `"*${"t".repeat(30)}x${index}*"`).join(", ")})`)}`
        ),
        ...times(2, () => `filter=${terms(25, "AND", (index) => `NOT tags = "*t${index}*"`)}&sort=word_count`),
        `limit=100&sort=title&filter=${terms(40, "AND", (index) => `title != "*e ${index}*"`)}`,
        "per_page=100&page=79&sort=-word_count,title",
        "per_page=1&page=7999&sort=title"
      ].map((query) => client.get(`/v2/notes?${query}`))
    )
  },
  judge: (replies) => ({
    figures: `${statuses(replies)}, ${slowest(replies)}`,
    failures: replies.some(({ status }) => status === 500) ? ["a list returned 500"] : []
  })
})
