import fc from "fast-check"
import type { FollowedWorkspace, Held, State } from "./FollowedWorkspace.ts"

/** The set of the assistant, which is reverted, and that of another program. */
export const assistantSet = "cs_assistant0000000000"
export const importerSet = "cs_importer00000000000"

export type Actor = "assistant" | "importer" | "person" | "device"

const headersOf: Readonly<Record<Actor, Record<string, string>>> = {
  assistant: { "change-set": assistantSet },
  importer: { "change-set": importerSet },
  person: {},
  device: { "device-id": "sy_device0000000000000" }
}

const kinds = {
  createNote: 5,
  editText: 8,
  setTitle: 3,
  setTags: 4,
  pin: 1,
  archive: 1,
  moveNote: 3,
  trashNote: 3,
  restoreNote: 3,
  createNotebook: 2,
  renameNotebook: 1,
  moveNotebook: 2,
  deleteNotebook: 2,
  moveOutOfNotebook: 1,
  restoreNotebook: 2,
  createTag: 1,
  renameTag: 2,
  colorTag: 1,
  mergeTags: 2,
  deleteTag: 1,
  createTemplate: 1,
  editTemplate: 2,
  deleteTemplate: 1,
  createComment: 3,
  reply: 2,
  editComment: 2,
  resolveComment: 1,
  deleteComment: 2,
  createReminder: 1,
  editReminder: 1,
  deleteReminder: 1
} as const
export type Kind = keyof typeof kinds

export interface Step {
  readonly actor: Actor
  readonly kind: Kind
  /** Numbers that select records and places. */
  readonly a: number
  readonly b: number
  readonly c: number
  /** By `POST /sync/push` in place of the request of the resource. */
  readonly pushed: boolean
}

const number = fc.nat(59)
/** A step of these actors. `weights`: of its kind, by default of all. */
export const stepOf = (
  actors: Partial<Record<Actor, number>>,
  weights: Partial<Record<Kind, number>> = kinds
): fc.Arbitrary<Step> =>
  fc.record({
    actor: fc.oneof(
      ...Object.entries(actors).map(([name, weight]) => ({ weight, arbitrary: fc.constant(name as Actor) }))
    ),
    kind: fc.oneof(
      ...Object.entries(weights).map(([name, weight]) => ({ weight, arbitrary: fc.constant(name as Kind) }))
    ),
    a: number,
    b: number,
    c: number,
    pushed: fc.boolean()
  })

/** Few names of tags, so that they collide. */
const tagNames = ["red", "Red", "green", "blue", "gold"]

/** A change of one record, by either way. */
interface Change {
  readonly type: string
  readonly op: "create" | "update" | "delete"
  readonly held?: Held
  readonly data?: Record<string, unknown>
}

const pathOf = ({ data, held, type }: Change): string => {
  const id = held === undefined ? "" : `/${held.id}`
  if (type !== "comment") return `/${type}s${id}`
  return `/notes/${held?.data.note_id ?? data!["note_id"]}/comments${id}`
}

/** Runs steps in a workspace. */
export class RandomChanges {
  readonly workspace: FollowedWorkspace
  /** The words that each actor has written. */
  readonly words = new Map<string, Actor>()
  readonly log: Array<string> = []
  /** The workspace before the first change of each record by the assistant. */
  readonly before = new Map<string, State>()
  /** More headers of the requests of the assistant. */
  readonly #assistant: Readonly<Record<string, string>>
  #written = 0

  constructor(workspace: FollowedWorkspace, assistant: Readonly<Record<string, string>> = {}) {
    this.workspace = workspace
    this.#assistant = assistant
  }

  #word(actor: Actor): string {
    const word = `${actor}${++this.#written}x`
    this.words.set(word, actor)
    return word
  }

  #some(type: string, at: number, isLive = true): Held | undefined {
    const all = [...this.workspace.state.values()].filter(
      (held) => held.type === type && (held.data !== null) === isLive
    )
    return all[at % (all.length + 1)] ?? all[0]
  }

  #text(before: string, word: string, how: number, at: number): string {
    const lines = before.split("\n").filter((line) => line !== "")
    const place = lines.length === 0 ? 0 : at % lines.length
    switch (how % 7) {
      case 0:
        lines.push(word)
        break
      case 1:
        lines.unshift(word)
        break
      case 2:
        lines.splice(place, 1, word)
        break
      case 3:
        lines.splice(place, 1, `${lines[place] ?? ""} ${word}`.trim())
        break
      case 4:
        lines.splice(place, 1)
        break
      case 5:
        lines.splice(place, 0, word)
        break
      case 6:
        return `${word}\n`
    }
    return lines.map((line) => `${line}\n`).join("")
  }

  /** The change of a step; undefined if there is no record for it. */
  #changeOf({ a, actor, b, c, kind }: Step): Change | undefined {
    const note = this.#some("note", a)
    const notebook = this.#some("notebook", b)!
    const update = (held: Held | undefined, data: (held: Held) => Record<string, unknown>): Change | undefined =>
      held && { type: held.type, op: "update", held, data: data(held) }
    const remove = (held: Held | undefined): Change | undefined => held && { type: held.type, op: "delete", held }
    const tags = [tagNames[b % 5]!, tagNames[c % 5]!].slice(0, c % 3)
    switch (kind) {
      case "createNote": {
        const data = { notebook_id: notebook.id, title: this.#word(actor), body: `${this.#word(actor)}\n`, tags }
        return { type: "note", op: "create", data }
      }
      case "editText":
        return update(note, ({ data }) => ({ body: this.#text(data.body, this.#word(actor), b, c) }))
      case "setTitle":
        return update(note, () => ({ title: this.#word(actor) }))
      case "setTags":
        return update(note, () => ({ tags }))
      case "pin":
        return update(note, ({ data }) => ({ pinned: !data.pinned }))
      case "archive":
        return update(note, ({ data }) => ({ archived: !data.archived }))
      case "moveNote":
        return update(note, () => ({ notebook_id: notebook.id }))
      case "trashNote":
        return remove(note)
      case "createNotebook": {
        const parent_id = c % 2 === 0 ? null : notebook.id
        return { type: "notebook", op: "create", data: { name: this.#word(actor), parent_id } }
      }
      case "renameNotebook":
        return update(notebook, () => ({ name: this.#word(actor) }))
      case "moveNotebook":
        return update(this.#some("notebook", a), () => ({ parent_id: c % 3 === 0 ? null : notebook.id }))
      case "deleteNotebook":
        return remove(notebook)
      case "createTag":
        return { type: "tag", op: "create", data: { name: tagNames[c % 5] } }
      case "renameTag":
        return update(this.#some("tag", a), () => ({ name: tagNames[c % 5] }))
      case "colorTag":
        return update(this.#some("tag", a), () => ({ color: `#0000${10 + (c % 50)}` }))
      case "deleteTag":
        return remove(this.#some("tag", a))
      case "createTemplate":
        return { type: "template", op: "create", data: { name: this.#word(actor), body: `${this.#word(actor)}\n` } }
      case "editTemplate":
        return update(this.#some("template", a), ({ data }) => ({
          body: this.#text(data.body, this.#word(actor), b, c)
        }))
      case "deleteTemplate":
        return remove(this.#some("template", a))
      case "createComment":
        return note && { type: "comment", op: "create", data: { note_id: note.id, body: this.#word(actor) } }
      case "reply": {
        const to = this.#some("comment", a)
        const data = { note_id: to?.data.note_id, body: this.#word(actor), parent_id: to?.id }
        return to && { type: "comment", op: "create", data }
      }
      case "editComment":
        return update(this.#some("comment", a), () => ({ body: this.#word(actor) }))
      case "resolveComment":
        return update(this.#some("comment", a), ({ data }) => ({ resolved: !data.resolved }))
      case "deleteComment":
        return remove(this.#some("comment", a))
      case "createReminder": {
        const data = { note_id: note?.id, remind_at: `2031-05-${10 + (c % 20)}T08:00:00.000Z` }
        return note && { type: "reminder", op: "create", data }
      }
      case "editReminder":
        return update(this.#some("reminder", a), () => ({ remind_at: `2032-05-${10 + (c % 20)}T08:00:00.000Z` }))
      case "deleteReminder":
        return remove(this.#some("reminder", a))
      default:
        return undefined
    }
  }

  /** The request of a step that only the API of the resource has. */
  #requestOf({ a, b, c, kind }: Step): readonly [method: string, path: string, body?: unknown] | undefined {
    const gone = (type: string) => this.#some(type, a, false)
    const notebook = this.#some("notebook", b)!
    const [one, other] = [this.#some("tag", a), this.#some("tag", c)]
    switch (kind) {
      case "restoreNote": {
        const note = gone("note")
        return note && ["POST", `/notes/${note.id}/restore`]
      }
      case "restoreNotebook": {
        const deleted = gone("notebook")
        return deleted && ["POST", `/notebooks/${deleted.id}/restore`]
      }
      case "moveOutOfNotebook":
        return ["DELETE", `/notebooks/${notebook.id}?move_notes_to=${this.#some("notebook", c)!.id}`]
      case "mergeTags":
        return one && other && ["POST", "/tags/merge", { source_ids: [one.id], target_id: other.id }]
      default:
        return undefined
    }
  }

  async run(step: Step): Promise<void> {
    const { workspace } = this
    const headers = { ...headersOf[step.actor], ...(step.actor === "assistant" ? this.#assistant : {}) }
    // At least one notebook stays.
    if (![...workspace.state.values()].some(({ data, type }) => type === "notebook" && data !== null)) {
      await workspace.given("POST", "/notebooks", { name: "Another" })
      await workspace.pull("person")
    }
    const { seen, state } = workspace
    const from = seen.length
    const change = this.#changeOf(step)
    let request = this.#requestOf(step)
    if (change !== undefined) {
      const { data, held, op, type } = change
      const isPushed = step.pushed || step.actor === "device"
      const entry = {
        type,
        op: op === "delete" ? "delete" : "upsert",
        mutation_id: `m-${this.log.length}`,
        revision: held?.revision ?? 0,
        ...(held === undefined ? {} : { id: held.id }),
        ...(data === undefined ? {} : { data })
      }
      const method = { create: "POST", update: "PATCH", delete: "DELETE" }[op]
      const { note_id: _, ...ofComment } = data ?? {}
      request = isPushed
        ? ["POST", "/sync/push", { changes: [entry] }]
        : [method, pathOf(change), type === "comment" && data !== undefined ? ofComment : data]
    }
    if (request === undefined) return
    const [method, path, body] = request
    const response = await workspace.call(method, path, body, headers)
    const refused = response.body?.rejected?.[0]?.code ?? ""
    this.log.push(`${step.actor} ${step.kind} ${method} ${path} ${JSON.stringify(body)} ${response.status} ${refused}`)
    const isExpected = [200, 201, 204, 403, 404, 409, 410, 422].includes(response.status)
    if (!isExpected) throw new Error(`${this.log.at(-1)} ${response.text}`)
    await workspace.pull(step.actor)
    if (step.actor !== "assistant") return
    for (const { id } of seen.slice(from)) if (!this.before.has(id)) this.before.set(id, state)
  }
}
