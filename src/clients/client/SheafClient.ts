/** `sheaf/client`: a typed client for browsers, Node, Deno and Bun. */
export { type AdminClient, Client, type ClientOptions, createAdmin, createClient, type SheafClient } from "./Client.ts"
export { isProblem, type Problem, type ProblemCode, SheafError } from "./ClientProblem.ts"
export { memorySession, type Session, type SessionStore } from "./ClientSession.ts"
export { type Batch, type Change, follow, type FollowOptions, type RecordType, type Reminder } from "./Follow.ts"
export { importFile, type NewImport } from "./ImportFile.ts"
export type { CallOptions, InputOf, List, OutputOf, Schemas } from "./Types.ts"
export { type NewFile, upload, type UploadOptions } from "./Upload.ts"
