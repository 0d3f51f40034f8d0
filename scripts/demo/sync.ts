/** Device A pushes, device B pulls from the beginning, and the content of every note is compared. */
import { createClient } from "../../src/clients/client/SheafClient.ts"
import { openSync, type SyncEngine } from "../../src/clients/sync/SyncEngine.ts"
import { memoryStore } from "../../src/clients/sync/SyncStore.ts"
import { tagKey } from "./markdown.ts"
import type { Plan, PlannedNote } from "./plan.ts"
import { oneLine, type Report } from "./report.ts"

/** A copy of the workspace, on a network that can lose a response. */
export interface Device {
  readonly engine: SyncEngine
  /** Whether the next response is lost: the server has processed the request. */
  losesResponse: boolean
}

export async function openDevice(url: string, key: string, name: string): Promise<Device> {
  const losing: typeof fetch = async (...request) => {
    const response = await fetch(...request)
    if (!device.losesResponse) return response
    device.losesResponse = false
    await response.body?.cancel()
    throw new TypeError("the response is lost")
  }
  const client = createClient({ url, key, fetch: losing })
  const engine = await openSync({ client, store: memoryStore(), device: { name, platform: "cli" } })
  const device: Device = { engine, losesResponse: false }
  return device
}

/** Syncs, and checks that the server has accepted all edits. */
export async function syncAll({ engine }: Device, report: Report): Promise<void> {
  await engine.sync()
  for (const { edit, problem } of engine.refused)
    report.check(false, `push: ${edit.type} ${edit.id} is refused: ${problem.detail}`)
}

export async function pushAll(device: Device, plan: Plan, report: Report): Promise<void> {
  for (const batch of plan.batches) {
    for (const { type, id, data } of batch) await device.engine.edit(type, id, data)
    await syncAll(device, report)
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

export function comparePulled({ engine }: Device, plan: Plan, report: Report): void {
  for (const [id, path] of plan.notebooks) {
    const found = pathOf(id, engine)
    report.check(
      found.join("\n") === path.join("\n"),
      `pull: notebook ${path.join(" › ")} is ${found.join(" › ") || "missing"}`
    )
  }
  for (const note of plan.notes) {
    const data = engine.get(note.id)
    if (!report.check(data !== undefined, `pull: ${oneLine(note.source.path)} is missing`)) continue
    compareNote(data ?? {}, note, "pull", report)
    const found = pathOf(note.notebookId, engine)
    report.check(
      found.join("\n") === note.notebookPath.join("\n"),
      `pull: ${oneLine(note.source.path)} is in ${found.join(" › ")}`
    )
  }
  const names = new Set(engine.all("tag").map(({ name }) => tagKey(String(name))))
  for (const tag of tagNames(plan)) report.check(names.has(tag), `pull: no tag record named ${tag}`)
}

function pathOf(id: string, engine: SyncEngine): string[] {
  const names: string[] = []
  let next: unknown = id
  while (typeof next === "string" && names.length <= 5) {
    const data = engine.get(next)
    if (data === undefined) return []
    names.unshift(String(data["name"]))
    next = data["parent_id"]
  }
  return names
}

export const tagNames = (plan: Plan): Set<string> =>
  new Set(plan.notes.flatMap(({ source }) => source.tags.map(tagKey)))
