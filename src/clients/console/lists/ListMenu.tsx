import { texts } from "../finding/FindingMessages.ts"
import { Menu, type MenuItem } from "../ui/Menu.tsx"
import { chooseCompact, chooseOrder, listView, orderOf } from "./ListView.ts"
import { open, route } from "../Navigation.ts"
import type { NoteFilter } from "../notes/NoteFilter.ts"
import { nameIn, withOperator } from "../notes/SearchQuery.ts"
import type { WorkspaceStore } from "../workspace/WorkspaceStore.ts"
import { type Order, orderFields } from "./RowOrder.ts"

interface ListMenuProps {
  readonly filter: NoteFilter
  readonly store: WorkspaceStore
  /** Shows the boxes by which notes are selected; undefined if the user may not change them. */
  readonly onSelect: (() => void) | undefined
}

/** The search without words that has the notes of a list, whose filters can then be chosen. */
const searchWithin = (filter: NoteFilter, store: WorkspaceStore): string => {
  if (filter.kind === "tag") return withOperator("", "tag", filter.name)
  const notebook = filter.kind === "notebook" ? store.notebook(filter.id) : undefined
  if (notebook !== undefined) return withOperator("", "in", nameIn(store.notebooks.value)(notebook))
  return withOperator("", "is", filter.kind === "archive" ? "archived" : "-archived")
}

/** The order of a list, the height of its rows, and the selection of several notes. */
export const ListMenu = ({ filter, onSelect, store }: ListMenuProps) => {
  const isSearch = filter.kind === "search"
  const order = orderOf(filter) ?? (isSearch ? undefined : "-updated_at")
  const { isCompact } = listView.value
  const field = order?.replace("-", "")
  const isDescending = order?.startsWith("-") === true
  const choice = (label: string, isChecked: boolean, value: Order | undefined): MenuItem => ({
    label,
    isChecked,
    onSelect: () => chooseOrder(filter, value)
  })
  const { byTitle, byTime } = texts.list.directions
  const [ascending = "", descending = ""] = field === "title" ? byTitle : byTime
  const directed = (isDown: boolean) => `${isDown ? "-" : ""}${field}` as Order
  const sorts =
    filter.kind === "trash"
      ? []
      : [
          ...(isSearch ? [choice(texts.list.relevance, order === undefined, undefined)] : []),
          ...orderFields.map((each) =>
            choice(texts.list.fields[each], field === each, each === "title" ? each : `-${each}`)
          ),
          ...(order === undefined
            ? []
            : [choice(descending, isDescending, directed(true)), choice(ascending, !isDescending, directed(false))])
        ]
  return (
    <Menu
      icon="list"
      label={texts.list.menu}
      items={[
        ...sorts,
        ...(isSearch || filter.kind === "trash"
          ? []
          : [
              {
                label: texts.list.filter,
                icon: "search" as const,
                onSelect: () => open({ kind: "search", query: searchWithin(filter, store) }, route.value.note)
              }
            ]),
        { label: texts.list.compact, isChecked: isCompact, onSelect: () => chooseCompact(!isCompact) },
        ...(onSelect === undefined ? [] : [{ label: texts.list.select, icon: "list" as const, onSelect }])
      ]}
    />
  )
}
