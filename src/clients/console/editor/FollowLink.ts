import { placeById, placeByName } from "../../../../services/markdown/LinkedPlace.ts"
import { folded, readingsOf } from "../../../../services/markdown/LinkText.ts"
import type { Schemas, SheafClient } from "../../client/SheafClient.ts"
import { texts } from "../Messages.ts"
import { open, route } from "../Navigation.ts"
import { notify } from "../ui/Notices.tsx"
import type { WorkspaceStore } from "../workspace/WorkspaceStore.ts"
import { addressOfFile } from "./FileAddresses.ts"
import type { FoundLink } from "./FoundLink.ts"
import { quoted } from "../notes/NoteFilter.ts"

/** Maximum number of titles that the server suggests, and of notes with the titles of a link. */
const maxTitles = 10
const maxNotes = 100

/** Opens an address in another tab, which gets no access to this one. */
const openTab = (url: string): void => void window.open(url, "_blank", "noopener,noreferrer")

/** The notes with the titles that a link can mean, in any case, by their folded titles. */
const namesakes = async (
  client: SheafClient,
  target: string
): Promise<ReadonlyMap<string, ReadonlyArray<Schemas["NoteSummary"]>>> => {
  const titles = [...new Set(readingsOf(target).map(({ title }) => title))]
  const wanted = new Set(titles.map(folded))
  const suggested = await Promise.all(titles.map((q) => client.suggestCompletions({ q, limit: maxTitles })))
  const same = suggested.flatMap(({ data }) => data.map(({ text }) => text).filter((text) => wanted.has(folded(text))))
  const filter = `title IN (${[...new Set([...titles, ...same])].map(quoted).join(", ")})`
  const { data } = await client.listNoteSummaries({ filter, limit: maxNotes })
  return Map.groupBy(data, ({ title }) => folded(title))
}

/** Opens the target of a link that is being written in a note of a notebook. Aliases of notes are known to the server alone. */
export const followLink = async (store: WorkspaceStore, link: FoundLink, notebook_id: string): Promise<void> => {
  const { client } = store
  if (link.kind === "address") return openTab(link.url)
  if (link.kind === "file") {
    const url = await addressOfFile(client, link.id)
    return url === undefined ? notify(texts.notFound) : openTab(url)
  }
  const { target } = link
  let place = placeById(target)
  if (place === undefined && target !== "") {
    const notes = await namesakes(client, target)
    const tree = new Map(store.notebooks.value.map((notebook) => [notebook.id, notebook]))
    place = placeByName(target, (key) => notes.get(key) ?? [], tree, notebook_id)
  }
  if (place === undefined) return notify(texts.notFound)
  open(route.value.filter, place.id, { anchor: place.anchor || undefined })
}
