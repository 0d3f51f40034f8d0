/**
 * What is shown on demand, except the editor and other pages. It is one file, which is loaded when the first of them is
 * needed: many small files take more bytes.
 */
import "./SharedParts.ts"
import "./style/OnDemandStyle.ts"

export { imageHandle } from "./editor/ImageHandle.ts"
export { ActivityDialog } from "./notes/ActivityDialog.tsx"
export { ConflictDialog, MergeDialog } from "./notes/ConflictDialog.tsx"
export { CommentsDialog } from "./notes/CommentsDialog.tsx"
export { HistoryDialog } from "./notes/HistoryDialog.tsx"
export { SharesDialog } from "./notes/SharesDialog.tsx"
export { TrashedNote } from "./notes/TrashedNote.tsx"
export { RemindersDialog } from "./reminders/RemindersDialog.tsx"
export { showFired } from "./reminders/FiredReminder.ts"
export { renew } from "./reminders/Notifications.ts"
export { WaitingDialog } from "./drafts/WaitingDialog.tsx"
export { TemplatesDialog } from "./templates/TemplatesDialog.tsx"
export { TagDialog } from "./tags/TagDialog.tsx"
export { NotebookDialog } from "./workspace/NotebookDialog.tsx"
export { PropertyFilter } from "./properties/PropertyFilter.tsx"
export { AllTagsDialog } from "./tags/AllTagsDialog.tsx"
export { ImportDialog } from "./imports/ImportDialog.tsx"
export { tickable } from "./reading/Ticking.ts"
export { SharedWaiting, showOutcome } from "./notes/SharedWaiting.tsx"
