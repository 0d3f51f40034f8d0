import { isProblem } from "../../client/SheafClient.ts"
import { texts } from "../Messages.ts"
import { open, route } from "../Navigation.ts"
import { orCopy } from "../offline/orCopy.ts"
import { notify } from "../ui/Notices.tsx"
import type { WorkspaceStore } from "../workspace/WorkspaceStore.ts"
import { addressOfFile } from "./FileAddresses.ts"
import type { FoundLink } from "./FoundLink.ts"

/** Opens an address in another tab, which gets no access to this one. */
const openTab = (url: string): void => void window.open(url, "_blank", "noopener,noreferrer")

/** Opens the target of a link that is being written in a note of a notebook. It is found as in a note that is read. */
export const followLink = async (store: WorkspaceStore, link: FoundLink, notebook_id: string): Promise<void> => {
  const { client } = store
  if (link.kind === "address") return openTab(link.url)
  if (link.kind === "file") {
    const url = await addressOfFile(client, link.id)
    return url === undefined ? notify(texts.notFound) : openTab(url)
  }
  const { target } = link
  const place = await orCopy(
    store,
    () => client.findLinkedNote({ target, notebook_id }),
    (copy) => {
      const found = copy.linked(target, notebook_id)
      return found !== undefined && "id" in found ? found : undefined
    },
    () => undefined
  ).catch((error: unknown) => {
    if (!isProblem(error, "not_found", "invalid_parameter")) throw error
  })
  if (place === undefined) return notify(texts.notFound)
  open(route.value.filter, place.id, { anchor: place.anchor || undefined })
}
