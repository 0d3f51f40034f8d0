/** `sheaf/folder`: keeps a folder of Markdown files equal to notebooks of a workspace, on Linux and macOS. */
export { FolderGone } from "./FileAccess.ts"
export type { FolderProblem } from "./ApplySettings.ts"
export type { FolderAction, FolderOptions, FolderReport } from "./FolderOptions.ts"
export type { Direction, Missing } from "./FolderPlan.ts"
export { FolderSync } from "./FolderSync.ts"
export { watchFolder } from "./FolderWatch.ts"
