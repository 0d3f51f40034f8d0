import { translated } from "../ChosenLanguage.ts"

const noTasks = "No open tasks. A line such as “- [ ] buy milk” in a note is a task."

/** The texts of the page of tasks, which are loaded with it. */
export const taskTexts = translated("tasks", {
  label: "Which tasks",
  views: { today: "Today", overdue: "Overdue", upcoming: "Upcoming", open: "All open", notes: "By note" },
  allNotebooks: "All notebooks",
  empty: {
    today: "Nothing is due or planned for today.",
    overdue: "Nothing is overdue.",
    upcoming: "Nothing is due or planned after today.",
    open: noTasks,
    notes: noTasks
  },
  due: (text: string) => `Due date: ${text}`,
  dueOn: (date: string) => `due ${date}`,
  planned: (date: string) => `planned for ${date}`,
  dates: { today: "Today", tomorrow: "Tomorrow", week: "In a week", other: "Another day…", none: "No date" },
  day: "Due date",
  priority: (text: string) => `Priority: ${text}`,
  priorities: {
    highest: "highest priority",
    high: "high priority",
    medium: "medium priority",
    low: "low priority",
    lowest: "lowest priority"
  },
  noPriority: "no priority",
  moved: "This task has changed. The list shows it as it is now.",
  more: "Show more"
})
