import { texts } from "../finding/FindingMessages.ts"
import { Menu, type MenuItem } from "../ui/Menu.tsx"
import { chooseCompact, chooseOrder, listView, orderOf } from "./ListView.ts"
import type { NoteFilter } from "../notes/NoteFilter.ts"
import { type Order, orderFields } from "./RowOrder.ts"

interface ListMenuProps {
  readonly filter: NoteFilter
  /** Shows the boxes by which notes are selected; undefined if the user may not change them. */
  readonly onSelect: (() => void) | undefined
}

/** The order of a list, the height of its rows, and the selection of several notes. */
export const ListMenu = ({ filter, onSelect }: ListMenuProps) => {
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
        { label: texts.list.compact, isChecked: isCompact, onSelect: () => chooseCompact(!isCompact) },
        ...(onSelect === undefined ? [] : [{ label: texts.list.select, icon: "list" as const, onSelect }])
      ]}
    />
  )
}
