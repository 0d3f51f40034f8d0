/** `sheaf/rxdb`: replicates an RxDB collection with a workspace. */
export { recordConflicts, recordSchema, type SheafRecord } from "./RecordSchema.ts"
export { replicateSheaf, type ReplicateOptions } from "./ReplicateSheaf.ts"
export type { Checkpoint } from "./PullHandler.ts"
export type { RecordType } from "../client/Follow.ts"
export type { Refused } from "../sync/EditQueue.ts"
export { newId } from "../sync/Edit.ts"
