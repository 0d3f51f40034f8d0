import type { ComponentChildren } from "preact"
import { texts } from "../Messages.ts"
import { addressOf, type Route, route } from "../Navigation.ts"
import { TagList } from "../tags/TagList.tsx"
import { Icon, type IconName } from "../ui/Icon.tsx"
import { NotebookTree } from "./NotebookTree.tsx"
import type { WorkspaceStore } from "./WorkspaceStore.ts"

const views = [
  [{ kind: "all" }, "all"],
  [{ kind: "tasks", query: "" }, "check"],
  [{ kind: "archive" }, "archive"],
  [{ kind: "trash" }, "trash"]
] as const satisfies ReadonlyArray<readonly [Route["filter"], IconName]>

interface SidebarProps {
  readonly store: WorkspaceStore
  readonly account: ComponentChildren
}

/** The lists, notebooks and tags of the workspace. */
export const Sidebar = ({ account, store }: SidebarProps) => {
  const { filter } = route.value
  return (
    <nav class="sidebar" aria-label={texts.navigation}>
      {account}
      <ul class="labels views">
        {views.map(([view, icon]) => (
          <li key={icon}>
            <a href={addressOf(view)} aria-current={filter.kind === view.kind ? "page" : undefined}>
              <Icon name={icon} />
              <span class="name">{texts.lists[view.kind]}</span>
            </a>
          </li>
        ))}
      </ul>
      <NotebookTree store={store} />
      <TagList store={store} />
    </nav>
  )
}
