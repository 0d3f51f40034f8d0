import { translated } from "../ChosenLanguage.ts"

/** The texts about links between notes, which are loaded when a link is followed or its target is shown. */
export const linkTexts = translated("links", {
  candidates: {
    title: (target: string) => `“${target}” may mean several notes`,
    lead: "Choose the note to open."
  },
  preview: {
    missing: "No note has this name. A click makes it.",
    deleted: "This note is not here.",
    ambiguous: "Several notes have this name. A click offers them.",
    empty: "The note has no text.",
    follow: (key: string) => `${key}-click opens it.`
  },
  backlinks: {
    count: (links: number, notes: number) =>
      `${links === 1 ? "1 link" : `${links} links`} in ${notes === 1 ? "1 note" : `${notes} notes`}`,
    atLeast: (count: string) => `${count}, and more`,
    none: "No note links to this one.",
    offline: "Only the server has the links, and it cannot be reached.",
    more: "Show more",
    broken: "Links of this note to no note or to several",
    missing: "No note has this name: make it",
    ambiguous: "Several notes have this name: choose one",
    deleted: "The note with this id is not here",
    mentions: "Mentions without a link",
    link: "Link",
    linkAll: "Link all",
    changed: "Notes that have changed meanwhile stay as they are."
  },
  renamed: {
    ask: (notes: number, title: string) =>
      `${notes === 1 ? "1 note links" : `${notes} notes link`} to “${title}” by its former title or path.`,
    always: "Always do this",
    update: "Update links",
    keep: "Keep",
    updated: (notes: number) => `Links in ${notes === 1 ? "1 note" : `${notes} notes`} were updated.`
  }
})
