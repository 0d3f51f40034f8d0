import { isolateHistory } from "@codemirror/commands"
import { Direction, EditorView, WidgetType } from "@codemirror/view"
import { texts } from "./EditorMessages.ts"
import { nodeAround, treeTo } from "./Formatting.ts"
import { type WrittenImage, writtenImage } from "./WrittenImage.ts"

export type AddressOf = (target: string) => Promise<string | undefined>

/** The widgets whose elements are on the page. An element stays when its image gets another width. */
const shownBy = new WeakMap<HTMLElement, ImageWidget>()

/** Shows an image in a size; without one, in its own. */
const showSize = (image: HTMLElement, width: number | undefined, height?: number): void => {
  image.style.width = width === undefined ? "" : `${width}px`
  image.style.height = height === undefined ? "" : `${height}px`
  image.style.maxHeight = width === undefined ? "" : "none"
}

/** Without the file, which comes from the server, an image has no handle. */
const addHandle = (view: EditorView, box: HTMLElement, image: HTMLImageElement): void =>
  void import("../OnDemand.ts").then(
    ({ imageHandle }) => {
      if (image.nextElementSibling !== null) return
      const isRtl = () => view.textDirectionAt(view.posAtDOM(box)) === Direction.RTL
      const most = () => view.contentDOM.clientWidth
      const write = (width: number | undefined) => shownBy.get(box)!.resize(view, box, width)
      box.append(imageHandle({ image, isRtl, most, write, leave: () => view.focus(), label: texts.imageWidth }))
    },
    () => undefined
  )

/** An image of the note below its line, with a handle that changes its width. */
export class ImageWidget extends WidgetType {
  readonly #image: WrittenImage
  /** How far before the end of the line the image is written: the line has no other place that stays. */
  readonly #distance: number
  readonly #addressOf: AddressOf

  constructor(image: WrittenImage, distance: number, addressOf: AddressOf) {
    super()
    this.#image = image
    this.#distance = distance
    this.#addressOf = addressOf
  }

  override eq(other: ImageWidget): boolean {
    const [one, another] = [this.#image, other.#image]
    return (
      this.#distance === other.#distance &&
      one.target === another.target &&
      one.alt === another.alt &&
      one.width === another.width &&
      one.height === another.height
    )
  }

  override toDOM(view: EditorView): HTMLElement {
    const box = document.createElement("span")
    box.className = "cm-image"
    // A file that is no image, or is gone, shows nothing.
    box.hidden = true
    const image = box.appendChild(document.createElement("img"))
    image.addEventListener("load", () => {
      // The cursor stays on the screen, where the image takes the place of its line.
      const { head } = view.state.selection.main
      const cursor = view.hasFocus ? view.coordsAtPos(head) : null
      box.hidden = false
      addHandle(view, box, image)
      if (cursor !== null && cursor.top >= 0 && cursor.bottom <= innerHeight)
        view.dispatch({ effects: EditorView.scrollIntoView(head) })
      else view.requestMeasure()
    })
    this.#show(box)
    void this.#addressOf(this.#image.target).then((url) => {
      if (url !== undefined) image.src = url
    })
    return box
  }

  override updateDOM(box: HTMLElement, _: EditorView, from: ImageWidget): boolean {
    if (from.#image.target !== this.#image.target) return false
    this.#show(box)
    return true
  }

  /** Writes a width into the text, or shows the written one again. */
  resize(view: EditorView, box: HTMLElement, width: number | undefined): void {
    if (width === undefined) return this.#show(box)
    const { state } = view
    const place = view.posAtDOM(box) - this.#distance
    const node = nodeAround(treeTo(state, state.doc.lineAt(place).to), place, ["Image"])
    const image = node && writtenImage(state, node)
    if (image?.target !== this.#image.target || image.width === width) return this.#show(box)
    view.dispatch({
      changes: image.resized(width),
      annotations: isolateHistory.of("full"),
      userEvent: "input.image"
    })
  }

  #show(box: HTMLElement): void {
    shownBy.set(box, this)
    const { alt, height, width } = this.#image
    const image = box.querySelector("img")!
    image.alt = alt
    showSize(image, width, height)
  }
}
