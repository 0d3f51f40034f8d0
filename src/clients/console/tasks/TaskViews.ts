import { locale } from "../ChosenLanguage.ts"
import type { Schemas } from "../../client/SheafClient.ts"
import { isoDay } from "../LocalTime.ts"

export type Task = Schemas["Task"]

/** What the page of tasks can show. The first is shown at first. */
export const taskViews = ["today", "overdue", "upcoming", "open", "notes"] as const
export type TaskView = (typeof taskViews)[number]

/** The conditions of a view about the dates of its tasks, on a day. */
const dates: Readonly<Record<TaskView, (today: string) => ReadonlyArray<string>>> = {
  today: (today) => [`(due = ${today} OR scheduled = ${today})`],
  overdue: (today) => [`due < ${today}`],
  upcoming: (today) => [`(due > ${today} OR scheduled > ${today})`],
  open: () => [],
  notes: () => []
}

/** The tasks of a view as the API takes them, in one notebook or in all. */
export const taskQuery = (view: TaskView, notebook_id: string | undefined) => ({
  filter: [
    "done = false",
    ...dates[view](dayIn(0)),
    ...(notebook_id === undefined ? [] : [`notebook_id = ${notebook_id}`])
  ].join(" AND "),
  sort: view === "notes" ? (["note_id", "line"] as const) : (["due", "note_id", "line"] as const)
})

/** The day in some days, as the server writes it. */
export const dayIn = (days: number): string => {
  const date = new Date()
  date.setDate(date.getDate() + days)
  return isoDay(date)
}

const thisYear = new Intl.DateTimeFormat(locale, { weekday: "short", day: "numeric", month: "short" })
const otherYear = new Intl.DateTimeFormat(locale, { day: "numeric", month: "short", year: "numeric" })

/** A day in a few letters. */
export const shortDay = (day: string): string =>
  (day.slice(0, 4) === dayIn(0).slice(0, 4) ? thisYear : otherYear).format(new Date(`${day}T12:00:00`))
