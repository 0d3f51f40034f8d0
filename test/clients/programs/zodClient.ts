import assert from "node:assert/strict"
import * as sheaf from "./sdk/index.ts"
import { createClient } from "./sdk/client/index.ts"
import { zProblem, zPullRequest, zPushRequest, zStreamEvent } from "./sdk/zod.gen.ts"

/**
 * A client generated with @hey-api/openapi-ts, written as a user would, without type casts. Its zod schemas validate
 * every request and every response.
 */

const [baseUrl = ""] = process.argv.slice(2)

const open = createClient({ baseUrl, throwOnError: true })
const account = await sheaf.registerUser({
  client: open,
  body: { email: "hey-api@sheaf.test", password: "correct horse battery", device: { name: "Laptop" } },
  throwOnError: true
})
const client = createClient({ baseUrl, auth: account.data.access_token })

/** The client's copy of the workspace, written only by change entries. */
const notes = new Map<string, { readonly revision: number; readonly note: sheaf.Note }>()
const notebooks = new Map<string, string>()
const tags = new Set<string>()
const templates = new Map<string, string>()
const files = new Map<string, string>()
const comments = new Map<string, string>()
const reminders = new Map<string, string>()

const apply = (change: sheaf.ChangeEntry): void => {
  switch (change.type) {
    case "note":
      if (change.op === "upsert") notes.set(change.id, { revision: change.revision, note: change.data })
      else notes.delete(change.id)
      return
    case "notebook":
      if (change.op === "upsert") notebooks.set(change.id, change.data.name)
      else notebooks.delete(change.id)
      return
    case "tag":
      if (change.op === "upsert") tags.add(change.data.name)
      return
    case "template":
      if (change.op === "upsert") templates.set(change.id, change.data.body)
      else templates.delete(change.id)
      return
    case "attachment":
      if (change.op === "upsert") files.set(change.id, change.data.filename)
      else files.delete(change.id)
      return
    case "comment":
      if (change.op === "upsert") comments.set(change.id, change.data.body)
      else comments.delete(change.id)
      return
    case "reminder":
      if (change.op === "upsert") reminders.set(change.id, change.data.remind_at)
      else reminders.delete(change.id)
      return
    default:
      change satisfies never
  }
}

const pull = async (cursor: string | undefined): Promise<string> => {
  const body = zPullRequest.parse(cursor === undefined ? {} : { cursor })
  const { data } = await sheaf.pullChanges({ client, body, throwOnError: true })
  for (const change of data.changes) apply(change)
  return data.has_more ? pull(data.cursor) : data.cursor
}

const push = async (changes: Array<sheaf.PushEntry>) => {
  // The client accepts the entries that zod returns.
  const body: sheaf.PushRequest = zPushRequest.parse({ changes })
  assert.deepEqual(body.changes, changes)
  return (await sheaf.pushChanges({ client, body, throwOnError: true })).data
}

let cursor = await pull(undefined)
assert.equal(notes.size, 0)
const begun = notebooks.size

const ownNote = "nt_hey-api-000000001"
const made = await push([
  { type: "notebook", op: "upsert", client_ref: "home", data: { name: "Home", icon: "home" } },
  {
    type: "notebook",
    op: "upsert",
    id: "nb_hey-api-000000001",
    client_ref: "attic",
    data: { name: "Attic", parent_id: "$home" }
  },
  {
    type: "note",
    op: "upsert",
    id: ownNote,
    mutation_id: "m1",
    data: { notebook_id: "$attic", title: "Boxes", tags: ["old"] }
  },
  { type: "note", op: "upsert", data: { notebook_id: "$home", title: "Keys" } },
  { type: "note", op: "upsert", data: { notebook_id: "$nowhere", title: "Lost" } }
])
const outcomes = made.results.map((result) => {
  switch (result.status) {
    case "rejected":
      return { code: result.error.code, fields: result.error.errors?.map(({ code, field }) => [field, code]) }
    case "conflict":
      throw new Error(`${result.type} ${result.id}`)
    case "applied":
    case "duplicate":
      return result.revision.toFixed(0)
    default:
      return result satisfies never
  }
})
assert.deepEqual(outcomes, [
  "1",
  "1",
  "1",
  "1",
  {
    code: "unresolved_reference",
    fields: [["data.notebook_id", "unknown"]]
  }
])

cursor = await pull(cursor)
assert.deepEqual([...notebooks.values()].slice(begun).sort(), ["Attic", "Home"])
assert.deepEqual([...notes.values()].map(({ note }) => note.title).sort(), ["Boxes", "Keys"])
assert.deepEqual([...tags], ["old"])

const edited = await push([{ type: "note", op: "upsert", id: ownNote, revision: 1, data: { title: "Boxes and bags" } }])
for (const change of edited.changes) apply(change)
assert.equal(notes.get(ownNote)?.revision, 2)

const late = await push([{ type: "note", op: "upsert", id: ownNote, revision: 1, data: { title: "Crates" } }])
const [conflict] = late.conflicts
assert(conflict?.type === "note" && conflict.reason === "stale_revision")
assert(conflict.client.op === "upsert" && conflict.server?.op === "upsert")
const titles = [conflict.base?.data.title, conflict.server.data.title, conflict.client.data.title]
assert.deepEqual(titles, ["Boxes", "Boxes and bags", "Crates"])

const received: Array<string> = []
const end = new AbortController()
const { stream } = await sheaf.streamChanges({
  client,
  query: { cursor },
  signal: end.signal,
  onSseEvent: (each) => {
    // The events are untyped: zod determines the type.
    const event = zStreamEvent.parse(each)
    switch (event.event) {
      case "ready":
      case "cursor":
        cursor = event.data.cursor
        break
      case "change":
        cursor = event.id
        break
      case "reminder":
        reminders.set(event.data.id, event.data.remind_at)
        break
      case "bye":
        throw new Error(event.data.reason)
      default:
        event satisfies never
    }
    received.push(event.event)
  }
})
for await (const data of stream) {
  if (!("op" in data)) continue
  apply(data)
  if (data.op === "delete") break
  await push([{ type: "note", op: "delete", id: data.id, revision: data.revision }])
}
end.abort()
assert.deepEqual(received, ["ready", "change", "change"])
assert.deepEqual(
  [...notes.values()].map(({ note }) => note.title),
  ["Keys"]
)

// Registers a file, uploads it to the returned URL, and downloads it.
const [kept] = notes.keys()
assert(kept !== undefined)
const bytes = new Uint8Array(300_000).map((_, index) => index % 251)
const { data: upload } = await sheaf.createUpload({
  client,
  body: { note_id: kept, filename: "keys.bin" },
  throwOnError: true
})
assert(upload.upload_url !== null && upload.status === "pending")
const sent = await fetch(upload.upload_url, {
  method: upload.upload_method,
  headers: upload.upload_headers,
  body: bytes
})
assert.equal(sent.status, 200)
const path = { id: upload.id }
const { data: completed } = await sheaf.completeAttachment({ client, path, throwOnError: true })
assert.equal(completed.status, "ready")
assert.equal(completed.size, bytes.length)
const { data: download } = await sheaf.downloadAttachment({ client, path, throwOnError: true })
assert(typeof download.url === "string")
assert.deepEqual(new Uint8Array(await (await fetch(download.url)).arrayBuffer()), bytes)
cursor = await pull(cursor)
assert.deepEqual([...files], [[upload.id, "keys.bin"]])

const listed = await sheaf.listNotes({
  client,
  query: { sort: ["-updated_at", "title"], limit: 10 },
  throwOnError: true
})
assert.deepEqual(
  listed.data.data.map(({ title }) => title),
  ["Keys"]
)

const events = await sheaf.listEvents({ client, query: { sort: ["occurred_at"], limit: 100 }, throwOnError: true })
const types: ReadonlyArray<sheaf.EventType> = events.data.data.map(({ type }) => type)
assert(types.includes("sync.conflict") && types.includes("note.deleted"))

const missing = await sheaf.getNote({ client, path: { id: ownNote } })
assert.equal(missing.error?.code, "not_found")
assert.deepEqual(zProblem.parse(missing.error), missing.error)

/** In a subscriber's endpoint, the event type determines the type of the record. */
export const titleIn = (event: sheaf.WebhookEvent): string | undefined => {
  switch (event.type) {
    case "note.created":
    case "note.updated":
      return event.data.resource?.title
    case "notebook.moved":
      return event.data.resource?.name
    case "note.purged":
      return (event.data.resource satisfies null) ?? undefined
    default:
      return undefined
  }
}
