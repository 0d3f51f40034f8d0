/** Plans as a Markdown table. */
import { type Costs, type Habits, type Plan, planOf, wallsOf } from "./model.ts"

const units = [
  [1e15, "PB"],
  [1e12, "TB"],
  [1e9, "GB"],
  [1e6, "MB"],
  [1e3, "KB"],
  [1, "B"]
] as const

const bytes = (value: number): string => {
  const [size, unit] = units.find(([size]) => value >= size) ?? [1, "B"]
  return `${Number((value / size).toPrecision(2))} ${unit}`
}

const count = (value: number): string =>
  Number(value < 10 ? value.toPrecision(1) : value.toPrecision(2))
    .toLocaleString("en-US", { maximumFractionDigits: 2 })
    .replaceAll(",", " ")

const rowOf = ({ each, installations, users, wall }: Plan): string =>
  [
    users.toLocaleString("en-US").replaceAll(",", " "),
    count(each.requests * installations),
    installations === 1 ? `${each.nodes}` : `${installations} installations, each with ${each.nodes}`,
    count(Math.max(1, Math.ceil(each.postgresCores))),
    `${bytes(each.log)}, ${bytes(each.logMonth)}`,
    `${bytes(each.storedMonth)}, ${bytes(each.filesMonth)}`,
    `${bytes(each.indexes)}`,
    wall
  ].join(" | ")

/** The lines of the table, and of the walls of one installation. */
export const planLines = (users: ReadonlyArray<number>, habits: Habits, costs: Costs): ReadonlyArray<string> => [
  "| users | requests a second | nodes | cores of PostgreSQL | its log: a second, a month | growth in a month: database, files | search indexes | next wall |",
  "|---|---|---|---|---|---|---|---|",
  ...users.map((each) => `| ${rowOf(planOf(each, habits, costs))} |`)
]

export const wallLines = (habits: Habits, costs: Costs): ReadonlyArray<string> => [
  "| wall | users before it |",
  "|---|---|",
  ...wallsOf(habits, costs).map(([wall, users]) => `| ${wall} | ${count(users)} |`)
]

export const printPlans = (users: ReadonlyArray<number>, habits: Habits, costs: Costs): void => {
  console.log(`Costs of ${costs.measured}. From the second column on, the figures are those of each installation.\n`)
  for (const line of [...planLines(users, habits, costs), "", ...wallLines(habits, costs)]) console.log(line)
}
