/** The texts of the dialog of shared content, which are loaded with it. */
export const sharedTexts = {
  title: "Shared with Sheaf",
  lead: (time: string) => `Another app on this device has shared this, ${time}. Save it as a note?`,
  files: "Files",
  save: "Save as a note",
  discard: "Discard",
  discardConfirm: "Discard what was shared? This cannot be undone."
}
