import { Connection, requestText } from "./Connection.ts"
import type { Measure, Measurement } from "./load.ts"
import { median } from "./median.ts"
import { type FilledWorkspace, jsonOf } from "./operations.ts"
import type { Target } from "./Target.ts"

/** Of each kind. */
const perWorkspace = 50

interface Pair {
  readonly name: string
  readonly beside: string
  /** What is compared of the two, and how much of the other's it may be. */
  readonly by: "requestsPerSecond" | "p99"
  readonly most: number
}

const pairs: ReadonlyArray<Pair> = [
  { name: "comment-create", beside: "create", by: "requestsPerSecond", most: 1.3 },
  { name: "comment-get", beside: "get", by: "requestsPerSecond", most: 1.3 },
  { name: "comment-list", beside: "list", by: "requestsPerSecond", most: 1.3 },
  { name: "reminder-create", beside: "create", by: "requestsPerSecond", most: 1.3 },
  { name: "reminder-get", beside: "get", by: "requestsPerSecond", most: 1.3 },
  { name: "reminder-list", beside: "list", by: "requestsPerSecond", most: 1.3 },
  { name: "share-create", beside: "create", by: "requestsPerSecond", most: 1.3 },
  { name: "share-get", beside: "get", by: "requestsPerSecond", most: 1.3 },
  { name: "share-list", beside: "list", by: "requestsPerSecond", most: 1.3 },
  { name: "share-page", beside: "get", by: "p99", most: 3 }
]

/** Comments on a note, reminders of notes, and shares of them, each page of which was looked at once. */
const furnished = async (port: number, workspace: FilledWorkspace): Promise<FilledWorkspace> => {
  const connection = new Connection(port)
  const make = async (path: string, body: object) => {
    const answer = await connection.exchange(requestText(workspace.key, "POST", path, body))
    if (answer.status !== 201) throw new Error(`${path}: ${answer.head}\n\n${answer.body}`)
    return jsonOf(answer)
  }
  const comments: string[] = []
  const reminders: string[] = []
  const shares: Array<{ readonly id: string; readonly path: string }> = []
  const place = `/v2/notes/${workspace.notes[0]}/comments`
  for (const note_id of workspace.notes.slice(0, perWorkspace)) {
    comments.push(`${place}/${(await make(place, { body: "Shall we?" })).id}`)
    reminders.push(`/v2/reminders/${(await make("/v2/reminders", { note_id, remind_at: "2040-01-01T08:00:00Z" })).id}`)
    const { id, url } = await make("/v2/shares", { note_id })
    const path = new URL(url).pathname
    const page = await connection.exchange(requestText(undefined, "GET", path, undefined, "Accept: text/html\r\n"))
    if (page.status !== 200) throw new Error(`share page: ${page.head}`)
    shares.push({ id, path })
  }
  connection.close()
  return { ...workspace, comments, reminders, shares }
}

/** What comments, reminders and shares cost, beside what notes do: how many more of those are done in a second, and for pages how late the last are. */
export const measureAroundNotes = async ({
  filled,
  measure,
  rounds,
  target
}: {
  readonly target: Omit<Target, "workspaces">
  readonly filled: ReadonlyArray<FilledWorkspace>
  readonly rounds: number
  readonly measure: Measure
}): Promise<{ readonly lines: string[]; readonly missed: string[] }> => {
  const workspaces = await Promise.all(filled.map((workspace) => furnished(target.port, workspace)))
  const lines: string[] = []
  const missed: string[] = []
  for (const { beside, by, most, name } of pairs) {
    const own: Measurement[] = []
    const others: Measurement[] = []
    for (let round = 0; round < rounds; round++) {
      // In turns: what one leaves behind does not always fall on the other.
      for (const isOwn of round % 2 === 0 ? [true, false] : [false, true]) {
        ;(isOwn ? own : others).push(await measure(target, isOwn ? name : beside, workspaces))
      }
      console.error(`round ${round + 1}/${rounds} ${name} ${own[round]!.requestsPerSecond.toFixed(0)}/s`)
    }
    const of = (all: readonly Measurement[], key: keyof Measurement, digits: number) =>
      median(all.map((it) => it[key])).toFixed(digits)
    const ratios = own.map((it, round) => (by === "p99" ? it.p99 / others[round]!.p99 : others[round]![by] / it[by]))
    const ratio = median(ratios)
    const isGood = ratio <= most
    lines.push(
      `${name}: ${of(own, "requestsPerSecond", 0)}/s, p99 ${of(own, "p99", 1)} ms; ${beside}: ${of(
        others,
        "requestsPerSecond",
        0
      )}/s, p99 ${of(others, "p99", 1)} ms; by ${by === "p99" ? "p99" : "rate"} ${ratio.toFixed(2)} (${Math.min(
        ...ratios
      ).toFixed(2)}–${Math.max(...ratios).toFixed(2)}), at most ${most}: ${isGood ? "ok" : "OVER"}`
    )
    if (!isGood) missed.push(`${name} ${ratio.toFixed(2)} > ${most}`)
  }
  return { lines, missed }
}
