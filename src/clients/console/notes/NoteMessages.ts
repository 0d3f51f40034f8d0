import { translated } from "../ChosenLanguage.ts"

/** The texts of the dialogs of a note and of waiting texts, which are loaded with them. */
export const texts = translated("notes", {
  trashed: {
    restore: "Restore",
    erase: "Delete for good",
    eraseConfirm: "The note and its history are erased. This cannot be undone.",
    inTrash: "This note is in the trash."
  },
  missing: (id: string) =>
    `The note ${id} is not here. It was deleted, or it belongs to another workspace. Search for its words, or look in the trash.`,
  openTrash: "Look in the trash",
  waiting: {
    title: "Texts on this device",
    lead: "They are saved as soon as the server can be reached. Open those that stay: they need you.",
    open: "Open",
    discard: "Discard"
  },

  boxMoved: "The line of this box has changed. Nothing was ticked: look at the note as it is now.",
  conflict: {
    title: "You and someone else changed the same title",
    lead: "Choose the title, or the text if both together are too long. Both are in the history, whatever you choose.",
    mergedLead: "The note has the words of both. The history has the note as it was before.",
    base: "Before",
    theirs: "Their version",
    yours: "Your version",
    result: "Result",
    resultTitle: "Title of the result",
    useMerged: "Save the result",
    useTheirs: "Use their version",
    useYours: "Use your version"
  },

  history: {
    same: "The text is the same as before.",
    added: "added",
    removed: "removed",
    version: (version: number) => `Version ${version}`,
    current: "Current version",
    by: (name: string) => `by ${name}`,
    showAll: "Show every version",
    restore: "Restore this version",
    restored: "The version is restored.",
    restoresTags: (names: ReadonlyArray<string>) =>
      names.length === 0
        ? "The note loses its tags: this version has none."
        : `The tags of this version come back too: ${names.map((name) => `#${name}`).join(" ")}`
  },

  reminders: {
    when: "When",
    presets: { evening: "This evening", tomorrow: "Tomorrow", week: "Next week" },
    add: "Add a reminder",
    channel: "By",
    channels: { push: "Notification", email: "Mail", webhook: "Webhook" },
    done: "Done",
    remove: (when: string) => `Remove ${when}`,
    none: "No reminders.",
    noMail: "This server sends no mail.",
    noWebhook: "Webhook (none receives reminders)",
    onlyOpen: "No device of yours gets notifications. The reminder is shown in Sheaf, while it is open.",
    elsewhere: "Another device of yours gets notifications, and this one does not.",
    subscribe: "Notify me on this device",
    denied: "The browser does not allow notifications of this page. Its settings can change that.",
    fired: (title: string) => `Reminder: ${title}`,
    open: "Open the note",
    subscribed: "This device gets notifications."
  },
  comments: {
    add: "Comment",
    write: "Write a comment",
    reply: "Reply",
    resolve: "Resolve",
    reopen: "Reopen",
    remove: "Delete",
    deleted: "This comment was deleted.",
    none: "No comments yet."
  },
  shares: {
    lead: "Anyone with the link can read the current text of this note.",
    create: "Create a link",
    password: "Password (optional)",
    passwordHint: "At least 8 characters",
    expires: "Ends (optional)",
    copy: "Copy the link",
    remove: "End this link",
    protected: "with a password",
    until: (when: string) => `until ${when}`,
    views: (count: number) => (count === 1 ? "1 view" : `${count} views`)
  }
})
