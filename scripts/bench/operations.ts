/** The requests of each measured operation, and checks of their responses. */
import { Connection, header, type Reply, requestText } from "./Connection.ts"

/** The members of a workspace that requests need. */
export interface Place {
  readonly key: string
  readonly notebook_id: string
}

interface Note {
  readonly id: string
  version: number
  etag?: string
}

/** The data of one connection: a workspace, and notes in it that no other connection changes. */
export interface Caller {
  readonly place: Place
  /** The workspace that all connections write to in `create-one`. */
  readonly shared: Place
  /** Lots of 100 notes: to update, to push, to read again. */
  readonly lots: ReadonlyArray<ReadonlyArray<Note>>
  /** Cursors at which pulls begin. */
  readonly cursors: ReadonlyArray<string>
  turn: number
}

export interface Operation {
  readonly label: string
  readonly status: number
  readonly request: (caller: Caller) => string
  /** Throws if the response is not the expected one. */
  readonly check: (reply: Reply, caller: Caller) => void
}

const LOT = 100
const LOTS = 3
/** Number of notes per caller that are read with `If-None-Match`. */
const CONDITIONAL = 10
const BODY = 1024

const WORDS =
  "sync note server search revision cursor postgres change stream notebook tag version index merge conflict export import webhook audit key limit replica commit batch latency page record client".split(
    " "
  )
const prose = (length: number): string => {
  let text = ""
  while (text.length < length) text += `${WORDS[Math.floor(Math.random() * WORDS.length)]} `
  return text.slice(0, length)
}
const PROSE = Array.from({ length: 64 }, () => prose(BODY - 10))
let made = 0
/** Bodies of 1 KB, all different, because an edit without a change is not stored. */
const newBody = (): string => `${`${made++}`.padStart(9, "0")} ${PROSE[made % PROSE.length]}`
const newNote = ({ notebook_id }: Place, title = "note") => ({ notebook_id, title, body: newBody() })

const must = (truth: boolean, { head, body }: Reply): void => {
  if (!truth) throw new Error(`unexpected response:\n${head}\n\n${body.toString().slice(0, 600)}`)
}
const jsonOf = ({ body }: Reply): any => JSON.parse(body.toString())
const anyOf = <A>(values: ReadonlyArray<A>): A => values[Math.floor(Math.random() * values.length)]!
const turnOf = (caller: Caller, lot: number, among = LOT): Note => caller.lots[lot]![caller.turn++ % among]!

/** Sends one request outside of the measurements. */
const ask = async (connection: Connection, request: string): Promise<any> => {
  const reply = await connection.exchange(request)
  must(reply.status < 300, reply)
  return jsonOf(reply)
}

export const create = (connection: Connection, place: Place): Promise<{ readonly id: string }> =>
  ask(connection, requestText(place.key, "POST", "/v2/notes", newNote(place)))

/** Creates the notes that the operations need. */
export const prepare = async (port: number, place: Place, shared: Place): Promise<Caller> => {
  const connection = new Connection(port)
  const lots: Array<ReadonlyArray<Note>> = []
  for (let lot = 0; lot < LOTS; lot++) {
    const changes = Array.from({ length: LOT }, () => ({ type: "note", op: "upsert", data: newNote(place) }))
    const { results } = await ask(connection, requestText(place.key, "POST", "/v2/sync/push", { changes }))
    lots.push(results.map(({ id, revision }: any): Note => ({ id, version: revision })))
  }
  for (const note of lots[2]!.slice(0, CONDITIONAL)) {
    const reply = await connection.exchange(requestText(place.key, "GET", `/v2/notes/${note.id}`))
    note.etag = header(reply.head, "etag")!
  }
  const cursors: Array<string> = []
  while (cursors.length < 2) {
    const body = { limit: 75, ...(cursors.length === 0 ? {} : { cursor: cursors.at(-1) }) }
    cursors.push((await ask(connection, requestText(place.key, "POST", "/v2/sync/pull", body))).cursor)
  }
  connection.close()
  return { place, shared, lots, cursors, turn: 0 }
}

const createIn = (label: string, place: (caller: Caller) => Place): Operation => ({
  label,
  status: 201,
  request: (caller) => requestText(place(caller).key, "POST", "/v2/notes", newNote(place(caller))),
  check: (reply) => must(reply.body.includes('"id":"'), reply)
})

export const operations: Readonly<Record<string, Operation>> = {
  create: createIn("create", ({ place }) => place),
  get: {
    label: "get",
    status: 200,
    request: ({ lots, place }) => requestText(place.key, "GET", `/v2/notes/${anyOf(anyOf(lots)).id}`),
    check: (reply) => must(reply.body.length > BODY, reply)
  },
  "get-304": {
    label: "get, not modified",
    status: 304,
    request: (caller) => {
      const { etag, id } = turnOf(caller, 2, CONDITIONAL)
      return requestText(caller.place.key, "GET", `/v2/notes/${id}`, undefined, { "if-none-match": etag! })
    },
    check: (reply) => must(reply.body.length === 0, reply)
  },
  list: {
    label: "list of 25",
    status: 200,
    request: ({ place }) => requestText(place.key, "GET", "/v2/notes?limit=25"),
    check: (reply) => must(reply.body.length > 25 * BODY, reply)
  },
  update: {
    label: "update",
    status: 200,
    request: (caller) => {
      const { id, version } = turnOf(caller, 0)
      return requestText(caller.place.key, "PATCH", `/v2/notes/${id}`, { title: "note", body: newBody(), version })
    },
    check: (_, caller) => void caller.lots[0]![(caller.turn - 1) % LOT]!.version++
  },
  pull: {
    label: "pull of 100",
    status: 201,
    request: ({ cursors, place }) =>
      requestText(place.key, "POST", "/v2/sync/pull", { cursor: anyOf(cursors), limit: 100 }),
    check: (reply) => must(reply.body.length > 95 * BODY, reply)
  },
  push: {
    label: "push of 100 changed notes",
    status: 201,
    request: ({ lots, place }) => {
      const changes = lots[1]!.map(({ id, version }) => ({
        ...{ type: "note", op: "upsert", id, revision: version },
        data: { title: "note", body: newBody() }
      }))
      return requestText(place.key, "POST", "/v2/sync/push", { changes })
    },
    check: (reply, { lots }) => {
      const { results } = jsonOf(reply)
      must(
        results.every(({ status }: any) => status === "applied"),
        reply
      )
      for (const [index, note] of lots[1]!.entries()) note.version = results[index].revision
    }
  },
  "create-one": createIn("create, all in one workspace", ({ shared }) => shared)
}
