/** `sheaf/sync`: a sync engine for apps that work offline, in browsers, Node, Deno and Bun. */
export type { Refused } from "./EditQueue.ts"
export type { LocalRecord, RecordChange, RecordOf } from "./LocalRecord.ts"
export { type Data, merge, mergeTags, mergeTexts } from "../../../services/records/Merge.ts"
export { type Edit, type Known, newId } from "./Edit.ts"
export type { AttachedFile } from "./FileTransfer.ts"
export { type EngineState, openSync, type SyncEngine, type SyncOptions } from "./SyncEngine.ts"
export { type Entry, memoryStore, StoreError, type SyncStore } from "./SyncStore.ts"
