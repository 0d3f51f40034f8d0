import { translated } from "../ChosenLanguage.ts"
import type { KeyPlace } from "./KeyTable.ts"

/** The texts of the palette, of the list of keys, and of what is done with several notes, which are loaded with them. */
export const texts = translated("finding", {
  palette: {
    title: "Find or do something",
    placeholder: "Find a note, notebook, tag or command",
    outlinePlaceholder: "Find a heading",
    noHeadings: "This note has no headings.",
    none: "Nothing matches.",
    recent: "Opened last",
    loaded: "Best matches",
    server: "In all notes",
    commands: "Commands",
    headings: "Headings",
    offline: "The server cannot be reached. Only what is loaded is found.",
    count: (count: number) => (count === 1 ? "1 result" : `${count} results`),
    heading: "Heading",
    searchFor: (query: string) => `Search for “${query}” in all texts`,
    create: (title: string) => `New note “${title}”`,
    hints: [
      ["↑↓", "move"],
      ["Enter", "open"],
      ["Esc", "close"]
    ] as ReadonlyArray<readonly [key: string, meaning: string]>
  },
  list: {
    menu: "Order and rows of the list",
    fields: { updated_at: "Last edited", created_at: "Created", title: "Title" },
    relevance: "Best match",
    directions: { byTime: ["Oldest first", "Newest first"], byTitle: ["A to Z", "Z to A"] },
    filter: "Filter",
    compact: "One line for each note",
    select: "Select notes"
  },
  note: {
    archive: "Move to the archive",
    unarchive: "Move out of the archive",
    duplicate: "Duplicate",
    trash: "Move to the trash",
    trashed: "The note is in the trash.",
    isArchived: "The note is in the archive.",
    outline: "Outline",
    template: "Save as a template",
    templateSaved: "The template is saved."
  },
  links: "Linked from",
  columns: { name: "Columns", side: "Width of the navigation", list: "Width of the list" },
  commands: {
    newNote: { title: "New note", aliases: "create write" },
    today: { title: "Note of today", aliases: "daily journal diary date" },
    property: { title: "Add property", aliases: "front matter metadata yaml" },
    outline: { title: "Outline of the note", aliases: "headings table of contents" },
    links: { title: "Links to the note", aliases: "backlinks references mentions" },
    askLinks: { title: "Ask about links after a rename", aliases: "update keep title" },
    tasks: { title: "Tasks", aliases: "to do due today overdue" },
    search: { title: "Search in all texts", aliases: "find" },
    settings: { title: "Settings", aliases: "preferences account profile" },
    server: { title: "Server", aliases: "operator administration" },
    exports: { title: "Export notes", aliases: "download backup settings" },
    imports: { title: "Import notes", aliases: "bring upload obsidian logseq" },
    print: { title: "Print the note", aliases: "pdf paper" },
    copyMarkdown: { title: "Copy as Markdown", aliases: "clipboard source text" },
    copyFormatted: { title: "Copy with formatting", aliases: "clipboard rich text html mail word" },
    exportNote: { title: "Save as a Markdown file", aliases: "export download md" },
    keys: { title: "Keys", aliases: "shortcuts keyboard help" }
  },
  withoutFiles:
    "The file has the text of the note. The files that are attached to it come with an export of its notebook.",
  filters: {
    label: "Filters of the search",
    notebook: "Notebook",
    tag: "Tag",
    time: "Changed",
    times: { today: "Today", week: "In the last 7 days", month: "In the last 30 days", year: "In the last year" },
    property: "Property",
    archive: "Archive",
    archived: "Archived only",
    notArchived: "Not archived"
  },
  keys: {
    places: {
      anywhere: "Everywhere",
      list: "In the list of notes",
      text: "In the text of a note"
    } satisfies Record<KeyPlace, string>,
    single: "Single keys, such as N, do something while no text has the focus"
  }
})
