import { translated } from "../ChosenLanguage.ts"

const notes = (count: number) => (count === 1 ? "1 note" : `${count} notes`)
const are = (count: number) => `${notes(count)} ${count === 1 ? "is" : "are"}`

/** The texts of what is done with several notes. */
export const texts = translated("several", {
  selected: (count: number) => `${notes(count)} selected`,
  progress: (done: number, all: number) => `${done} of ${all}…`,
  move: "Move to a notebook…",
  moveTitle: (count: number) => `Move ${notes(count)}`,
  moveAction: "Move",
  tag: "Add a tag…",
  tagTitle: (count: number) => `Add a tag to ${notes(count)}`,
  tagAction: "Add",
  tagName: "Tag",
  archive: "Move to the archive",
  unarchive: "Move out of the archive",
  trash: "Move to the trash",
  restore: "Restore",
  notebookDeleted: (name: string) => `“${name}” and its notes are in the trash.`,
  clear: "Select nothing",
  done: {
    move: (count: number, notebook: string) => `${are(count)} in “${notebook}” now.`,
    tag: (count: number, tag: string) => `${notes(count)} got #${tag}.`,
    archive: (count: number) => `${are(count)} in the archive.`,
    unarchive: (count: number) => `${are(count)} out of the archive.`,
    trash: (count: number) => `${are(count)} in the trash.`,
    restore: (count: number) => `${are(count)} restored.`
  },
  failed: (count: number, shown: ReadonlyArray<string>) =>
    `${notes(count)} did not change: ${shown.join("; ")}${count > shown.length ? "; …" : ""}`,
  failure: (title: string, reason: string) => `“${title}”: ${reason}`
})
