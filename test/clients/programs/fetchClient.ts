import assert from "node:assert/strict"
import createClient from "openapi-fetch"
import type { components, paths } from "./schema.ts"

/** A client generated with openapi-typescript and openapi-fetch, written as a user would, without type casts. */

type Schemas = components["schemas"]
type Note = Schemas["Note"]

const [baseUrl = ""] = process.argv.slice(2)

// The description declares `sort` as a comma-separated list, but openapi-fetch does not read descriptions.
const querySerializer = { array: { style: "form", explode: false } } as const
const open = createClient<paths>({ baseUrl, querySerializer })

const account = await open.POST("/auth/register", {
  body: { email: "openapi-fetch@sheaf.test", password: "correct horse battery", device: { name: "Laptop" } }
})
if (account.error !== undefined) throw new Error(account.error.detail)
const authorization = `Bearer ${account.data.access_token}`
const api = createClient<paths>({ baseUrl, querySerializer, headers: { authorization } })

/** The client's copy of the workspace, written only by change entries. */
const notes = new Map<string, { readonly revision: number; readonly note: Note }>()
const notebooks = new Map<string, string>()
const tags = new Set<string>()
const templates = new Map<string, string>()
const files = new Map<string, string>()
const comments = new Map<string, string>()
const reminders = new Map<string, string>()

const apply = (change: Schemas["ChangeEntry"]): void => {
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
      // All current types are handled above; a type of a later version is skipped.
      change satisfies never
  }
}

const pull = async (cursor: string | undefined): Promise<string> => {
  const body: Schemas["PullRequest"] = cursor === undefined ? {} : { cursor }
  const { data, error } = await api.POST("/sync/pull", { body })
  if (error !== undefined) throw new Error(error.code)
  for (const change of data.changes) apply(change)
  return data.has_more ? pull(data.cursor) : data.cursor
}

const push = async (changes: ReadonlyArray<Schemas["PushEntry"]>) => {
  const { data, error } = await api.POST("/sync/push", { body: { changes: [...changes] } })
  if (error !== undefined) throw new Error(error.code)
  return data
}

let cursor = await pull(undefined)
assert.equal(notes.size, 0)
const begun = notebooks.size

const ownNote = "nt_openapi-fetch-0001"
const made = await push([
  { type: "notebook", op: "upsert", client_ref: "home", data: { name: "Home", icon: "home" } },
  {
    type: "notebook",
    op: "upsert",
    id: "nb_openapi-fetch-0001",
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
const rejected = made.results.map((result) => {
  switch (result.status) {
    case "rejected":
      return { code: result.error.code, fields: result.error.errors?.map(({ code, field }) => [field, code]) }
    case "conflict":
      throw new Error(`${result.type} ${result.id}`)
    case "applied":
    case "duplicate":
      // Both have a revision, which a conflict may lack.
      return result.revision.toFixed(0)
    default:
      return result satisfies never
  }
})
assert.deepEqual(rejected, [
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

// The server's state can be sent back unchanged.
const resolved = await push([
  {
    ...conflict.client,
    revision: conflict.server.revision,
    data: { ...conflict.server.data, title: "Boxes, bags and crates" }
  }
])
assert.equal(resolved.results[0]?.status, "applied")

/** Parses an event of the stream; returns undefined for an unknown name. */
const eventOf = (block: string): Schemas["StreamEvent"] | undefined => {
  const field = (name: string) => new RegExp(`^${name}: (.*)$`, "m").exec(block)?.[1] ?? ""
  const id = field("id")
  const event = field("event")
  const data = field("data") === "" ? undefined : JSON.parse(field("data"))
  switch (event) {
    case "ready":
    case "bye":
      return { event, data }
    case "change":
    case "cursor":
      return { event, id, data }
    default:
      return undefined
  }
}

const stream = await api.GET("/sync/stream", { params: { query: { cursor } }, parseAs: "stream" })
assert(stream.data !== undefined && stream.data !== null)
const received: Array<string> = []
let rest = ""
reading: for await (const piece of stream.data.pipeThrough(new TextDecoderStream())) {
  const blocks = (rest + piece).split("\n\n")
  rest = blocks.pop() ?? ""
  for (const block of blocks) {
    const event = eventOf(block)
    if (event === undefined) continue
    switch (event.event) {
      case "ready":
      case "cursor":
        cursor = event.data.cursor
        break
      case "change":
        apply(event.data)
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
    if (event.event === "change" && event.data.op === "delete") break reading
    if (received.length === 2)
      await push([{ type: "note", op: "delete", id: ownNote, revision: notes.get(ownNote)?.revision ?? 0 }])
  }
}
// First the events since the cursor, then the new ones.
assert.deepEqual(received, ["ready", "change", "change"])
assert.deepEqual(
  [...notes.values()].map(({ note }) => note.title),
  ["Keys"]
)

// Registers a file, uploads it to the returned URL, and downloads it.
const [kept] = notes.keys()
assert(kept !== undefined)
const bytes = new Uint8Array(300_000).map((_, index) => index % 251)
const upload = await api.POST("/attachments/uploads", { body: { note_id: kept, filename: "keys.bin" } })
assert(upload.data !== undefined && upload.data.upload_url !== null && upload.data.status === "pending")
const sent = await fetch(upload.data.upload_url, {
  method: upload.data.upload_method,
  headers: upload.data.upload_headers,
  body: bytes
})
assert.equal(sent.status, 200)
const at = { params: { path: { id: upload.data.id } } }
const completed = await api.POST("/attachments/{id}/complete", at)
assert.equal(completed.data?.status, "ready")
assert.equal(completed.data.size, bytes.length)
const download = await api.GET("/attachments/{id}/download", at)
assert(typeof download.data?.url === "string")
assert.deepEqual(new Uint8Array(await (await fetch(download.data.url)).arrayBuffer()), bytes)
cursor = await pull(cursor)
assert.deepEqual([...files], [[upload.data.id, "keys.bin"]])

const listed = await api.GET("/notes", { params: { query: { sort: ["-updated_at", "title"], limit: 10 } } })
assert.deepEqual(
  listed.data?.data.map(({ title }) => title),
  ["Keys"]
)
// @ts-expect-error There is no field with this name.
await api.GET("/notebooks", { params: { query: { sort: ["-updatet_at"] } } })

const events = await api.GET("/events", { params: { query: { sort: ["occurred_at"], limit: 100 } } })
const types: ReadonlyArray<Schemas["EventType"]> = events.data?.data.map(({ type }) => type) ?? []
assert(types.includes("sync.conflict") && types.includes("note.deleted"))

/** In a subscriber's endpoint, the event type determines the type of the record. */
export const titleIn = (event: Schemas["WebhookEvent"]): string | undefined => {
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
