import { translated } from "../ChosenLanguage.ts"

/** All texts of the templates. They are loaded with their dialog. */
export const templateTexts = translated("templates", {
  title: "Templates",
  none: "No templates yet. A note can be saved as one, too.",
  create: "New template",
  edit: "Edit",
  remove: "Delete",
  back: "Back",
  name: "Name of the template",
  body: "Text of the template",
  deleted: (name: string) => `“${name}” is deleted.`,
  changed: "Another user has changed this template. Save again to replace that text with yours.",
  gone: "The template was deleted. Save again to create it with your text.",
  placeholders: "Placeholders",
  hints: [
    ["{{title}}", "the title of the note"],
    ["{{date}} {{time}} {{datetime}}", "now, in your time zone"],
    ["{{year}} {{month}} {{day}} {{weekday}}", "parts of the date"],
    ["{{date:DD.MM.YYYY}}", "in a format of Day.js"],
    ["{{date+1d}} {{date-2w}}", "shifted by h, d, w, m or y"],
    ["{{user.name}} {{user.email}}", "you"],
    ["{{notebook.name}} {{workspace.name}}", "where the note is"],
    ["{{uuid}}", "a new identifier each time"]
  ] as ReadonlyArray<readonly [placeholder: string, meaning: string]>
})
