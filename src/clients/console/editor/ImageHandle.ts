interface ImageHandle {
  readonly image: HTMLImageElement
  readonly label: string
  /** The greatest width that has room. */
  readonly most: () => number
  /** Whether the line is written from right to left: the handle is then at the left. */
  readonly isRtl: () => boolean
  /** Writes a width into the text; undefined for the one that is written already. */
  readonly write: (width: number | undefined) => void
  /** Gives the focus back to the text. */
  readonly leave: () => void
}

/** The least width that a handle gives, and the greatest that can be written. */
const least = 20
const greatest = 9_999
/** Pixels by which a key changes the width. */
const steps: Readonly<Record<string, number>> = { ArrowRight: 10, ArrowUp: 10, ArrowLeft: -10, ArrowDown: -10 }

/** The handle at the corner of an image. It shows the width while it moves, and writes it at the end: one step of undo. */
export const imageHandle = ({ image, isRtl, label, leave, most, write }: ImageHandle): HTMLElement => {
  const handle = document.createElement("span")
  handle.className = "cm-resize"
  handle.role = "slider"
  handle.tabIndex = 0
  handle.ariaLabel = handle.title = label
  handle.ariaValueMin = String(least)
  handle.ariaValueMax = String(most())
  handle.ariaValueNow = String(image.offsetWidth)
  /** The width that is shown, but not written yet. */
  let width: number | undefined
  let start: { readonly x: number; readonly width: number } | undefined
  const show = (wanted: number) => {
    width = Math.round(Math.max(least, Math.min(wanted, greatest, most())))
    Object.assign(image.style, { width: `${width}px`, height: "", maxHeight: "none" })
    handle.ariaValueNow = String(width)
  }
  const end = (isKept: boolean) => {
    const shown = width
    width = start = undefined
    if (shown === undefined) return
    write(isKept ? shown : undefined)
    handle.ariaValueNow = String(image.offsetWidth)
  }
  handle.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return
    event.preventDefault()
    handle.focus()
    handle.setPointerCapture(event.pointerId)
    start = { x: event.clientX, width: image.offsetWidth }
  })
  handle.addEventListener("pointermove", ({ clientX }) => {
    if (start !== undefined) show(start.width + (clientX - start.x) * (isRtl() ? -1 : 1))
  })
  handle.addEventListener("pointerup", () => end(true))
  handle.addEventListener("pointercancel", () => end(false))
  handle.addEventListener("keydown", (event) => {
    const step = steps[event.key]
    if (event.key !== "Escape" && step === undefined) return
    event.preventDefault()
    if (step !== undefined) return show(image.offsetWidth + step)
    end(false)
    leave()
  })
  handle.addEventListener("keyup", () => end(true))
  handle.addEventListener("blur", () => end(true))
  return handle
}
