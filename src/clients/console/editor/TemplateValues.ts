import { locale } from "../ChosenLanguage.ts"
import { isoTime } from "../LocalTime.ts"

/**
 * The text of a template for a note that is there already, with the title of the note and the present day and time. Other
 * placeholders stay as they are written: `unresolved` has their names. The server fills all of a new note.
 */
export const filled = (
  text: string,
  title: string,
  now: Date
): { readonly text: string; readonly unresolved: ReadonlyArray<string> } => {
  const [date = "", time = ""] = isoTime(now).slice(0, 16).split("T")
  const [year = "", month = "", day = ""] = date.split("-")
  const weekday = new Intl.DateTimeFormat(locale, { weekday: "long" }).format(now)
  const values = new Map(Object.entries({ title, date, time, datetime: `${date} ${time}`, year, month, day, weekday }))
  const unresolved = new Set<string>()
  const made = text.replaceAll(/\{\{([^{}\n]+)\}\}/g, (written, inner: string) => {
    const value = values.get(inner.trim())
    if (value === undefined) unresolved.add(inner.trim())
    return value ?? written
  })
  return { text: made, unresolved: [...unresolved] }
}
