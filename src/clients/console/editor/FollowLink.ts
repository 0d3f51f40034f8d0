import type { SheafClient } from "../../client/SheafClient.ts"
import { texts } from "../Messages.ts"
import { open, route } from "../Navigation.ts"
import { attempt, notify } from "../ui/Notices.tsx"
import { addressOfFile } from "./FileAddresses.ts"
import type { FoundLink } from "./FoundLink.ts"

/** Maximum number of titles among which that of a link is looked for. */
const maxTitles = 20

/** Opens an address in another tab, which gets no access to this one. */
const openTab = (url: string): void => void window.open(url, "_blank", "noopener,noreferrer")

/** Opens the target of a link that is being written. */
export const followLink = (client: SheafClient, link: FoundLink): Promise<boolean> =>
  attempt(async () => {
    const { filter } = route.value
    if (link.kind === "address") return openTab(link.url)
    if (link.kind === "note") return open(filter, link.id)
    if (link.kind === "file") {
      const url = await addressOfFile(client, link.id)
      return url === undefined ? notify(texts.notFound) : openTab(url)
    }
    const title = link.name.replace(/#.*$/, "").split("/").at(-1)!.trim().toLowerCase()
    const { data } = await client.suggestCompletions({ q: title, limit: maxTitles })
    const found = data.find(({ text, type }) => type === "title" && text.toLowerCase() === title)
    if (found === undefined || found.type !== "title") return notify(texts.notFound)
    open(filter, found.id)
  })
