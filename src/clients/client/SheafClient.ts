/** What every user of the client needs. A page that imports this module loads all of it. */
export { Client, type ClientOptions, createClient, type SheafClient } from "./Client.ts"
export { isProblem, type Problem, type ProblemCode, SheafError } from "./ClientProblem.ts"
export { memorySession, type Session, type SessionStore } from "./ClientSession.ts"
export { type Batch, type Change, follow, type FollowOptions, type RecordType, type Reminder } from "./Follow.ts"
export type { CallOptions, InputOf, List, OutputOf, Schemas } from "./Types.ts"
