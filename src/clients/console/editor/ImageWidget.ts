import { EditorView, WidgetType } from "@codemirror/view"
import { SheafError, type SheafClient } from "../../client/SheafClient.ts"

/** Milliseconds for which an address is used: the server signs it for fifteen minutes, and returns the same for five. */
const life = 5 * 60_000
/** Maximum number of addresses that are known. */
const maxAddresses = 200

const addresses = new Map<string, { readonly until: number; readonly url: Promise<string | undefined> }>()

/** The address of a file of a note; undefined if it cannot be read. */
export const addressOfFile = (client: SheafClient, id: string): Promise<string | undefined> => {
  const known = addresses.get(id)
  if (known !== undefined && known.until > Date.now()) return known.url
  const url = client.getAttachment({ id }).then(
    (file) => file.url ?? undefined,
    (error: unknown) => {
      addresses.delete(id)
      if (error instanceof SheafError) return undefined
      throw error
    }
  )
  addresses.delete(id)
  addresses.set(id, { until: Date.now() + life, url })
  if (addresses.size > maxAddresses) addresses.delete(addresses.keys().next().value!)
  return url
}

/** An image of the note below its line. */
export class ImageWidget extends WidgetType {
  readonly #id: string
  readonly #alt: string
  readonly #addressOf: (id: string) => Promise<string | undefined>

  constructor(id: string, alt: string, addressOf: (id: string) => Promise<string | undefined>) {
    super()
    this.#id = id
    this.#alt = alt
    this.#addressOf = addressOf
  }

  override eq(other: ImageWidget): boolean {
    return other.#id === this.#id && other.#alt === this.#alt
  }

  override toDOM(view: EditorView): HTMLElement {
    const image = document.createElement("img")
    image.className = "cm-image"
    image.alt = this.#alt
    // A file that is no image, or is gone, shows nothing.
    image.hidden = true
    image.addEventListener("load", () => {
      // The cursor stays on the screen, where the image takes the place of its line.
      const { head } = view.state.selection.main
      const cursor = view.hasFocus ? view.coordsAtPos(head) : null
      image.hidden = false
      if (cursor !== null && cursor.top >= 0 && cursor.bottom <= innerHeight)
        view.dispatch({ effects: EditorView.scrollIntoView(head) })
      else view.requestMeasure()
    })
    void this.#addressOf(this.#id).then((url) => {
      if (url !== undefined) image.src = url
    })
    return image
  }
}
