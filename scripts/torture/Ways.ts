/** Sends changes by the API, by push, by MCP, by an import, or through a replica. */
import { createHash } from "node:crypto"
import type { Settled } from "./Model.ts"
import type { Change, Data, Hand, Type, Way } from "./Change.ts"
import type { Scene } from "./Scene.ts"
import { bodyOf, type Called } from "./Wire.ts"

type Outcome = Pick<Settled, "state" | "id" | "version" | "based" | "isDuplicate"> & { readonly isReady?: boolean }
type Send = (scene: Scene, hand: Hand, changes: ReadonlyArray<Change>) => Promise<ReadonlyArray<Outcome>>

const refused: Outcome = { state: "refused" }
const prefixes: Readonly<Record<Type, string>> = {
  note: "nt_",
  notebook: "nb_",
  tag: "tg_",
  template: "tp_",
  comment: "cm_",
  reminder: "rm_",
  attachment: "at_",
  share: "sh_"
}

/** The path of the collection of a record. */
const collectionOf = (scene: Scene, { data, id, type }: Pick<Change, "data" | "id" | "type">): string =>
  type === "comment"
    ? `/notes/${String(data["note_id"] ?? [...(scene.model.known.get(id!)?.parents ?? [])].find((each) => each.startsWith("nt_")))}/comments`
    : `/${type}s`

/** Bytes of an attachment as the model knows them. */
export const hashOf = (bytes: string | Uint8Array): string => createHash("sha256").update(bytes).digest("hex")
export const withHash = ({ bytes, ...data }: Data): Data =>
  bytes === undefined ? data : { ...data, size: Buffer.byteLength(String(bytes)), sha256: hashOf(String(bytes)) }

/** The method, path and body of a change in the API. */
const requestOf = (scene: Scene, { action, data, id, op, sent, type, ...change }: Change) => {
  const item =
    action === "merge" ? "/tags" : `${collectionOf(scene, { type, data, ...(id === undefined ? {} : { id }) })}/${id}`
  if (action === "apply") return { method: "POST", path: `/templates/${id}/apply`, body: sent }
  if (action !== undefined) return { method: "POST", path: `${item}/${action}`, body: sent ?? data }
  if (op === "create" && type === "attachment")
    return { method: "POST", path: "/attachments/uploads", body: withHash(data) }
  if (op === "create") return { method: "POST", path: collectionOf(scene, { type, data, ...change }), body: data }
  if (op === "update") return { method: "PATCH", path: item, body: data }
  if (op === "restore") return { method: "POST", path: `${item}/restore`, body: {} }
  return { method: "DELETE", path: `${item}${op === "purge" ? "?permanent=true" : ""}`, body: undefined }
}

/** The outcome of a request without a usable result: an error, or none. */
const failed = (scene: Scene, what: string, { isRepeated, reply }: Called, isSafe: boolean): Outcome => {
  if (reply === undefined) return { state: "unknown" }
  const { code, detail } = bodyOf(reply) ?? {}
  if ([400, 401, 403, 405, 415, 500, 501].includes(reply.status))
    scene.model.fail("requests are understood and carried out", `${what}: ${reply.status} ${code} ${detail}`)
  return isRepeated && !isSafe ? { state: "unknown" } : refused
}

/** Sends the bytes of an attachment. Returns whether the server has acknowledged them. */
const upload = async (scene: Scene, { step: { node } }: Hand, made: any, bytes: unknown): Promise<boolean> => {
  const body = new TextEncoder().encode(String(bytes))
  const request = { method: "PUT", path: scene.wire.pathOf(made.upload_url), headers: made.upload_headers ?? {}, body }
  await scene.wire.call(request, { node, isRepeatable: true })
  const { reply } = await scene.call("POST", `/attachments/${made.id}/complete`, { node })
  return reply?.status === 200 && bodyOf(reply).status === "ready"
}

/** The version on which a change is based, and the header that names it. */
const guardOf = async (scene: Scene, { step }: Hand, change: Change) => {
  const { id, isStale, type } = change
  if (id === undefined || change.op === "create" || change.action !== undefined) return undefined
  const isText = type === "template" || type === "comment"
  if (!step.isGuarded && !isText && isStale !== true) return undefined
  if (type === "note") {
    const based = (scene.model.latest.get(id)?.revision ?? 0) - (isStale === true ? 1 : 0)
    return based < 1 ? undefined : { based, etag: `"${id}:${based}"` }
  }
  return { based: undefined, etag: scene.etags.get(id) ?? "" }
}

const api: Send = async (scene, hand, [change]) => {
  if (change === undefined) return []
  const { step } = hand
  const guard = await guardOf(scene, hand, change)
  if (change.isStale === true && guard === undefined) return [refused]
  const { body, method, path } = requestOf(scene, change)
  const isInBody = guard?.based !== undefined && method === "PATCH" && step.draw < 0.3
  const isSafe = method === "POST" && step.isKeyed
  const called = await scene.call(method, path, {
    body: isInBody ? { ...(body as object), version: guard.based } : body,
    node: step.node,
    fate: step.fate,
    isRepeatable: isSafe || method === "DELETE" || (method === "PATCH" && guard === undefined),
    headers: {
      ...(guard !== undefined && !isInBody && guard.etag !== "" ? { "if-match": guard.etag } : {}),
      ...(isSafe ? { "idempotency-key": `key-${step.at}` } : {})
    }
  })
  const { isRepeated, reply } = called
  if (reply === undefined || reply.status >= 300) return [failed(scene, `${method} ${path}`, called, isSafe)]
  const made = bodyOf(reply)
  const isReady = typeof made.upload_url === "string" && (await upload(scene, hand, made, change.data["bytes"]))
  const version = change.type === "note" && typeof made.version === "number" ? made.version : undefined
  if (version !== undefined) scene.model.saw(made.id, version, made, `${method} ${path}`)
  return [{ state: "done", id: made.id, version, based: guard?.based, isDuplicate: isRepeated, isReady }]
}

const push: Send = async (scene, { step }, changes) => {
  const entries = changes.map((change, index) => {
    const { data, id, isStale, op, type } = change
    const seen = id === undefined ? 0 : (scene.model.latest.get(id)?.revision ?? 0)
    return {
      ...(step.isKeyed ? { mutation_id: `mutation-${step.at}-${index}` } : {}),
      type,
      id: id ?? `${prefixes[type]}${step.at}x${index}${scene.name.padEnd(16, "0")}`,
      op: op === "delete" ? "delete" : "upsert",
      revision: isStale === true ? seen - 1 : seen,
      ...(op === "delete" ? {} : { data })
    }
  })
  // Without a revision an entry would create a record.
  if (changes.some(({ id }, index) => id !== undefined && entries[index]!.revision < 1))
    return changes.map(() => refused)
  const body = { device: scene.device, changes: entries }
  const called = await scene.call("POST", "/sync/push", { body, node: step.node, fate: step.fate, isRepeatable: true })
  const { isRepeated, reply } = called
  const ids = entries.map(({ id }) => id)
  if (reply === undefined || reply.status >= 300)
    return ids.map((id) => ({ ...failed(scene, "push", called, step.isKeyed), id }))
  const { changes: stored, results } = bodyOf(reply)
  for (const { data, id, revision } of stored) if (data !== null) scene.model.saw(id, revision, data, "push")
  return results.map(({ id, revision, status }: any, index: number) => {
    if (status === "rejected" || status === "conflict")
      return isRepeated && !step.isKeyed ? { state: "unknown", id: ids[index] } : refused
    const based = changes[index]!.type === "note" ? entries[index]!.revision : undefined
    return { state: "done", id, version: revision, based, isDuplicate: isRepeated || status === "duplicate" }
  })
}

/** The tool of MCP for a change, and its arguments. */
const toolOf = (scene: Scene, hand: Hand, { data, id, op, type, word }: Change) => {
  if (type === "notebook") return ["create_notebook", data] as const
  if (type === "reminder") return ["create_reminder", data] as const
  const { body, ...created } = data
  if (op === "create") return ["create_note", { ...created, text: body }] as const
  if (op === "delete") return ["trash_note", { note_id: id }] as const
  if (op === "restore") return ["restore_note", { note_id: id }] as const
  if (data["notebook_id"] !== undefined) return ["move_note", { note_id: id, ...data }] as const
  const version = scene.model.latest.get(id!)?.revision
  if (body === undefined) return ["edit_note", { note_id: id, version, properties: data }] as const
  const old = /\S+/.exec(String(hand.seen(id!)["body"]))?.[0]
  const isReplacing = hand.step.isGuarded && old !== undefined
  const edit = isReplacing ? { replacements: [{ old_text: old, new_text: `${old} ${word}` }] } : { append: word }
  return ["edit_note", { note_id: id, version, ...edit }] as const
}

const mcp: Send = async (scene, hand, [change]) => {
  if (change === undefined) return []
  const { step } = hand
  const [name, given] = toolOf(scene, hand, change)
  const args = step.isKeyed ? { ...given, mutation_id: `mcp-${step.at}` } : given
  const body = { jsonrpc: "2.0", id: step.at, method: "tools/call", params: { name, arguments: args } }
  const called = await scene.call("POST", "/mcp", {
    body,
    node: step.node,
    fate: step.fate,
    isRepeatable: step.isKeyed
  })
  const { isRepeated, reply } = called
  if (reply === undefined || reply.status >= 300) return [failed(scene, `MCP ${name}`, called, step.isKeyed)]
  const { error, result } = bodyOf(reply)
  if (result === undefined)
    scene.model.fail("requests are understood and carried out", `MCP ${name}: ${error?.message}`)
  if (result === undefined || result.isError === true) {
    const code = result?.structuredContent?.code ?? /"code":"(\w+)"/.exec(result?.content?.[0]?.text ?? "")?.[1]
    // The call is refused before it changes anything, or its effect is unknown.
    if (code === "internal_error") scene.model.fail("requests are understood and carried out", `MCP ${name}: ${code}`)
    const isUnknown = (isRepeated && !step.isKeyed) || ["service_unavailable", "overloaded"].includes(code)
    return [isUnknown ? { state: "unknown" } : refused]
  }
  const { id, version } = result.structuredContent
  const isNote = change.type === "note" && change.op !== "delete"
  return [{ state: "done", id: id ?? change.id, version: isNote ? version : undefined, isDuplicate: isRepeated }]
}

/** Imports a file whose text has the word of the step. */
const imported: Send = async (scene, { step, word }) => {
  const form = new FormData()
  form.set("source", "markdown")
  form.set("file", new Blob([`Imported ${word}\n`]), `import-${step.at}.md`)
  const headers: Record<string, string> = step.isKeyed ? { "idempotency-key": `key-${step.at}` } : {}
  const called = await scene.call("POST", "/imports", {
    form,
    headers,
    node: step.node,
    fate: step.fate,
    isRepeatable: step.isKeyed
  })
  if (called.reply === undefined || called.reply.status >= 300) return [failed(scene, "import", called, step.isKeyed)]
  const { id } = bodyOf(called.reply)
  return [{ state: (await scene.importEnds(id)) ? "done" : "unknown" }]
}

const replica: Send = async (scene, { step }, [change]) => {
  if (change === undefined) return []
  const device = scene.replicas[step.replica]!
  const { bytes, ...data } = change.data
  const { op, type } = change
  let { id } = change
  const seen = id === undefined ? undefined : device.engine.get(id)
  const isThere = op === "restore" ? seen === undefined && device.engine.typeOf(id!) === type : seen !== undefined
  if (op !== "create" && !isThere) return [refused]
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
  return [{ state: isKept === true ? "kept" : "unknown", id, isReady: isKept === true && bytes !== undefined }]
}

export const ways: Readonly<Record<Way, Send>> = { api, push, mcp, import: imported, replica }
