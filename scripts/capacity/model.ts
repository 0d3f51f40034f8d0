/** What a number of users with given habits costs, by the measured costs of single requests, and which wall comes first. */

/** The requests that habits count. */
export const REQUESTS = ["get", "list", "search", "create", "update", "pull"] as const
export type Request = (typeof REQUESTS)[number]

/** The cost of one request, at a moderate load. */
export interface Cost {
  /** Microseconds of processor time of Node. */
  readonly node: number
  /** Microseconds of processor time of PostgreSQL. */
  readonly postgres: number
  /** Bytes of PostgreSQL's log (WAL). */
  readonly log: number
  /** Bytes by which the database grows. */
  readonly stored: number
}

export interface Costs {
  /** The date and the machine. */
  readonly measured: string
  readonly requests: Readonly<Record<Request, Cost>>
  /** A change that reaches an open stream: microseconds of Node. */
  readonly delivery: number
  /** An open stream: bytes of memory of Node. */
  readonly stream: number
  /** A write of another node: microseconds of Node. */
  readonly foreign: number
  /** Bytes of memory of the search index of a note. */
  readonly indexed: number
}

/** What one user does on an average day. */
export interface Habits {
  readonly perDay: Readonly<Record<Request, number>>
  /** Devices with an open stream in the busiest hour. */
  readonly streams: number
  /** Notes, of 1 KB. */
  readonly notes: number
  /** Share of the users whose workspace is searched within a day, so that its index is in memory. */
  readonly searching: number
  /** Bytes of files that a user adds in a month. */
  readonly files: number
  /** The busiest second, as a multiple of the average one. */
  readonly peak: number
}

/** A person who writes every day, with a phone and a computer. */
export const person: Habits = {
  perDay: { get: 60, list: 40, search: 5, create: 4, update: 40, pull: 60 },
  streams: 0.5,
  notes: 1_000,
  searching: 0.3,
  files: 20e6,
  peak: 5
}

/** Share of what an edit stores that ends after 90 days: its entry in the log; its version stays. */
const ENDING = 0.5
const DAY = 86_400
const MONTH = 30 * DAY
/** Share of a core that the peak may use: above it, requests wait. */
const FULL = 0.6
/** Bytes of memory of a node for streams, and for search indexes (SEARCH_MEMORY of 1 GB). */
const STREAM_MEMORY = 1e9
const SEARCH_MEMORY = 1e9

/** Limits of one PostgreSQL and of what it is run on. */
export const LIMITS = {
  /** Cores of a large server. */
  cores: 64,
  /** Nodes with 25 connections each. */
  nodes: 40,
  /** Bytes a second of its log that a disk and a standby take for hours. */
  log: 200e6,
  /** Bytes of a database that can still be backed up and restored within a day. */
  stored: 10e12,
  /** Share of a core of each node that messages about the writes of others may use. */
  messages: 0.15
} as const

export interface Demand {
  readonly users: number
  /** Requests and writes a second, at the peak. */
  readonly requests: number
  readonly writes: number
  /** Cores that Node uses for requests at the peak, without messages. */
  readonly nodeCores: number
  readonly nodes: number
  readonly postgresCores: number
  /** Share of a core of each node for messages about the writes of others. */
  readonly messages: number
  /** Bytes a second of PostgreSQL's log at the peak. */
  readonly log: number
  /** Bytes: in a month of PostgreSQL's log, of growth of the database, of files; and of the database after a year. */
  readonly logMonth: number
  readonly storedMonth: number
  readonly filesMonth: number
  readonly storedYear: number
  readonly streams: number
  /** Bytes of search indexes in memory, on all nodes together. */
  readonly indexes: number
}

/** What users demand of one installation. */
export const demandOf = (users: number, habits: Habits, costs: Costs): Demand => {
  const perSecond = (request: Request) => (users * habits.perDay[request]) / DAY
  const sum = (of: (cost: Cost) => number) =>
    REQUESTS.reduce((total, request) => total + perSecond(request) * of(costs.requests[request]), 0)
  const requests = REQUESTS.reduce((total, request) => total + perSecond(request), 0) * habits.peak
  const writes = (perSecond("create") + perSecond("update")) * habits.peak
  const nodeCores = (sum(({ node }) => node) * habits.peak + writes * habits.streams * costs.delivery) / 1e6
  const streams = users * habits.streams
  const indexes = users * habits.searching * habits.notes * costs.indexed
  const messages = (writes * costs.foreign) / 1e6
  const needed = Math.max(
    nodeCores / Math.max(FULL - messages, 0.01),
    (streams * costs.stream) / STREAM_MEMORY,
    indexes / SEARCH_MEMORY
  )
  const storedMonth = sum(({ stored }) => stored) * MONTH
  return {
    users,
    requests,
    writes,
    nodeCores,
    nodes: Math.max(1, Math.ceil(needed)),
    postgresCores: (sum(({ postgres }) => postgres) * habits.peak) / 1e6 / FULL,
    messages: needed > 1 ? messages : 0,
    log: sum(({ log }) => log) * habits.peak,
    logMonth: sum(({ log }) => log) * MONTH,
    storedMonth,
    filesMonth: users * habits.files,
    storedYear: users * habits.notes * costs.requests.create.stored + storedMonth * (12 * (1 - ENDING) + 3 * ENDING),
    streams,
    indexes
  }
}

/** The walls of one installation: whether a demand is beyond each. */
const walls: Readonly<Record<string, (demand: Demand) => boolean>> = {
  "one main thread of Node": ({ nodes }) => nodes > 1,
  "the cores of one PostgreSQL": ({ postgresCores }) => postgresCores > LIMITS.cores,
  "the connections of one PostgreSQL": ({ nodes }) => nodes > LIMITS.nodes,
  "the log of one PostgreSQL": ({ log }) => log > LIMITS.log,
  "the size of one database": ({ storedYear }) => storedYear > LIMITS.stored,
  "messages between nodes": ({ messages }) => messages > LIMITS.messages
}

/** The largest number of users before a wall, to two digits. */
const usersBefore = (isBeyond: (demand: Demand) => boolean, habits: Habits, costs: Costs): number => {
  let [within, beyond] = [1, 1e12]
  while (beyond / within > 1.01) {
    const middle = Math.sqrt(within * beyond)
    if (isBeyond(demandOf(middle, habits, costs))) beyond = middle
    else within = middle
  }
  return Number(within.toPrecision(2))
}

/** Each wall with the number of users before it, the nearest first. */
export const wallsOf = (habits: Habits, costs: Costs): ReadonlyArray<readonly [wall: string, users: number]> =>
  Object.entries(walls)
    .map(([wall, isBeyond]) => [wall, usersBefore(isBeyond, habits, costs)] as const)
    .toSorted((one, other) => one[1] - other[1])

export interface Plan {
  readonly users: number
  /** The nearest wall beyond the number of users; for several installations the wall of each. */
  readonly wall: string
  /** Number of installations, each with its own database, and the demand of each. */
  readonly installations: number
  readonly each: Demand
}

/** How a number of users is served: by one installation up to the first wall that more nodes do not move. */
export const planOf = (users: number, habits: Habits, costs: Costs): Plan => {
  const all = wallsOf(habits, costs)
  const [, most] = all.find(([wall]) => wall !== "one main thread of Node")!
  const installations = Math.ceil(users / most)
  const [wall] = all.find(([, before]) => before >= users / installations)!
  return { users, wall, installations, each: demandOf(users / installations, habits, costs) }
}
