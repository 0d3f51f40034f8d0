/** `sheaf/rxdb`: replicates an RxDB collection with a workspace. */
export { recordConflicts, recordSchema } from "./RecordSchema.ts"
export { replicateSheaf, type ReplicateOptions } from "./ReplicateSheaf.ts"
export type { Checkpoint } from "./PullHandler.ts"
export type { Refused } from "../sync/EditQueue.ts"
export { newId } from "../sync/Rules.ts"
export type { RecordType, SheafRecord } from "../sync/SheafRecord.ts"
