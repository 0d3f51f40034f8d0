import { translated } from "../ChosenLanguage.ts"

/** The texts of the editor, which are loaded with it. */
export const texts = translated("writing", {
  formatting: {
    name: "Formatting",
    show: "Show the formatting bar",
    hide: "Hide the formatting bar",
    heading: "Heading",
    bold: "Bold",
    italic: "Italic",
    struck: "Struck through",
    code: "Code",
    link: "Link",
    bullets: "List of bullets",
    numbers: "Numbered list",
    tasks: "Tasks",
    indent: "Put into the item before (Tab)",
    outdent: "Take out of the item (Shift-Tab)"
  },
  blocks: {
    heading: (level: number) => `Heading ${level}`,
    bullets: "List of bullets",
    numbers: "Numbered list",
    task: "Task",
    table: "Table",
    columns: ["Column", "Column"],
    callout: "Callout",
    calloutTitle: "Title",
    code: "Block of code",
    date: "Date of today",
    link: "Link to a note",
    file: "Image or file",
    template: (name: string) => `Template: ${name}`
  },
  newNote: (title: string) => `New note “${title}”`,
  /** With the key that is Ctrl, or ⌘ on macOS. */
  follow: (key: string) => `${key}-click or Alt-Enter opens the link`,
  imageWidth: "Width of the image",
  ticked: "Done",
  unticked: "To do"
})

/** Words of the search that the editor has in another form. */
export const searchWords = {
  "match case": "Match case",
  regexp: "Regular expression",
  "by word": "Whole words"
}
