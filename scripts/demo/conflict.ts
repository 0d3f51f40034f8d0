/** Two devices edit the same note offline: the later push is a conflict, whose merge has the words of both. */
import type { Client } from "./client.ts"
import type { Plan, PlannedNote } from "./plan.ts"
import type { Report } from "./report.ts"
import type { Device } from "./sync.ts"

interface Version {
  readonly version: number
  readonly body: string
}

/** A note of ordinary size, so that the conflict can be read. */
export const noteToEdit = (plan: Plan): PlannedNote | undefined =>
  plan.notes.find(({ source }) => source.bytes.length >= 200 && source.bytes.length <= 100_000) ?? plan.notes[0]

export async function conflictOnBoth(
  a: Device,
  b: Device,
  client: Client,
  note: PlannedNote,
  report: Report
): Promise<void> {
  const { id, source } = note
  const check = (good: boolean, difference: string): boolean => report.check(good, `conflict: ${difference}`)
  const lines = { a: "Written on device A while offline.", b: "Written on device B while offline." }
  const textA = `${source.body}\n\n${lines.a}\n`
  await a.engine.edit("note", id, { body: textA })
  await b.engine.edit("note", id, { body: `${source.body}\n\n${lines.b}\n` })
  // The push is repeated, and must change nothing the second time.
  a.losesResponse = true
  for (const { engine } of [a, b, a]) await engine.sync()

  const merged = String(b.engine.get(id)?.["body"])
  for (const line of Object.values(lines))
    check(merged.split(line).length === 2, `the merged text does not have once: ${line}`)
  check(a.engine.get(id)?.["body"] === merged, "A does not get the merged text")

  const history = await client.get<{ data: readonly Version[] }>(`/notes/${id}/versions`)
  const expected = [merged, textA, source.body]
  check(history.data.length === 3, `the history has ${history.data.length} versions, not 3`)
  expected.forEach((body, index) => {
    const version = history.data[index]
    check(version?.version === 3 - index, `version ${version?.version} is listed in place of ${3 - index}`)
    check(version?.body === body, `version ${3 - index} has a different body`)
  })
}
