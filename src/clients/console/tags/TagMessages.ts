import { translated } from "../ChosenLanguage.ts"

/** The texts of the dialogs of tags, which are loaded with them. */
export const tagTexts = translated("tags", {
  dialog: {
    titles: {
      edit: (name: string) => `#${name}`,
      merge: (name: string) => `Merge #${name}`,
      delete: (name: string) => `Delete #${name}`
    },
    done: {
      merge: (name: string) => `#${name} is merged.`,
      delete: (name: string) => `#${name} is deleted.`
    },
    actions: { edit: "Save", merge: "Merge", delete: "Delete" },
    name: "Name of the tag",
    nameHint: "Without spaces, commas and #",
    exists: "There is a tag with this name. Merge the two instead.",
    unknown: "There is no tag with this name.",
    target: "Tag that replaces it",
    mergeLead: (name: string) => `All notes with #${name} get the other tag, and #${name} is deleted.`,
    deleteLead: (count: number) =>
      count === 0
        ? "No note has this tag."
        : `${count === 1 ? "1 note has" : `${count} notes have`} this tag, and will lose it. The notes stay.`
  },
  all: {
    filter: "Part of the name",
    more: "Show more",
    none: "No tag matches."
  }
})
