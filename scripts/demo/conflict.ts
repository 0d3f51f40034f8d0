/** Two devices edit the same note offline: the later push is a conflict, which is resolved on the server's revision. */
import type { Client, PushResponse } from "./client.ts"
import { type Plan, type PlannedNote, upsert } from "./plan.ts"
import type { Report } from "./report.ts"
import { pullAll } from "./sync.ts"

interface Version {
  readonly version: number
  readonly note_id: string
  readonly title: string
  readonly body: string
}

/** A note of ordinary size, so that the conflict can be read. */
export const noteToEdit = (plan: Plan): PlannedNote | undefined =>
  plan.notes.find(({ source }) => source.bytes.length >= 200 && source.bytes.length <= 100_000) ?? plan.notes[0]

export async function conflictOnBoth(
  a: Client,
  b: Client,
  note: PlannedNote,
  aCursor: string,
  report: Report
): Promise<void> {
  const { id, source } = note
  const check = (good: boolean, difference: string): boolean => report.check(good, `conflict: ${difference}`)
  const textA = `${source.body}\n\nWritten on device A while offline.\n`
  const textB = `${source.body}\n\nWritten on device B while offline.\n`

  const first = await a.push([upsert("note", id, { body: textA }, 1)])
  check(isApplied(first, 2), `A's edit is ${describe(first)}, not applied at revision 2`)

  const entry = upsert("note", id, { body: textB }, 1)
  const second = await b.push([entry])
  check(second.results[0]?.status === "conflict", `B's edit is ${describe(second)}, not a conflict`)
  check(second.changes.length === 0, "the refused push lists changes")
  check(second.conflicts.length === 1, `${second.conflicts.length} entries in conflicts, not 1`)
  const conflict = second.conflicts[0]
  if (conflict === undefined) return
  const { server, client, base } = conflict
  check(conflict.type === "note" && conflict.id === id, `it names ${conflict.type} ${conflict.id}`)
  check(conflict.reason === "stale_revision", `the reason is ${conflict.reason}`)
  check(conflict.client_revision === 1, `client_revision is ${conflict.client_revision}, not 1`)
  check(conflict.revision === 2, `revision is ${conflict.revision}, not the server's 2`)
  check(server?.revision === 2 && server.op === "upsert", `server is at revision ${server?.revision}, not 2`)
  check(server?.data?.["body"] === textA, "server.data.body is not what A wrote")
  check(server?.data?.["title"] === source.title, "server.data is not the full note")
  check(client?.id === id && client.mutation_id === entry.mutation_id, "client is not the pushed entry")
  check(client?.data["body"] === textB, "client.data.body is not what B wrote")
  check(base?.revision === 1, `base is at revision ${base?.revision}, not 1`)
  check(base?.data["body"] === source.body, "base.data.body is not the original")

  const merged = `${textA}\nWritten on device B while offline.\n`
  const third = await b.push([upsert("note", id, { body: merged }, server?.revision ?? 2)])
  check(isApplied(third, 3), `the merged edit is ${describe(third)}, not applied at revision 3`)

  const history = await b.get<{ data: readonly Version[] }>(`/notes/${id}/versions`)
  const expected = [merged, textA, source.body]
  check(history.data.length === 3, `the history has ${history.data.length} versions, not 3`)
  expected.forEach((body, index) => {
    const version = history.data[index]
    check(version?.version === 3 - index, `version ${version?.version} is listed in place of ${3 - index}`)
    check(version?.body === body, `version ${3 - index} has a different body`)
  })

  const { records } = await pullAll(a, report, aCursor)
  check(records.get(id)?.data?.["body"] === merged, "A does not get the merged text with its next pull")
}

const isApplied = ({ results, conflicts }: PushResponse, revision: number): boolean =>
  conflicts.length === 0 && results[0]?.status === "applied" && results[0].revision === revision

const describe = ({ results }: PushResponse): string =>
  `${results[0]?.status} ${results[0]?.error?.code ?? ""} at revision ${results[0]?.revision}`
