import { isApple } from "../Keys.ts"

/** A key with Ctrl, or on macOS with ⌘, as it is shown. */
const withControl = (key: string): string => (isApple ? `⌘${key}` : `Ctrl-${key}`)

/** The texts of the editor, which are loaded with it. */
export const texts = {
  formatting: {
    name: "Formatting",
    show: "Show the formatting bar",
    hide: "Hide the formatting bar",
    heading: "Heading",
    bold: `Bold (${withControl("B")})`,
    italic: `Italic (${withControl("I")})`,
    struck: `Struck through (${withControl("Shift-X")})`,
    code: "Code",
    link: "Link",
    bullets: `List of bullets (${withControl("Shift-8")})`,
    numbers: `Numbered list (${withControl("Shift-7")})`,
    tasks: `Tasks (${withControl("Shift-9")})`,
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
  follow: `${isApple ? "⌘" : "Ctrl"}-click or Alt-Enter opens the link`,
  ticked: "Done",
  unticked: "To do"
}
