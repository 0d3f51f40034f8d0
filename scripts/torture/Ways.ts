/** Sends changes by the API, by push, by MCP, by an import, or through a replica. */
import { createHash } from "node:crypto"
import { prefixes } from "../../services/Resources.ts"
import type { Settled } from "./Model.ts"
import type { Change, Data, Hand, Way } from "./Change.ts"
import type { Scene, Sending } from "./Scene.ts"
import { bodyOf } from "./Wire.ts"

/** `isReady`: the bytes of a file are stored. */
type Outcome = Pick<Settled, "state" | "id" | "version" | "based" | "isDuplicate"> & { readonly isReady?: boolean }
type Send = (scene: Scene, hand: Hand, changes: ReadonlyArray<Change>) => Promise<ReadonlyArray<Outcome>>
type SendOne = (scene: Scene, hand: Hand, change: Change) => Promise<Outcome>

const refused: Outcome = { state: "refused" }

/** Bytes of an attachment as the model knows them. */
export const hashOf = (bytes: string | Uint8Array): string => createHash("sha256").update(bytes).digest("hex")
export const withHash = ({ bytes, ...data }: Data): Data =>
  bytes === undefined ? data : { ...data, size: Buffer.byteLength(String(bytes)), sha256: hashOf(String(bytes)) }

/** The path of a record; undefined if it is not known where it is. */
export const pathOf = ({ model }: Scene, id: string): string | undefined => {
  const known = model.known.get(id)
  if (known === undefined) return undefined
  if (known.type !== "comment") return `/${known.type}s/${id}`
  const note = [...known.parents].find((each) => each.startsWith("nt_"))
  return note === undefined ? undefined : `/notes/${note}/comments/${id}`
}

/** The method, path and body of a change in the API. */
const requestOf = (scene: Scene, { action, data, id, op, sent = data, type }: Change): [string, string, unknown?] => {
  const item = id === undefined ? undefined : pathOf(scene, id)
  if (action === "merge") return ["POST", "/tags/merge", sent]
  if (action !== undefined) return ["POST", `${item}/${action}`, sent]
  if (op === "update") return ["PATCH", item!, data]
  if (op === "restore") return ["POST", `${item}/restore`, {}]
  if (op !== "create") return ["DELETE", `${item}${op === "purge" ? "?permanent=true" : ""}`]
  if (type === "attachment") return ["POST", "/attachments/uploads", withHash(data)]
  return ["POST", type === "comment" ? `/notes/${String(data["note_id"])}/comments` : `/${type}s`, data]
}

/** The body of a response, or the outcome of a request without one: an error, or nothing. */
type Asked = { readonly body: any; readonly isRepeated: boolean } | { readonly failed: Outcome }

/** Sends the request of a step. `isSafe`: repeated, it has the effect of one. */
const ask = async (
  scene: Scene,
  { step }: Hand,
  [method, path, body]: readonly [method: string, path: string, body?: unknown],
  isSafe: boolean,
  sending: Sending = {}
): Promise<Asked> => {
  const called = await scene.call(method, path, {
    body,
    node: step.node,
    fate: step.fate,
    isRepeatable: isSafe,
    ...sending
  })
  const { isRepeated, reply } = called
  if (reply === undefined) return { failed: { state: "unknown" } }
  if (reply.status < 300) return { body: bodyOf(reply), isRepeated }
  const { code, detail } = bodyOf(reply) ?? {}
  if ([400, 401, 403, 405, 415, 500, 501].includes(reply.status))
    scene.model.fail("requests are understood and carried out", `${method} ${path}: ${reply.status} ${code} ${detail}`)
  return { failed: isRepeated && !isSafe ? { state: "unknown" } : refused }
}

const keyOf = ({ step }: Hand): Readonly<Record<string, string>> =>
  step.isKeyed ? { "idempotency-key": `key-${step.at}` } : {}

/** Sends the bytes of an attachment. Returns whether the server has acknowledged them. */
const upload = async (scene: Scene, { step: { node } }: Hand, made: any, bytes: unknown): Promise<boolean> => {
  const body = new TextEncoder().encode(String(bytes))
  const request = { method: "PUT", path: scene.wire.pathOf(made.upload_url), headers: made.upload_headers ?? {}, body }
  await scene.wire.call(request, { node, isRepeatable: true })
  const { reply } = await scene.call("POST", `/attachments/${made.id}/complete`, { node })
  return reply?.status === 200 && bodyOf(reply).status === "ready"
}

/** The version on which a change is based, and the header that names it. */
const guardOf = ({ etags, model }: Scene, { step }: Hand, { action, id, isStale, op, type }: Change) => {
  if (id === undefined || op === "create" || action !== undefined) return undefined
  if (!step.isGuarded && type !== "template" && type !== "comment" && isStale !== true) return undefined
  if (type !== "note") return { based: undefined, etag: etags.get(id) ?? "" }
  const based = (model.latest.get(id)?.revision ?? 0) - (isStale === true ? 1 : 0)
  return based < 1 ? undefined : { based, etag: `"${id}:${based}"` }
}

const api: SendOne = async (scene, hand, change) => {
  const { step } = hand
  const guard = guardOf(scene, hand, change)
  if (change.isStale === true && guard === undefined) return refused
  const [method, path, sent] = requestOf(scene, change)
  const isInBody = guard?.based !== undefined && method === "PATCH" && step.draw < 0.3
  const body = isInBody ? { ...(sent as object), version: guard.based } : sent
  const isSafe = method === "POST" && step.isKeyed
  const headers = {
    ...(guard !== undefined && !isInBody && guard.etag !== "" ? { "if-match": guard.etag } : {}),
    ...(isSafe ? keyOf(hand) : {})
  }
  const isRepeatable = isSafe || method === "DELETE" || (method === "PATCH" && guard === undefined)
  const asked = await ask(scene, hand, [method, path, body], isSafe, { headers, isRepeatable })
  if ("failed" in asked) return asked.failed
  const { body: made, isRepeated } = asked
  const isReady = typeof made?.upload_url === "string" && (await upload(scene, hand, made, change.data["bytes"]))
  const version = change.type === "note" && typeof made?.version === "number" ? made.version : undefined
  if (version !== undefined) scene.model.saw(made.id, version, made, `${method} ${path}`)
  return { state: "done", id: made?.id, version, based: guard?.based, isDuplicate: isRepeated, isReady }
}

const push: Send = async (scene, hand, changes) => {
  const { step } = hand
  const entries = changes.map(({ data, id, isStale, op, type }, index) => {
    const seen = id === undefined ? 0 : (scene.model.latest.get(id)?.revision ?? 0)
    return {
      ...(step.isKeyed ? { mutation_id: `mutation-${step.at}-${index}` } : {}),
      type,
      id: id ?? `${prefixes[type]}_${step.at}x${index}${scene.name.padEnd(16, "0")}`,
      revision: isStale === true ? seen - 1 : seen,
      ...(op === "delete" ? { op } : { op: "upsert", data })
    }
  })
  // Without a revision an entry would create a record.
  if (changes.some(({ id }, index) => id !== undefined && entries[index]!.revision < 1))
    return changes.map(() => refused)
  const body = { device: scene.device, changes: entries }
  const asked = await ask(scene, hand, ["POST", "/sync/push", body], step.isKeyed, { isRepeatable: true })
  if ("failed" in asked) return entries.map(({ id }) => ({ ...asked.failed, id }))
  for (const { data, id, revision } of asked.body.changes)
    if (data !== null) scene.model.saw(id, revision, data, "push")
  return asked.body.results.map(({ id, revision, status }: any, index: number) => {
    if (status === "rejected" || status === "conflict")
      return asked.isRepeated && !step.isKeyed ? { state: "unknown", id: entries[index]!.id } : refused
    const based = changes[index]!.type === "note" ? entries[index]!.revision : undefined
    return { state: "done", id, version: revision, based, isDuplicate: asked.isRepeated || status === "duplicate" }
  })
}

/** The tool of MCP for a change, and its arguments. */
const toolOf = (scene: Scene, hand: Hand, { data, id, op, type, word }: Change): readonly [string, Data] => {
  if (type === "notebook") return ["create_notebook", data]
  if (type === "reminder") return ["create_reminder", data]
  const { body, ...properties } = data
  if (op === "create") return ["create_note", { ...properties, text: body }]
  if (op === "delete") return ["trash_note", { note_id: id }]
  if (op === "restore") return ["restore_note", { note_id: id }]
  if (data["notebook_id"] !== undefined) return ["move_note", { note_id: id, ...data }]
  const edited = { note_id: id, version: scene.model.latest.get(id!)?.revision }
  if (body === undefined) return ["edit_note", { ...edited, properties }]
  const old = /\S+/.exec(String(hand.seen(id!)["body"]))?.[0]
  const isReplacing = hand.step.isGuarded && old !== undefined
  const edit = isReplacing ? { replacements: [{ old_text: old, new_text: `${old} ${word}` }] } : { append: word }
  return ["edit_note", { ...edited, ...edit }]
}

const mcp: SendOne = async (scene, hand, change) => {
  const { at, isKeyed } = hand.step
  const [name, given] = toolOf(scene, hand, change)
  const params = { name, arguments: isKeyed ? { ...given, mutation_id: `mcp-${at}` } : given }
  const asked = await ask(
    scene,
    hand,
    ["POST", "/mcp", { jsonrpc: "2.0", id: at, method: "tools/call", params }],
    isKeyed
  )
  if ("failed" in asked) return asked.failed
  const { error, result } = asked.body
  if (result === undefined || result.isError === true) {
    const code = result?.structuredContent?.code ?? /"code":"(\w+)"/.exec(result?.content?.[0]?.text ?? "")?.[1]
    if (result === undefined || code === "internal_error")
      scene.model.fail("requests are understood and carried out", `MCP ${name}: ${error?.message ?? code}`)
    // The call is refused before it changes anything, or its effect is unknown.
    const isUnknown = (asked.isRepeated && !isKeyed) || ["service_unavailable", "overloaded"].includes(code)
    return isUnknown ? { state: "unknown" } : refused
  }
  const { id = change.id, version } = result.structuredContent
  const isNote = change.type === "note" && change.op !== "delete"
  return { state: "done", id, version: isNote ? version : undefined, isDuplicate: asked.isRepeated }
}

/** Imports a file whose text has the word of the step. */
const imported: SendOne = async (scene, hand) => {
  const { at, isKeyed } = hand.step
  const form = new FormData()
  form.set("source", "markdown")
  form.set("file", new Blob([`Imported ${hand.word}\n`]), `import-${at}.md`)
  const asked = await ask(scene, hand, ["POST", "/imports"], isKeyed, { form, headers: keyOf(hand) })
  if ("failed" in asked) return asked.failed
  return { state: (await scene.importEnds(asked.body.id)) ? "done" : "unknown" }
}

const replica: SendOne = async (scene, { step }, { data: { bytes, ...data }, op, type, ...change }) => {
  const device = scene.replicas[step.replica]!
  let { id } = change
  const seen = id === undefined ? undefined : device.engine.get(id)
  const isThere = op === "restore" ? seen === undefined && device.engine.typeOf(id!) === type : seen !== undefined
  if (op !== "create" && !isThere) return refused
  // A user sees the note that they comment on, or attach a file to.
  if (typeof data["note_id"] === "string" && device.engine.get(data["note_id"]) === undefined) return refused
  const isKept = await device.doing(async (engine) => {
    if (bytes !== undefined) {
      const file = { filename: String(data["filename"]), bytes: new TextEncoder().encode(String(bytes)) }
      id = await engine.attach(String(data["note_id"]), file)
    } else if (op === "create") id = await engine.create(type, data)
    else if (op === "update") await engine.edit(type, id!, data, seen!)
    else if (op === "restore") await engine.restore(type, id!)
    else await engine.remove(type, id!)
    return true
  })
  if (id !== undefined) device.pending.add(id)
  return { state: isKept === true ? "kept" : "unknown", id, isReady: isKept === true && bytes !== undefined }
}

const each =
  (send: SendOne): Send =>
  (scene, hand, changes) =>
    Promise.all(changes.map((change) => send(scene, hand, change)))

export const ways: Readonly<Record<Way, Send>> = {
  api: each(api),
  push,
  mcp: each(mcp),
  import: each(imported),
  replica: each(replica)
}
