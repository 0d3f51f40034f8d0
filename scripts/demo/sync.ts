/** Device A pushes, device B pulls from the beginning, and the content of every note is compared. */
import type { ChangeEntry, Client, PushResponse, PushEntry, SyncResponse } from "./client.ts"
import { tagKey } from "./markdown.ts"
import type { Plan, PlannedNote } from "./plan.ts"
import { oneLine, type Report } from "./report.ts"

/** A pull at the newest cursor registers the device; its response contains the id of the device. */
export async function registerDevice(client: Client, name: string, cursor: string): Promise<void> {
  const response = await client.post<SyncResponse>("/sync/pull", {
    cursor,
    limit: 1,
    device: { name, platform: "cli" }
  })
  client.deviceId = response.device_id
}

export async function pushAll(client: Client, plan: Plan, report: Report): Promise<PushResponse> {
  let last: PushResponse | undefined
  for (const batch of plan.batches) {
    last = await client.push(batch)
    checkPush(last, batch, "applied", report)
  }
  return last as PushResponse
}

/** Pushes the last batch again, as if its response had been lost, which must change nothing. */
export async function repeatBatch(client: Client, plan: Plan, report: Report): Promise<number> {
  const batch = plan.batches.at(-1) ?? []
  checkPush(await client.push(batch), batch, "duplicate", report)
  return batch.length
}

function checkPush(response: PushResponse, batch: readonly PushEntry[], status: string, report: Report): void {
  report.check(response.conflicts.length === 0, `push: ${response.conflicts.length} unexpected conflicts`)
  report.check(
    response.results.length === batch.length,
    `push: ${response.results.length} results for ${batch.length} entries`
  )
  const results = new Map(response.results.map((result) => [result.index, result]))
  const stored = new Set(response.changes.map((change) => change.id))
  batch.forEach((entry, index) => {
    const result = results.get(index)
    const name = `push: ${entry.type} ${entry.id}`
    const why = result?.error?.code ?? result?.error?.detail ?? ""
    report.check(result?.status === status, `${name} is ${result?.status ?? "missing"} ${why}, not ${status}`)
    report.check(result?.id === entry.id, `${name} was returned as ${result?.id}`)
    report.check(result?.revision === 1, `${name} is at revision ${result?.revision}, not 1`)
    report.check(stored.has(entry.id), `${name} is not among the changes of the response`)
  })
}

export interface Pulled {
  readonly records: ReadonlyMap<string, ChangeEntry>
  readonly pages: number
  readonly cursor: string
}

/** Pulls everything after `start`, or everything. */
export async function pullAll(client: Client, report: Report, start?: string, name?: string): Promise<Pulled> {
  const records = new Map<string, ChangeEntry>()
  let cursor = start
  for (let pages = 1; ; pages += 1) {
    const device = client.deviceId === undefined && name !== undefined ? { device: { name, platform: "cli" } } : {}
    const from = cursor === undefined ? {} : { cursor }
    const response: SyncResponse = await client.post<SyncResponse>("/sync/pull", {
      ...from,
      ...device,
      limit: 500
    })
    client.deviceId ??= response.device_id
    const onPage = new Set(response.changes.map((change) => change.id))
    report.check(onPage.size === response.changes.length, `pull: page ${pages} contains a record twice`)
    for (const change of response.changes) records.set(change.id, change)
    const stuck = response.has_more && (response.cursor === cursor || response.changes.length === 0)
    report.check(!stuck, `pull: page ${pages} has has_more, but no progress`)
    cursor = response.cursor
    if (!response.has_more || stuck) return { records, pages, cursor }
  }
}

/** Compares the whole content of a note with the file that it came from. */
export function compareNote(
  data: Readonly<Record<string, unknown>>,
  note: PlannedNote,
  where: string,
  report: Report
): void {
  const { source } = note
  const name = `${where}: ${oneLine(source.path)}`
  report.check(data["title"] === source.title, `${name}: the title is ${JSON.stringify(data["title"])}`)
  const body = typeof data["body"] === "string" ? Buffer.from(data["body"], "utf8") : undefined
  report.check(
    body?.equals(source.bytes) === true,
    `${name}: the body differs (${body?.length} of ${source.bytes.length} bytes)`
  )
  report.check(data["notebook_id"] === note.notebookId, `${name}: the notebook is ${String(data["notebook_id"])}`)
  const tags = Array.isArray(data["tags"]) ? data["tags"].map((tag) => tagKey(String(tag))).sort() : []
  const wanted = source.tags.map(tagKey).sort()
  report.check(
    tags.join(",") === wanted.join(","),
    `${name}: the tags are [${tags.join(", ")}], not [${wanted.join(", ")}]`
  )
  report.check(data["version"] === 1, `${name}: the version is ${String(data["version"])}, not 1`)
}

export function comparePulled(pulled: Pulled, plan: Plan, pusher: Client, report: Report): void {
  const { records } = pulled
  for (const [id, path] of plan.notebooks) {
    const found = pathOf(id, records)
    report.check(
      found.join("\n") === path.join("\n"),
      `pull: notebook ${path.join(" › ")} is ${found.join(" › ") || "missing"}`
    )
  }
  for (const note of plan.notes) {
    const record = records.get(note.id)
    if (record?.op !== "upsert" || record.data === null) {
      report.check(false, `pull: ${oneLine(note.source.path)} is missing`)
      continue
    }
    compareNote(record.data, note, "pull", report)
    report.check(record.revision === 1, `pull: ${note.id} is at revision ${record.revision}`)
    report.check(
      record.device_id === pusher.deviceId,
      `pull: ${note.id} names the device ${record.device_id}, not ${pusher.deviceId}`
    )
    const found = pathOf(note.notebookId, records)
    report.check(
      found.join("\n") === note.notebookPath.join("\n"),
      `pull: ${oneLine(note.source.path)} is in ${found.join(" › ")}`
    )
  }
  const names = new Set<string>()
  for (const { type, data } of records.values()) {
    if (type === "tag" && data !== null) names.add(tagKey(String(data["name"])))
  }
  for (const tag of tagNames(plan)) report.check(names.has(tag), `pull: no tag record named ${tag}`)
}

function pathOf(id: string, records: ReadonlyMap<string, ChangeEntry>): string[] {
  const names: string[] = []
  let next: unknown = id
  while (typeof next === "string" && names.length <= 5) {
    const data: ChangeEntry["data"] = records.get(next)?.data ?? null
    if (data === null) return []
    names.unshift(String(data["name"]))
    next = data["parent_id"]
  }
  return names
}

export const tagNames = (plan: Plan): Set<string> =>
  new Set(plan.notes.flatMap(({ source }) => source.tags.map(tagKey)))
