import { useState } from "preact/hooks"
import { isoDay } from "../LocalTime.ts"
import { texts as all } from "../Messages.ts"
import { open, route } from "../Navigation.ts"
import {
  conditionsIn,
  nameIn,
  type Operator,
  searchOf,
  valueOf,
  withOperator,
  withoutCondition
} from "../notes/SearchQuery.ts"
import { onDemand } from "../ui/lazily.tsx"
import { nested } from "../workspace/NestedNotebooks.ts"
import type { WorkspaceStore } from "../workspace/WorkspaceStore.ts"
import { texts } from "./FindingMessages.ts"

const PropertyFilter = onDemand((all) => all.PropertyFilter)

interface SearchFiltersProps {
  readonly store: WorkspaceStore
  readonly query: string
}

interface ChipProps {
  readonly label: string
  /** The value of the operator; undefined if the search has none. */
  readonly value: string | undefined
  readonly options: ReadonlyArray<readonly [value: string, name: string]>
  readonly onValue: (value: string | undefined) => void
}

/** A choice that looks like what it filters by. A value that was typed and is not offered is an option too. */
const Chip = ({ label, onValue, options, value }: ChipProps) => (
  <select
    class={value === undefined ? "chip" : "chip chosen"}
    aria-label={label}
    value={value ?? ""}
    onChange={({ currentTarget }) => onValue(currentTarget.value || undefined)}
  >
    <option value="">{label}</option>
    {value !== undefined && options.every(([each]) => each !== value) && <option value={value}>{value}</option>}
    {options.map(([each, name]) => (
      <option key={each} value={each}>
        {name}
      </option>
    ))}
  </select>
)

/** The days from which the filter of time offers changes. */
const daysAgo = { today: 0, week: 7, month: 30, year: 365 } as const

const since = (days: number): string => {
  const date = new Date()
  date.setDate(date.getDate() - days)
  return isoDay(date)
}

/** Filters of a search, which write its operators. */
export const SearchFilters = ({ query, store }: SearchFiltersProps) => {
  const own = texts.filters
  const [isChoosing, setIsChoosing] = useState(false)
  const search = (query: string) => open({ kind: "search", query }, route.value.note, { replace: true })
  const change = (operator: Operator) => (value: string | undefined) => search(withOperator(query, operator, value))
  const notebooks = store.notebooks.value
  const { archived, notebook_id } = searchOf(query, notebooks)
  const written = nameIn(notebooks)
  const chosen = notebooks.find(({ id }) => id === notebook_id)
  const times = Object.entries(own.times) as ReadonlyArray<readonly [keyof typeof daysAgo, string]>
  return (
    <div class="chips" role="group" aria-label={own.label}>
      <Chip
        label={own.notebook}
        value={chosen && written(chosen)}
        options={nested(notebooks).map(({ depth, notebook }) => [
          written(notebook),
          `${"\u2003".repeat(depth)}${notebook.name}`
        ])}
        onValue={change("in")}
      />
      <Chip
        label={own.tag}
        value={valueOf(query, "tag")}
        options={store.tags.value.map(({ name }) => [name, `#${name}`])}
        onValue={change("tag")}
      />
      <Chip
        label={own.time}
        value={valueOf(query, "after")}
        options={times.map(([name, text]) => [since(daysAgo[name]), text])}
        onValue={change("after")}
      />
      <Chip
        label={own.archive}
        value={archived === null ? undefined : archived ? "archived" : "-archived"}
        options={[
          ["archived", own.archived],
          ["-archived", own.notArchived]
        ]}
        onValue={change("is")}
      />
      {conditionsIn(query).map((condition, index) => (
        <button
          key={index}
          type="button"
          class="chip chosen"
          aria-label={all.note.removeTag(condition)}
          onClick={() => search(withoutCondition(query, index))}
        >
          {condition.slice("properties.".length)} ×
        </button>
      ))}
      <button type="button" class="chip" onClick={() => setIsChoosing(true)}>
        {own.property}
      </button>
      {isChoosing && (
        <PropertyFilter
          store={store}
          onFilter={(condition) => search(`${query} ${condition}`.trim())}
          onClose={() => setIsChoosing(false)}
        />
      )}
    </div>
  )
}
