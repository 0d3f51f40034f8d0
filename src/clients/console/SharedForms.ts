import { randomId } from "../client/RandomId.ts"
import { readAccounts } from "./accounts/KeptAccounts.ts"
import {
  addShared,
  keepShared,
  maxSharedBytes,
  removeShared,
  type SharedContent,
  type SharedOutcome,
  withShared
} from "./notes/SharedContent.ts"

/** Bytes of a form around its values. */
const maxFormBytes = maxSharedBytes + 65_536

/** Reads a form up to the limit of bytes, without which a page could fill the memory. */
const formOf = async (request: Request): Promise<FormData | undefined> => {
  const parts: Array<Uint8Array<ArrayBuffer>> = []
  let bytes = 0
  const reader = request.body?.getReader()
  for (let part = await reader?.read(); part?.value !== undefined; part = await reader?.read()) {
    bytes += part.value.length
    if (bytes > maxFormBytes) {
      void reader?.cancel()
      return undefined
    }
    parts.push(part.value)
  }
  return new Response(new Blob(parts), { headers: request.headers }).formData()
}

const contentOf = (form: FormData, account: string | undefined): SharedContent => {
  const text = (name: string) => String(form.get(name) ?? "")
  const [title, url] = [text("title"), text("url")]
  const files = form.getAll("files").filter((part) => part instanceof File)
  const own = { key: randomId(), title, text: text("text"), url, files, received_at: Date.now() }
  return { ...own, account, isUnchecked: true, links: [] }
}

/**
 * What other apps share, in the service worker, which keeps it at once: neither an absent server nor the end of the worker
 * loses it. A page of another site can send the same form, and a worker cannot see where a form comes from. So the browser
 * is sent on to the server, which sees it: a redirected navigation keeps its origin. The server sends the browser back with
 * the key, to mark the content as checked, or to remove it. No other page can read the key. While the server is away, the
 * content stays unchecked, and the user sees that before it becomes a note.
 */
export class SharedForms {
  readonly #page: string
  readonly #isServerThere: () => Promise<boolean>

  /** `page` is the address of the console. */
  constructor(page: string, isServerThere: () => Promise<boolean>) {
    this.#page = page
    this.#isServerThere = isServerThere
  }

  #shows(outcome: SharedOutcome): Response {
    return Response.redirect(`${this.#page}?shared=${outcome}`, 303)
  }

  /** The response to the form: to the server, or while that is away to the console. */
  async receive(request: Request): Promise<Response> {
    const form = await formOf(request)
    if (form === undefined) return this.#shows("large")
    try {
      const content = contentOf(form, (await readAccounts())[0]?.id)
      const why = await addShared(content)
      if (why !== undefined) return this.#shows(why)
      if (!(await this.#isServerThere())) return this.#shows("kept")
      return Response.redirect(`${this.#page}share/check?key=${content.key}`, 303)
    } catch (error) {
      // The browser has no room, or refuses the storage.
      console.warn(error)
      return this.#shows("full")
    }
  }

  /** The response to the browser that the server has sent back, because the content is of this device. */
  keep(key: string): Promise<Response> {
    return withShared(key, async (content) => {
      if (content === undefined) return this.#shows("lost")
      await keepShared({ ...content, isUnchecked: false })
      return Response.redirect(this.#page, 303)
    })
  }

  /** The response to the browser that the server has sent back, because the content is of a page of another site. */
  refuse(key: string): Promise<Response> {
    return withShared(key, async (content) => {
      if (content?.isUnchecked === true) await removeShared(key)
      return this.#shows("foreign")
    })
  }
}
