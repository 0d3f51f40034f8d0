import jsQR from "jsqr"
import type { Page } from "playwright-core"

interface Pixels {
  readonly side: number
  /** Red, green, blue and alpha of each pixel. */
  readonly data: ReadonlyArray<number>
}

/** Draws the code on a canvas with 8 pixels for each module, as the browser renders it. */
const pixels = `(async () => {
  const code = document.querySelector(".qr-code")
  const side = code.viewBox.baseVal.width * 8
  const copy = code.cloneNode(true)
  copy.setAttribute("width", side)
  copy.setAttribute("height", side)
  const image = new Image()
  image.src = "data:image/svg+xml," + encodeURIComponent(new XMLSerializer().serializeToString(copy))
  await image.decode()
  const context = Object.assign(document.createElement("canvas"), { width: side, height: side }).getContext("2d")
  context.drawImage(image, 0, 0)
  return { side, data: [...context.getImageData(0, 0, side, side).data] }
})()`

/** The text that a phone reads from the QR code of the page; undefined if it cannot be read. */
export const qrText = async (page: Page): Promise<string | undefined> => {
  const { data, side } = await page.evaluate<Pixels>(pixels)
  return jsQR.default(Uint8ClampedArray.from(data), side, side)?.data
}
