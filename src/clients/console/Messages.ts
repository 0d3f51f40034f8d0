import { translated } from "./ChosenLanguage.ts"
import type { ProblemCode } from "../client/SheafClient.ts"
import { accountTexts } from "./accounts/AccountMessages.ts"

type Sentences = Partial<Record<ProblemCode, string>>

/** All texts of the console, except of parts that are loaded on demand. */
export const texts = translated("main", {
  name: "Sheaf",
  close: "Close",
  save: "Save",
  undo: "Undo",
  retry: "Try again",
  more: "More",
  cancel: "Cancel",
  copied: "Copied.",
  notCopied: "The browser does not allow Sheaf to copy.",
  settings: "Settings",
  connect: "Connect a client",
  server: "Server",
  offline: "The server cannot be reached. Your text is kept on this device.",
  notFound: "This note is not here. It was deleted, or it belongs to another workspace.",
  unexpected: "Something unexpected happened. Your text is kept on this device.",
  untitled: "Untitled",
  noteName: "Note",
  notebook: "Notebook",

  problems: {
    invalid_credentials: "The address or the password is wrong.",
    login_throttled: "Too many attempts. Wait a few minutes.",
    rate_limited: "Too many requests. Wait a moment.",
    sign_up_closed: "This server creates accounts by invitation only.",
    password_sign_in_off: "This server accepts no passwords: sign in by a provider.",
    reauthentication_required: "This needs a confirmation that it is you.",
    two_factors_required: "This needs a sign-in with two factors.",
    insufficient_role: "Your role in this workspace does not allow this.",
    quota_exceeded: "The workspace is full.",
    service_unavailable: "The server is busy. Try again in a moment.",
    overloaded: "The server is busy. Try again in a moment.",
    unexpected_response: "The server sent an unexpected response."
  } satisfies Sentences,

  account: accountTexts,

  lists: {
    all: "All notes",
    tasks: "Tasks",
    archive: "Archive",
    trash: "Trash",
    search: "Search"
  },
  navigation: "Notebooks and tags",
  openNavigation: "Open the navigation",
  notebooks: "Notebooks",
  tags: "Tags",
  newNotebook: "New notebook",
  editNotebook: "Edit…",
  deleteNotebook: "Delete",
  moveNotebook: "Move to…",
  notebookTitle: (name: string, own: number, inside: number) =>
    own === inside ? `${name}: ${own}` : `${name}: ${own}, ${inside} with inner notebooks`,
  newSubnotebook: "New notebook inside",
  expand: (name: string) => `Show the notebooks in ${name}`,

  allTags: {
    title: "All tags",
    limited: (most: number) => `The ${most} tags of most notes are shown.`
  },
  tagMenu: { edit: "Name and colour…", merge: "Merge into…", delete: "Delete…" },

  skip: "Skip to the list of notes",
  search: "Search notes",
  palette: (key: string) => `Find or do something (${key})`,
  list: {
    pick: (title: string) => `Select ${title}`
  },
  results: (count: number) => (count === 1 ? "1 note" : `${count} notes`),
  empty: {
    all: "No notes yet. Write the first one.",
    archive: "Archived notes are here, out of the way.",
    trash: "Nothing is in the trash. Notes stay here for 30 days.",
    notebook: "This notebook is empty.",
    tag: "No note has this tag.",
    search: "No note matches."
  },
  noSelection: "Begin here:",
  writeNote: "Write a note",
  keysHint: (find: string, write: string) =>
    `${find} finds notes and commands, ${write} writes, ? lists the keys, [[ links a note.`,
  newNote: "New note",
  fromTemplate: "New note from a template",

  importNotes: "Import notes…",
  manageTemplates: "Manage templates…",
  unresolved: (names: ReadonlyArray<string>) => `Placeholders without a value: ${names.join(", ")}`,
  note: {
    title: "Title",
    body: "Text of the note",
    read: "Read",
    write: "Write",
    back: "Back to the list",
    pin: "Pin",
    unpin: "Unpin",
    removed: "This note was deleted, or moved to the trash.",
    move: "Notebook",
    tags: "Tags",
    addTag: "Add a tag",
    removeTag: (name: string) => `Remove ${name}`,
    words: (count: number) => (count === 1 ? "1 word" : `${count} words`),
    history: "History",
    activity: "What happened",
    share: "Share",
    reminders: "Reminders",
    comments: "Comments",
    attach: "Attach a file"
  },

  saving: {
    saved: "Saved",
    saving: "Saving…",
    typing: "Not saved yet",
    offline: "Offline: kept on this device",
    conflict: "Needs your decision",
    refused: "Not saved",
    unstored: "This browser cannot keep the text. Do not close the page.",
    merged: "Merged with another change",
    compare: "Compare"
  },
  gone: "The note was deleted while you were writing. Your text is kept here.",
  saveAsNew: "Save as a new note",
  discard: "Discard my text",
  discardConfirm: "Discard the text that is not saved? This cannot be undone.",

  waiting: {
    count: (count: number) => (count === 1 ? "1 text waits" : `${count} texts wait`),
    show: "Show",
    sent: "The text was saved meanwhile."
  },

  noWorkspace: "You are not a member of this workspace any more, or it was deleted.",
  openOwnWorkspace: "Open my own workspace",
  editorOffline: "The editor needs the server. Your text is kept on this device.",
  restored: (when: string | undefined) =>
    `The server was restored from a backup${when === undefined ? "" : ` of ${when}`}. Later changes are missing, unless a device sends them again. Your text is kept.`,
  newVersionOfServer: "The server was updated. Reload the page; your text is kept.",
  reload: "Reload"
})
