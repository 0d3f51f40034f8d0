/** What each measured operation sends, which answer it must get, and how near to the baseline (a) Sheaf has to come. */
import { type Answer, type Connection, header, requestText } from "./Connection.ts"

export interface Workspace {
  readonly workspace_id: string
  readonly notebook_id: string
  readonly key: string
  /** The access token of its owner, who has signed in. */
  readonly token: string
  /** Who signs in with this and `PASSWORD`; the baseline knows nobody. */
  readonly email?: string
}
export interface FilledWorkspace extends Workspace {
  readonly notes: readonly string[]
  /** Where some of them are shared. */
  readonly shares?: ReadonlyArray<{ readonly id: string; readonly path: string }>
  /** Where the comments of one of them are, and all reminders. */
  readonly comments?: ReadonlyArray<string>
  readonly reminders?: ReadonlyArray<string>
}

/** One connection with its workspace. `prepared`: what the operation had to read before it can begin. */
export interface Caller {
  readonly workspace: FilledWorkspace
  readonly connection: Connection
  readonly prepared: Array<{ readonly id: string; version: number; readonly etag: string }>
  sent: number
}

export interface Operation {
  readonly status: number
  /** The least median ratio to the baseline (a). */
  readonly must: number
  /** The baseline's group commit (b) differs from (a). */
  readonly writes: boolean
  readonly oneWorkspace?: boolean
  /** How many of the workspace's last notes are read before. */
  readonly prepare?: number
  readonly request: (caller: Caller) => string
  /** Throws when the content is wrong. Cheap for most answers; `sampled` ones are read whole. */
  readonly verify: (answer: Answer, caller: Caller, sampled: boolean) => void
}

export const NOTES_PER_WORKSPACE = 1000
export const PASSWORD = "correct horse battery"
const PUSHED = 100

const VOCABULARY =
  `about above across after again almost along already always among animal answer around because before begin
between bottle branch bridge bright bring brother build butter button candle carry castle chain change circle clear close
cloud coffee copper corner cotton count course cover cross current danger deep degree desert direct distance double dream
early earth effect engine enough evening exact example family farmer field figure finger flower follow forest forward friend
garden general gentle glass gold ground group harbor heavy history hollow hundred iron island journey kitchen ladder language
leather letter level light listen little machine market matter measure middle minute mirror morning mountain music narrow
nature needle nothing number object ocean office orange order paper pencil people picture planet pocket point potato powder
present problem purple quiet reason record river rubber salt school science second shadow silver simple sister smoke spring
square station steam stone store straight street summer surface table thread thunder ticket together travel valley village
voice water weather whistle window winter wonder yellow`.split(/\s+/)

const word = (): string => VOCABULARY[Math.floor(Math.random() * VOCABULARY.length)] as string
const BODIES = Array.from({ length: 64 }, () => {
  let text = word()
  while (text.length < 1014) text += ` ${word()}`
  return text.slice(0, 1014)
})

let made = 0
/** 1 KB, no two alike. */
export const newBody = (): string => {
  made += 1
  return `${made.toString(36).padStart(9, "0")} ${BODIES[made % BODIES.length]}`
}
export const newTitle = (): string => `${word()} ${word()} ${word()}`
export const newNote = ({ notebook_id }: Workspace) => ({ notebook_id, title: newTitle(), body: newBody() })

const must = (truth: boolean, what: string, { head, body }: Answer): void => {
  if (!truth) throw new Error(`${what}\n${head}\n\n${body.toString().slice(0, 600)}`)
}
export const jsonOf = (answer: Answer): any => JSON.parse(answer.body.toString())
const timeOf = ({ updated_at }: { updated_at: string }): number => Date.parse(updated_at)
const anyOf = <A>(values: readonly A[]): A => values[Math.floor(Math.random() * values.length)] as A
const turn = (caller: Caller) => caller.prepared[caller.sent++ % caller.prepared.length] as Caller["prepared"][number]

const create = {
  status: 201,
  writes: true,
  request: ({ workspace }: Caller) => requestText(workspace.key, "POST", "/v2/notes", newNote(workspace)),
  verify: (answer: Answer, { workspace }: Caller, sampled: boolean) => {
    must(answer.body.length > 1100 && answer.body.includes('"nt_'), "no created note", answer)
    if (!sampled) return
    const note = jsonOf(answer)
    const good = note.version === 1 && note.body.length === 1024 && note.notebook_id === workspace.notebook_id
    must(good && note.word_count > 100, "a wrong created note", answer)
  }
}

/** By an API key, or by a user's token: the two are found by different queries, and remembered alike. */
const getBy = (credential: "key" | "token"): Operation => ({
  status: 200,
  must: 0.6,
  writes: false,
  request: ({ workspace }) => requestText(workspace[credential], "GET", `/v2/notes/${anyOf(workspace.notes)}`),
  verify: (answer, _, sampled) => {
    must(answer.body.length > 1100 && answer.body.includes('"nt_'), "no note", answer)
    if (sampled) must(jsonOf(answer).body.length === 1024 && !!header(answer.head, "etag"), "a wrong note", answer)
  }
})

export const operations: Record<string, Operation> = {
  create: { ...create, must: 1 },
  "create-one": { ...create, must: 2, oneWorkspace: true },
  get: getBy("key"),
  "get-user": getBy("token"),
  "get-304": {
    status: 304,
    must: 0.6,
    writes: false,
    prepare: PUSHED,
    request: (caller) => {
      const { id, etag } = turn(caller)
      return requestText(caller.workspace.key, "GET", `/v2/notes/${id}`, undefined, `If-None-Match: ${etag}\r\n`)
    },
    verify: (answer) => must(answer.body.length === 0, "a 304 with a body", answer)
  },
  list: {
    status: 200,
    must: 0.8,
    writes: false,
    request: ({ workspace }) => requestText(workspace.key, "GET", "/v2/notes?limit=25"),
    verify: (answer, _, sampled) => {
      must(answer.body.length > 25 * 1100, "a short list", answer)
      if (!sampled) return
      const { data, has_more } = jsonOf(answer)
      const newestFirst = data.every((it: any, at: number) => at === 0 || timeOf(data[at - 1]) >= timeOf(it))
      must(data.length === 25 && has_more === true && newestFirst, "a wrong list", answer)
    }
  },
  update: {
    status: 200,
    must: 1,
    writes: true,
    prepare: PUSHED,
    request: (caller) => {
      const path = `/v2/notes/${turn(caller).id}`
      return requestText(caller.workspace.key, "PATCH", path, { body: newBody() })
    },
    verify: (answer, _, sampled) => {
      must(answer.body.length > 1100 && !answer.body.includes('"version":1,'), "no updated note", answer)
      if (sampled)
        must(jsonOf(answer).version > 1 && jsonOf(answer).body.length === 1024, "a wrong updated note", answer)
    }
  },
  pull: {
    status: 201,
    must: 0.9,
    writes: false,
    request: ({ workspace }) => requestText(workspace.key, "POST", "/v2/sync/pull", { limit: 100 }),
    verify: (answer, _, sampled) => {
      must(answer.body.length > 95 * 1100, "a short pull", answer)
      if (!sampled) return
      const { changes, has_more, cursor } = jsonOf(answer)
      const notes = changes.filter((it: any) => it.op === "upsert" && it.data.body?.length === 1024)
      must(
        changes.length === 100 && notes.length >= 95 && has_more && typeof cursor === "string",
        "a wrong pull",
        answer
      )
    }
  },
  push: {
    status: 201,
    must: 0.6,
    writes: true,
    prepare: PUSHED,
    request: ({ workspace, prepared }) => {
      const changes = prepared.map(({ id, version }) => ({
        ...{ type: "note", op: "upsert", id, revision: version, data: { body: newBody() } }
      }))
      return requestText(workspace.key, "POST", "/v2/sync/push", { changes })
    },
    verify: (answer, { prepared }, sampled) => {
      must(answer.body.length > PUSHED * 1100 && answer.body.includes('"conflicts":[]'), "not all pushed", answer)
      for (const note of prepared) note.version += 1
      if (!sampled) return
      const { results } = jsonOf(answer)
      const applied = results.every(
        (it: any, at: number) => it.status === "applied" && it.revision === prepared[at]?.version
      )
      must(results.length === PUSHED && applied, "a wrong push", answer)
    }
  }
}
