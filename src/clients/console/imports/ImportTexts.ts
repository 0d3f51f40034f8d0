import { translated } from "../ChosenLanguage.ts"

/** All texts of imports. They are loaded with the pages that import. */
export const importTexts = translated("imports", {
  title: "Import notes",
  file: "File",
  drop: "Choose a file, or drop it here",
  source: "From",
  sources: {
    auto: "Any program: found by the content",
    markdown: "Markdown or ZIP (Obsidian, Logseq, Bear)",
    enex: "Evernote (.enex)",
    notion: "Notion (ZIP)",
    json: "Sheaf (JSON export)"
  },
  notebook: "Into",
  ownNotebooks: "New notebooks, by folders",
  existing: "Notes of earlier imports",
  existingWays: {
    skip: "Leave them; add changed ones",
    update: "Write changes into them",
    duplicate: "Add all notes again"
  },
  options: "Options",
  start: "Import",
  tooLarge: (name: string) => `${name} is larger than 2 GB, the limit of an import. Split it.`,
  sending: (name: string) => `Sending ${name}`,
  keepOpen: "Keep the page open until the file is sent.",
  unsent: "The server cannot be reached, and the file was not sent.",
  waiting: "The file has arrived. The import waits for its turn.",
  running: "Importing",
  soFar: (count: number, total: number | null) =>
    total !== null ? `${count} of ${total} notes` : count === 0 ? "Reading the file" : `${count} notes so far`,
  mayClose: "The server continues when you close this dialog or the page.",
  away: "The server cannot be reached. The import continues there.",
  done: (count: number, remarks = 0) =>
    [
      count === 1 ? "1 note imported." : `${count} notes imported.`,
      ...(remarks === 0 ? [] : [remarks === 1 ? "1 remark" : `${remarks} remarks`])
    ].join(" "),
  imported: (count: number) => (count === 1 ? "1 note was imported before." : `${count} notes were imported before.`),
  updated: (count: number) => (count === 1 ? "1 note is updated." : `${count} notes are updated.`),
  skipped: (count: number) =>
    count === 1 ? "1 note is here already, and was skipped." : `${count} notes are here already, and were skipped.`,
  failed: "The import has failed.",
  remarks: "Remarks",
  moreProblems: (count: number) => `There are ${count} more.`,
  show: "Show",
  other: "Import another file",
  undo: "Undo this import",
  preview: "Preview",
  foreseen: "Preview of the import:"
})
