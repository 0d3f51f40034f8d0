/** The dialogs of a note. They are one file, which is loaded when the first of them is opened. */
export { ActivityDialog } from "./ActivityDialog.tsx"
export { ClashDialog, MergeDialog } from "./ClashDialog.tsx"
export { CommentsDialog } from "./CommentsDialog.tsx"
export { HistoryDialog } from "./HistoryDialog.tsx"
export { RemindersDialog } from "../reminders/RemindersDialog.tsx"
export { SharesDialog } from "./SharesDialog.tsx"
export { WaitingDialog } from "../drafts/WaitingDialog.tsx"
