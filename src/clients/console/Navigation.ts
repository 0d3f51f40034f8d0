import { signal } from "@preact/signals"
import { pathTo } from "./PageData.ts"
import { filterOf, pathOf, type ShownList } from "./notes/NoteFilter.ts"

/** A step after the first account was created. */
export type StartStep = "import" | "connect"

/** The page that is open: a list or tasks, and a note. */
export interface Route {
  readonly filter: ShownList
  /** The id of a note; `new` for a note that is not created yet. */
  readonly note: string | undefined
  /** The id of a place in the note, which is read from there. */
  readonly anchor?: string | undefined
  /** A page of administration instead of notes, and the id of what it shows. */
  readonly administration?: AdministrationRoute | undefined
  /** The step of the start page, if that is open. */
  readonly start?: StartStep | undefined
}

/** The settings of a workspace, or the server for its operators. */
export type Area = "settings" | "server"

export interface AdministrationRoute {
  readonly area: Area
  readonly page: string
  readonly id: string | undefined
}

/** A part of an address without percent signs; undefined if it is malformed. */
export const decoded = (part: string | undefined): string | undefined => {
  try {
    return part === undefined ? undefined : decodeURIComponent(part)
  } catch {
    return undefined
  }
}

const read = (): Route => {
  const [list, note, id] = location.pathname.slice(pathTo("/").length).split("/")
  if (list === "settings" || list === "server") {
    const page = decoded(note) || (list === "settings" ? "account" : "overview")
    const administration = { area: list, page, id: decoded(id) } as const
    return { filter: { kind: "all" }, note: undefined, administration }
  }
  if (list === "start") {
    return { filter: { kind: "all" }, note: undefined, start: note === "connect" ? "connect" : "import" }
  }
  const query = new URLSearchParams(location.search).get("q") ?? undefined
  return {
    filter: filterOf(decoded(list) || undefined, query),
    note: decoded(note) || undefined,
    anchor: decoded(location.hash.slice(1)) || undefined
  }
}

export const route = signal<Route>(read())

addEventListener("popstate", () => (route.value = read()))

/** The address of a list, of one of its notes, or of a place in that. */
export const addressOf = (filter: ShownList, note?: string, anchor?: string): string =>
  pathTo(pathOf(filter, note)) + (anchor === undefined ? "" : `#${encodeURIComponent(anchor)}`)

/** The address of a page of administration. */
export const pageAddress = (area: Area, page: string, id?: string): string =>
  pathTo(`/${area}/${page}${id === undefined ? "" : `/${encodeURIComponent(id)}`}`)

/** Opens a page of administration. */
export const openPage = (area: Area, page: string, id?: string): void => {
  history.pushState(null, "", pageAddress(area, page, id))
  route.value = read()
}

/** The address of a step of the start page. */
export const startAddress = (step: StartStep): string => pathTo(step === "import" ? "/start" : `/start/${step}`)

/** Opens a step of the start page. */
export const openStart = (step: StartStep): void => {
  history.pushState(null, "", startAddress(step))
  route.value = read()
}

/** The state of the history entry of a note that is opened to be written. */
export const writing = "writing"

/** Opens a list or a note. With `replace` the way back does not lead to the present page. */
export const open = (
  filter: ShownList,
  note?: string,
  options: { readonly replace?: boolean; readonly state?: string; readonly anchor?: string | undefined } = {}
): void => {
  const address = addressOf(filter, note, options.anchor)
  if (options.replace === true) history.replaceState(options.state, "", address)
  else history.pushState(options.state ?? null, "", address)
  route.value = read()
}

/** Follows links of the console without loading the page again. */
addEventListener("click", (event) => {
  if (event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey)
    return
  const link = event.target instanceof Element ? event.target.closest("a") : null
  if (link === null || link.target !== "" || link.origin !== location.origin || !link.pathname.startsWith(pathTo("/")))
    return
  event.preventDefault()
  history.pushState(null, "", link.href)
  route.value = read()
})
