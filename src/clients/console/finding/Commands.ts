import { type Appearance, appearances, choose, chooseLook, chosen, looks } from "../DeviceSettings.ts"
import { open, openPage, openStart } from "../Navigation.ts"
import { overlay } from "../ShownOverlay.ts"
import { attempt } from "../ui/Notices.tsx"
import type { WorkspaceStore } from "../workspace/WorkspaceStore.ts"
import { openDailyNote } from "./DailyNote.ts"
import type { Command, Entry } from "./Entry.ts"
import { appearanceTexts } from "../settings/AppearanceMessages.ts"
import { texts } from "./FindingMessages.ts"
import { noteCommands } from "./NoteCommands.ts"
import { openNote } from "./OpenNote.ts"

const lookIcons: Readonly<Record<string, Command["icon"]>> = { system: "phone", light: "sun", dark: "moon" }

/** The looks that are not chosen. */
const lookCommands = <Name extends Appearance>(name: Name): ReadonlyArray<Command> => {
  const { label, values } = appearanceTexts[name]
  return appearances[name]
    .filter((value) => value !== looks[name].value)
    .map((value) => {
      const [words = "", aliases = ""] = (values as Readonly<Record<string, ReadonlyArray<string>>>)[value]!
      return {
        title: appearanceTexts.command(label, words),
        aliases,
        icon: lookIcons[value] ?? "list",
        run: () => chooseLook(name, value)
      }
    })
}

/** What the palette can do. */
export const commandsOf = (store: WorkspaceStore, onNew: () => void): ReadonlyArray<Entry> => {
  const own = texts.commands
  const canWrite = store.canWrite.value
  const opened = openNote()
  const commands: ReadonlyArray<Command | false> = [
    canWrite && { ...own.newNote, icon: "plus", shortcut: "N", run: onNew },
    canWrite && { ...own.today, icon: "calendar", shortcut: "D", run: () => void attempt(() => openDailyNote(store)) },
    { ...own.tasks, icon: "check", shortcut: "T", run: () => open({ kind: "tasks", query: "" }) },
    {
      ...own.search,
      icon: "search",
      shortcut: "/",
      run: () => {
        open({ kind: "search", query: "" })
        requestAnimationFrame(() => document.querySelector<HTMLElement>(".search input")?.focus())
      }
    },
    ...(opened === undefined ? [] : noteCommands(opened)),
    { ...own.settings, icon: "gear", run: () => openPage("settings", "account") },
    store.isOperator.value === true && {
      ...own.server,
      icon: "database",
      run: () => openPage("server", "overview")
    },
    canWrite && { ...own.imports, icon: "inbox", run: () => openStart("import") },
    { ...own.exports, icon: "box", run: () => openPage("settings", "transfers") },
    chosen("renames") !== undefined && { ...own.askLinks, icon: "link", run: () => choose("renames", null) },
    ...lookCommands("theme"),
    ...lookCommands("size"),
    ...lookCommands("width"),
    { ...own.keys, icon: "key", shortcut: "?", run: () => (overlay.value = "keys") }
  ]
  return commands
    .filter((command) => command !== false)
    .map(({ label: _, ...command }) => ({ ...command, key: `command ${command.title}`, kind: "command" }))
}
