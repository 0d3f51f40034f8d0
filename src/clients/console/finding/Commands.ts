import { open, openPage, openStart } from "../Navigation.ts"
import { overlay } from "../ShownOverlay.ts"
import { chooseTheme, theme, themes } from "../Theme.ts"
import { attempt } from "../ui/Notices.tsx"
import type { WorkspaceStore } from "../workspace/WorkspaceStore.ts"
import { openDailyNote } from "./DailyNote.ts"
import type { Entry } from "./Entry.ts"
import { texts } from "./FindingMessages.ts"

type Command = Omit<Entry, "key" | "kind" | "title" | "aliases"> & { readonly title: string; readonly aliases: string }

const themeIcons = { system: "phone", light: "sun", dark: "moon" } as const

/** What the palette can do. */
export const commandsOf = (store: WorkspaceStore, onNew: () => void): ReadonlyArray<Entry> => {
  const own = texts.commands
  const canWrite = store.canWrite.value
  const hasNote = document.querySelector(".reading, .writing") !== null
  const commands: ReadonlyArray<Command | false> = [
    canWrite && { ...own.newNote, icon: "plus", shortcut: "N", run: onNew },
    canWrite && { ...own.today, icon: "calendar", shortcut: "D", run: () => attempt(() => openDailyNote(store)) },
    {
      ...own.search,
      icon: "search",
      shortcut: "/",
      run: () => {
        open({ kind: "search", query: "" })
        requestAnimationFrame(() => document.querySelector<HTMLElement>(".search input")?.focus())
      }
    },
    hasNote && { ...own.outline, icon: "list", shortcut: "O", run: () => (overlay.value = "outline") },
    hasNote && { ...own.print, icon: "document", shortcut: "Ctrl-P", run: () => setTimeout(() => print()) },
    { ...own.settings, icon: "gear", run: () => openPage("settings", "account") },
    store.isOperator.value === true && {
      ...own.server,
      icon: "database",
      run: () => openPage("server", "overview")
    },
    canWrite && { ...own.imports, icon: "inbox", run: () => openStart("import") },
    { ...own.exports, icon: "box", run: () => openPage("settings", "transfers") },
    ...themes
      .filter((each) => each !== theme.value)
      .map((each) => ({ ...own.theme[each], icon: themeIcons[each], run: () => chooseTheme(each) })),
    { ...own.keys, icon: "key", shortcut: "?", run: () => (overlay.value = "keys") }
  ]
  return commands
    .filter((command) => command !== false)
    .map((command) => ({ ...command, key: `command ${command.title}`, kind: "command" }))
}
