import { randomId } from "../client/RandomId.ts"
import { keepShared, maxSharedBytes, type SharedContent, type SharedRefusal, whyNoRoom } from "./notes/SharedContent.ts"

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

const contentOf = (form: FormData): SharedContent => {
  const text = (name: string) => String(form.get(name) ?? "")
  const [title, url] = [text("title"), text("url")]
  const files = form.getAll("files").filter((part) => part instanceof File)
  return { key: randomId(), title, text: text("text"), url, files, received_at: Date.now(), links: [] }
}

/**
 * What other apps share, in the service worker. A page of another site can send the same form, and a worker cannot see
 * where a form comes from. So the form waits in memory, and the browser is sent on to the server, which sees it: a
 * redirected navigation keeps its origin. The server sends the browser back with the key if the form is of this device.
 * No other page can read the key.
 */
export class SharedForms {
  readonly #page: string
  #last: SharedContent | undefined

  /** `page` is the address of the console. */
  constructor(page: string) {
    this.#page = page
  }

  #refused(why: SharedRefusal): Response {
    return Response.redirect(`${this.#page}?shared=${why}`, 303)
  }

  /** The response to the form: to the server. */
  async receive(request: Request): Promise<Response> {
    this.#last = undefined
    const form = await formOf(request)
    if (form === undefined) return this.#refused("large")
    this.#last = contentOf(form)
    return Response.redirect(`${this.#page}share/check?key=${this.#last.key}`, 303)
  }

  /** The response to the browser that the server has sent back: keeps the form until the user makes a note of it. */
  async keep(key: string | null): Promise<Response> {
    const content = this.#last
    if (content === undefined || content.key !== key) return this.#refused("lost")
    this.#last = undefined
    try {
      const why = await whyNoRoom(content)
      if (why !== undefined) return this.#refused(why)
      await keepShared(content)
    } catch (error) {
      // The browser has no room.
      console.warn(error)
      return this.#refused("lost")
    }
    return Response.redirect(this.#page, 303)
  }
}
