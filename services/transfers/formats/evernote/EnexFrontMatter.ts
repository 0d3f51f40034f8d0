import { stringify } from "yaml"
import { cleaned } from "../Decoding.ts"
import type { NoteItem } from "../Item.ts"
import type { EnexNote } from "./EnexNote.ts"
import { timeOf } from "./EnexTime.ts"

/** Names in front matter that differ from Evernote's names. */
const attributeNames: Readonly<Record<string, string>> = {
  "place-name": "place",
  "reminder-done-time": "reminder-done",
  "reminder-time": "reminder",
  source: "evernote-source",
  "source-url": "source",
  "subject-date": "date"
}
const firstAttributes = ["source-url", "author"]

/** A time in ISO 8601; any other text as it is. */
const normalized = (value: string): string => timeOf(value) ?? cleaned(value)

/** Front matter with everything that a note has no member for. */
export const frontMatterOf = (
  { attributes, resources, taskHistory }: EnexNote,
  reminders: NoteItem["reminders"]
): string => {
  const place = [attributes.get("latitude"), attributes.get("longitude")]
  const isPlace = place.every((part) => part)
  const armed = new Set(reminders.map(({ remind_at }) => remind_at))
  const matter = new Map<string, unknown>()
  const add = (name: string) => {
    const value = attributes.get(name)
    if (value !== undefined) matter.set(attributeNames[name] ?? cleaned(name), normalized(value))
  }
  for (const name of firstAttributes) add(name)
  if (isPlace) matter.set("location", place.map((part) => cleaned(part!)).join(", "))
  for (const [name, value] of attributes) {
    if (firstAttributes.includes(name) || (isPlace && ["latitude", "longitude"].includes(name))) continue
    // The order of reminders has no use here, and a reminder has its time already.
    if (name === "reminder-order" || (name === "reminder-time" && armed.has(timeOf(value) ?? ""))) continue
    add(name)
  }
  if (taskHistory.length > 0) matter.set("tasks", taskHistory.map(cleaned))
  const about = resources.flatMap(({ attributes: said, filename }, index) =>
    said.size === 0
      ? []
      : [
          {
            file: cleaned(filename) || index + 1,
            ...Object.fromEntries([...said].map(([key, value]) => [key, normalized(value)]))
          }
        ]
  )
  if (about.length > 0) matter.set("resources", about)
  return matter.size === 0 ? "" : `---\n${stringify(Object.fromEntries(matter), { lineWidth: 0 })}---\n`
}
