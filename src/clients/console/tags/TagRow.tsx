import type { Schemas } from "../../client/SheafClient.ts"
import { texts } from "../Messages.ts"
import { addressOf, route } from "../Navigation.ts"
import { Menu } from "../ui/Menu.tsx"
import type { WorkspaceStore } from "../workspace/WorkspaceStore.ts"
import type { TagQuestion } from "./TagDialog.tsx"

interface TagRowProps {
  readonly store: WorkspaceStore
  readonly tag: Schemas["Tag"]
  readonly onAsk: (question: TagQuestion) => void
  readonly onOpen?: () => void
}

/** A tag of a list: a link to its notes, and what can be done with it. */
export const TagRow = ({ onAsk, onOpen, store, tag }: TagRowProps) => {
  const { color, name, note_count } = tag
  const { filter } = route.value
  return (
    <li>
      <a
        href={addressOf({ kind: "tag", name })}
        title={name}
        aria-current={filter.kind === "tag" && filter.name === name ? "page" : undefined}
        onClick={onOpen}
      >
        <span class="hash" style={{ color: color ?? "" }}>
          #
        </span>
        <span class="name">{name}</span>
        <span class="count">{note_count}</span>
      </a>
      {store.canWrite.value && (
        <Menu
          icon="more"
          label={`${texts.more}: #${name}`}
          items={[
            { icon: "edit", label: texts.tagMenu.edit, onSelect: () => onAsk({ kind: "edit", tag }) },
            { icon: "tag", label: texts.tagMenu.merge, onSelect: () => onAsk({ kind: "merge", tag }) },
            {
              icon: "trash",
              label: texts.tagMenu.delete,
              isDanger: true,
              onSelect: () => onAsk({ kind: "delete", tag })
            }
          ]}
        />
      )}
    </li>
  )
}
